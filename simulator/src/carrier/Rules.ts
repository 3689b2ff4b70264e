import type { DialCommand } from "@carillon/core"
import { magicScript, readMagic, unfundedOutcome } from "./MagicNumber.ts"
import { builtInMix, type Mix, pick } from "./Mix.ts"
import type { Outcome, Script } from "./Outcome.ts"

/** Which legs a rule is for; every field given must hold. */
export interface RuleMatch {
  readonly to_number?: string
  readonly to_prefix?: string
  readonly agent_id?: string
  readonly campaign_id?: string
  /** Counts from 0 in list order. */
  readonly contact_index?: number
  /** The call's `retry_count`. */
  readonly attempt?: number
}

export interface Rule {
  readonly match?: RuleMatch
  readonly outcome: Outcome
  /** How many legs it serves; every one where it is left out. */
  readonly times?: number
}

/** All scripts of the carrier: rules, and what ordinary numbers do. */
export interface RuleSet {
  readonly rules: ReadonlyArray<Rule>
  readonly default?: Outcome | { readonly mix: Mix }
}

/** The part of a dial that decides how its leg goes. */
export type LegSubject = Pick<DialCommand, "to_number" | "agent_id" | "campaign_id" | "retry_count"> & {
  readonly contact_index: number | null
}

const matches = (match: RuleMatch, leg: LegSubject): boolean =>
  (match.to_number === undefined || match.to_number === leg.to_number) &&
  (match.to_prefix === undefined || leg.to_number.startsWith(match.to_prefix)) &&
  (match.agent_id === undefined || match.agent_id === leg.agent_id) &&
  (match.campaign_id === undefined || match.campaign_id === leg.campaign_id) &&
  (match.contact_index === undefined || match.contact_index === leg.contact_index) &&
  (match.attempt === undefined || match.attempt === leg.retry_count)

/** The rules in force. A rule beats a magic number, a magic number beats the default or the mix. */
export class Rules {
  readonly #mix: Mix
  #set: RuleSet = { rules: [] }
  #left: Array<number> = []

  constructor(mix: Mix = builtInMix) {
    this.#mix = mix
  }

  get current(): RuleSet {
    return this.#set
  }

  replace(set: RuleSet): void {
    this.#set = set
    this.#left = set.rules.map((rule) => rule.times ?? Infinity)
  }

  /** How the leg goes; `point` in [0, 1) decides where the mix does. Spends one serving of the rule that matches. */
  scriptFor(leg: LegSubject, point: number): Script {
    const index = this.#matching(leg)
    const rule = this.#set.rules[index]
    if (rule !== undefined) {
      this.#left[index] = (this.#left[index] ?? Infinity) - 1
      return rule.outcome
    }
    const magic = readMagic(leg.to_number)
    const scripted = magic === null ? null : magicScript(magic, leg.retry_count)
    if (scripted !== null) return scripted
    const ordinary = this.#set.default
    if (ordinary !== undefined && "result" in ordinary) return ordinary
    return { result: pick(ordinary?.mix ?? this.#mix, point) }
  }

  /** Whether the wallet is said not to carry a call to this number. A rule for the number takes the magic away. */
  unfunded(toNumber: string): boolean {
    if (readMagic(toNumber)?.outcome !== unfundedOutcome) return false
    return !this.#set.rules.some(({ match = {} }, index) => {
      const { to_number, to_prefix, ...others } = match
      if (Object.keys(others).length > 0 || (this.#left[index] ?? 0) <= 0) return false
      return (to_number ?? toNumber) === toNumber && toNumber.startsWith(to_prefix ?? "")
    })
  }

  #matching(leg: LegSubject): number {
    return this.#set.rules.findIndex((rule, index) => (this.#left[index] ?? 0) > 0 && matches(rule.match ?? {}, leg))
  }
}
