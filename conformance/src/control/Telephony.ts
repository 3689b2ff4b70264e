import { isObject } from "../http/Json.ts"
import { type Control } from "./Control.ts"

/** How one leg goes; the words are those of the control contract. */
export interface Outcome {
  readonly result: string
  readonly ring_ms?: number
  readonly talk_ms?: number
  readonly processing_ms?: number
  readonly hangup_by?: "agent" | "customer"
  readonly recording?: boolean
  readonly sentiment?: string
  readonly transcript?: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly cost?: Readonly<Record<string, unknown>>
  readonly turns?: ReadonlyArray<Readonly<Record<string, number>>>
  readonly duplicate_reports?: boolean
  readonly reorder_reports?: boolean
  readonly hangup_refused?: boolean
  readonly ack_delay_ms?: number
}

/** Which legs a rule is for, how they go, and how often it serves. */
export interface Rule {
  readonly match?: Readonly<Record<string, string | number>>
  readonly outcome: Outcome
  readonly times?: number
}

/** One leg that the fake carrier saw. */
export interface Leg {
  readonly leg_id: unknown
  readonly execution_id: unknown
  readonly to_number: unknown
  readonly from_number: unknown
  readonly placed_at: unknown
  readonly answered_at: unknown
  readonly ended_at: unknown
  readonly result: unknown
  readonly live: unknown
}

/** Scripts for the fake carrier, and what it really saw. */
export class Telephony {
  readonly #control: Control

  constructor(control: Control) {
    this.#control = control
  }

  /** Replaces all rules. */
  async rules(rules: ReadonlyArray<Rule>): Promise<void> {
    await this.#control.ask("PUT", "/telephony/rules", { rules })
  }

  /** The legs that match, oldest first. */
  async legs(match: Readonly<Record<string, string>>): Promise<ReadonlyArray<Leg>> {
    const body = await this.#control.ask("GET", `/telephony/legs?${new URLSearchParams(match)}`)
    const data = body["data"]
    return (Array.isArray(data) ? data : []).filter(isObject).map((leg) => ({
      leg_id: leg["leg_id"],
      execution_id: leg["execution_id"],
      to_number: leg["to_number"],
      from_number: leg["from_number"],
      placed_at: leg["placed_at"],
      answered_at: leg["answered_at"],
      ended_at: leg["ended_at"],
      result: leg["result"],
      live: leg["live"],
    }))
  }
}
