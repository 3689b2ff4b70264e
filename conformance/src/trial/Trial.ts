import type { Clock } from "../control/Clock.ts"
import { type Company, WantsToBeAlone } from "../control/Company.ts"
import type { Control } from "../control/Control.ts"
import { makeOrganization, type OrganizationFixture } from "../control/Fixtures.ts"
import { Telephony } from "../control/Telephony.ts"
import type { Answer } from "../http/Answer.ts"
import type { Client } from "../http/Client.ts"
import type { Capabilities } from "../run/Capabilities.ts"
import { type Checks, Halted } from "../run/Checks.ts"
import { streamOf } from "../run/Seed.ts"
import { Numbers } from "./Numbers.ts"
import type { Tenant } from "./Tenant.ts"

/** What one case is given. */
export interface TrialParts {
  readonly check: Checks
  readonly seed: number
  /** What the run draws new names and numbers from. */
  readonly nonce: string
  /** What this case draws new numbers from. */
  readonly freshSeed: number
  readonly offered: Capabilities
  /** Numbers that may really be rung; where the carrier knows magic numbers none are needed. */
  readonly recipients: ReadonlyArray<string>
  /** The key of the run. */
  readonly primary: Client
  /** Present where the target has a control surface. */
  readonly control?: Control
  /** Present where time can be moved or waited out. */
  readonly clock?: Clock
  readonly company: Company
  readonly addSecret: (secret: string) => void
  readonly sleep: (ms: number) => Promise<void>
}

/** Real time within which a request is either answered or listed as waiting. */
const parkingLimitMs = 10_000

/** Longest stretch of virtual time let pass at once for a request that waits. */
const settleStepMs = 1_000

/** Longest virtual time after which a waiting request must have been answered. */
const settleMaxMs = 60_000

const defaultTenantFixture: OrganizationFixture = { keys: [{ keys_write: true }] }

/** Everything a case may do: requests, fixtures, time, telephony, faults, and the checks that it records. */
export class Trial {
  readonly check: Checks
  readonly seed: number
  readonly numbers: Numbers
  readonly #parts: TrialParts
  #names = 0
  readonly #deferred: Array<() => Promise<unknown>> = []

  constructor(parts: TrialParts) {
    this.#parts = parts
    this.check = parts.check
    this.seed = parts.seed
    this.numbers = this.freshNumbers()
  }

  /** A name that nothing else has, in this run or any other on the same server: small letters and digits. */
  fresh(): string {
    this.#names += 1
    return `${this.#parts.nonce}x${this.#parts.freshSeed.toString(36)}x${this.#names.toString(36)}`
  }

  /** Numbers from the beginning of those of this case: a sequence that is tried again asks the same questions. */
  freshNumbers(): Numbers {
    return new Numbers(streamOf(this.#parts.freshSeed))
  }

  /** True when organizations can be made at will. */
  get hasFixtures(): boolean {
    return this.#parts.offered.has("fixtures")
  }

  /** Requests with the key of the run. */
  get primary(): Client {
    return this.#parts.primary
  }

  /** A number that may be rung: one that the run was given, otherwise one that rings nobody and is answered. */
  get recipient(): string {
    return this.#parts.recipients[0] ?? this.numbers.magic("completed", 2)
  }

  /** Requests without a credential. */
  get anonymous(): Client {
    return this.#parts.primary.as(undefined)
  }

  get control(): Control {
    return declared(this.#parts.control, "fixtures")
  }

  get clock(): Clock {
    return declared(this.#parts.clock, "clock")
  }

  /** The time of the server under test as far as it is known, in epoch milliseconds. */
  now(): Promise<number> {
    return this.#parts.clock?.now() ?? Promise.resolve(Date.now())
  }

  /** Scripts for the fake carrier; the rules are dropped when the case ends. */
  get telephony(): Telephony {
    return new Telephony(this.control)
  }

  /** Replaces the telephony rules until the case ends. */
  async rules(rules: Parameters<Telephony["rules"]>[0]): Promise<void> {
    this.defer(() => this.telephony.rules([]))
    await this.telephony.rules(rules)
  }

  /** Breaks a dependency until `restore`, or the end of the case. */
  async breaks(dependency: string, fault: Readonly<Record<string, unknown>>): Promise<void> {
    this.defer(() => this.restores(dependency))
    await this.control.ask("PUT", "/faults", { [dependency]: fault })
  }

  /** Mends a dependency. */
  async restores(dependency: string): Promise<void> {
    await this.control.ask("PUT", "/faults", { [dependency]: null })
  }

  /** A new organization. */
  async organization(fixture: OrganizationFixture = defaultTenantFixture): Promise<Tenant> {
    const made = await makeOrganization(this.control, fixture)
    for (const { key } of made.keys) this.#parts.addSecret(key)
    const clients = made.keys.map(({ key }) => this.#parts.primary.as(key))
    const [client] = clients
    if (client === undefined) throw new Error("an organization of a case needs at least one key")
    const keyIds = made.keys.map(({ keyId }) => keyId)
    return { organizationId: made.organizationId, phoneNumbers: made.phoneNumbers, client, clients, keyIds }
  }

  /** An organization of the case's own where there are fixtures, otherwise that of the run's key. */
  async tenant(): Promise<Tenant> {
    if (this.hasFixtures) return this.organization()
    const client = this.primary
    const me = await client.get("/v2/user/me")
    this.made(me, 200)
    return {
      organizationId: me.string("organization_id"),
      phoneNumbers: [],
      client,
      clients: [client],
      keyIds: [me.string("developer.key_id")],
    }
  }

  /** Remembers a key that the case has minted, so that it is kept out of reports. */
  secret(key: string): void {
    this.#parts.addSecret(key)
  }

  /** Ends the case unless a request that only prepares something was answered as it must be. */
  made(answer: Answer, status: number): Answer {
    if (answer.status === status) return answer
    this.check.broken(
      "setup",
      `preparing the case: expected HTTP ${status}, got HTTP ${answer.status}`,
      answer.exchange,
    )
    throw new Halted("the case could not be prepared")
  }

  /** The same for a request whose status the specification does not show. */
  done(answer: Answer): Answer {
    if (answer.succeeded) return answer
    this.check.broken("setup", `preparing the case: expected a success, got HTTP ${answer.status}`, answer.exchange)
    throw new Halted("the case could not be prepared")
  }

  /** Does something when the case ends, however it ends; the last thing deferred comes first. */
  defer(action: () => Promise<unknown>): void {
    this.#deferred.push(action)
  }

  /** Runs what was deferred. */
  async finish(): Promise<void> {
    for (let action = this.#deferred.pop(); action !== undefined; action = this.#deferred.pop()) await action()
  }

  /** Waits until a request is answered ("settled"), or this many requests wait for time to pass ("parked"). */
  async parked(pending: Promise<unknown>, waiting = 1): Promise<"settled" | "parked"> {
    let settled = false
    const mark = () => {
      settled = true
    }
    pending.then(mark, mark)
    const started = Date.now()
    while (Date.now() - started < parkingLimitMs) {
      await this.#parts.sleep(0)
      if (settled) return "settled"
      if ((await this.clock.waiting()) >= waiting) return "parked"
    }
    if (this.#parts.company === "beside") throw new WantsToBeAlone("the others may have held up a request")
    this.check.broken("answered-or-waiting", "a request was neither answered nor listed as waiting for time to pass")
    throw new Halted("a request hangs")
  }

  /** The answer to a request, letting virtual time pass as far as the request waits for it. */
  async settle(pending: Promise<Answer>): Promise<Answer> {
    const { clock } = this.#parts
    if (clock === undefined || !clock.virtual) return pending
    for (let passed = 0; passed <= settleMaxMs;) {
      if ((await this.parked(pending)) === "settled") return pending
      const [now, due] = [await clock.now(), await clock.nextDue()]
      const step = due === null ? settleStepMs : Math.min(settleStepMs, Math.max(1, due - now))
      await clock.advance(step)
      passed += step
    }
    this.check.broken("settled", `a request was still waiting after ${settleMaxMs} ms of virtual time`)
    throw new Halted("a request hangs")
  }
}

const declared = <T>(part: T | undefined, capability: string): T => {
  if (part === undefined) throw new Error(`the case uses ${capability} without requiring it`)
  return part
}
