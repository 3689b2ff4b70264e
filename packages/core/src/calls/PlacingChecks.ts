import { Effect } from "effect"
import type { Agent } from "../agents/rules/Agent.ts"
import { noSuchAgent } from "../agents/steps/AgentReads.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { cappedMessage, cappedUntil } from "../callees/rules/CallCaps.ts"
import type { Callee } from "../callees/rules/Callee.ts"
import { Callees } from "../callees/Callees.ts"
import type { SeenHours } from "../callees/rules/SeenCallee.ts"
import { suppressedMessage, suppressionOf } from "../callees/rules/Suppression.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { DependencyUnavailable, InsufficientCredits, KeyInactive, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { isRevoked } from "../keys/steps/Holder.ts"
import type { WithheldReason } from "../metrics/rules/Catalogue.ts"
import { callerIdNamed } from "../numbers/steps/CallerIds.ts"
import { Withheld } from "../operating/Withheld.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { Funds } from "../organizations/ports/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import type { Call } from "./rules/Call.ts"
import { recordUnpaid } from "./steps/RecordUnpaid.ts"
import { type AskedRing, ringHours } from "./RingHours.ts"

/** Refuses calls that are asked for, and counts each that is not dialled, or not booked. */
const makeRefusals = Effect.gen(function* () {
  const told = yield* Withheld

  const withheld = (
    { organization_id, scheduled_at }: Pick<Call, "organization_id" | "scheduled_at">,
    reason: WithheldReason,
  ) => told.note(organization_id, scheduled_at === null ? "direct" : "booked", reason)

  return {
    /** Counts a call that is not dialled, or not booked. */
    withheld,
    refused: <E>(call: Parameters<typeof withheld>[0], reason: WithheldReason, error: E) =>
      Effect.andThen(withheld(call, reason), Effect.fail(error)),
  }
})

/** What is known of whom a call is to. */
const makeCalleeChecks = Effect.fnUntraced(function* ({ refused }: Effect.Success<typeof makeRefusals>) {
  const callees = yield* Callees
  const clock = yield* DomainClock

  /** Refuses a call at a time to a number that is suppressed then. */
  const unsuppressed = (callee: Callee | null, call: Call, agents: ReadonlyArray<Agent>, at: number) => {
    const agent_ids = agents.map(({ agent_id }) => agent_id)
    return suppressionOf(callee, { campaign_id: call.campaign_id, agent_ids }, at) === null
      ? Effect.void
      : refused(call, "suppressed", new StateConflict({ message: suppressedMessage }))
  }

  return {
    /** Refuses a call that is booked for a time at which its number is suppressed, unless that is overridden. */
    bookable: Effect.fnUntraced(function* (call: Call, agents: ReadonlyArray<Agent>, at: number) {
      if (call.overrides_suppression === true) return
      yield* unsuppressed(yield* callees.read(call), call, agents, at)
    }),
    /** Whom a call is made to now, who must neither be suppressed nor have been called too often, unless that is overridden. */
    calleeOf: Effect.fnUntraced(function* (call: Call, agents: ReadonlyArray<Agent>, { setting }: SeenHours) {
      const seen = yield* callees.look(call)
      if (call.overrides_suppression !== true) yield* unsuppressed(seen.callee, call, agents, clock.now())
      if (call.overrides_call_caps === true) return seen
      const until = cappedUntil(seen.callee, setting?.caps, clock.now())
      return until === null ? seen : yield* refused(call, "caps", new StateConflict({ message: cappedMessage(until) }))
    }),
    /** Refuses what is not dialled where its number is suppressed, whether or not a callee was met. */
    surelyUnsuppressed: Effect.fnUntraced(function* (call: Call, agents: ReadonlyArray<Agent>) {
      if (call.overrides_suppression === true) return
      const { callee } = yield* callees.sure(call)
      yield* unsuppressed(callee, call, agents, clock.now())
    }),
    /** When a call may ring, and the hours that it rests on. */
    ringOf: (...asked: AskedRing) => ringHours(callees, ...asked),
  }
})

/** Who pays for a call that is dialled now. */
const makeFunding = Effect.fnUntraced(function* ({ refused }: Effect.Success<typeof makeRefusals>) {
  const accounts = yield* AccountStore
  const wallets = yield* Wallets
  const funds = yield* Funds
  const callees = yield* Callees
  const steps = yield* Steps

  const accountOf = (organizationId: string) =>
    Effect.flatMap(accounts.organization(organizationId), (organization) =>
      organization === null
        ? Effect.fail(new DependencyUnavailable({ dependency: "account_service" }))
        : Effect.succeed(organization),
    )

  /** Refuses a direct dial that the wallet does not carry, and keeps a record of it. */
  return Effect.fnUntraced(function* (caller: Caller, call: Call, agents: ReadonlyArray<Agent>) {
    const organization = yield* accountOf(caller.organization_id)
    const isOpen = yield* wallets.open(organization)
    if (isOpen && (yield* funds.covers(organization, { to_number: call.to_number, direct: true }))) return
    const agent_ids = agents.map(({ agent_id }) => agent_id)
    const isKnown = yield* Effect.catchTag(
      steps.take(recordUnpaid, { caller, call, agent_ids }),
      "StateConflict",
      (error) => {
        callees.met(call.organization_id)
        return refused(call, "suppressed", error)
      },
    )
    if (isKnown) callees.met(call.organization_id)
    return yield* refused(call, "wallet", new InsufficientCredits())
  })
})

/** What a call that is asked for is held against. */
export const makePlacingChecks = Effect.gen(function* () {
  const agents = yield* AgentStore
  const steps = yield* Steps
  const refusals = yield* makeRefusals
  const ofCallee = yield* makeCalleeChecks(refusals)
  const paidFor = yield* makeFunding(refusals)

  return {
    ...refusals,
    ...ofCallee,
    paidFor,
    /** Refuses whose key was revoked since it was judged. While nobody can say, it is served, as any known key is. */
    heldStill: (caller: Caller) =>
      steps
        .look(() => isRevoked(caller))
        .pipe(
          Effect.catch(() => Effect.succeed(false)),
          Effect.filterOrFail(
            (revoked) => !revoked,
            () => new KeyInactive(),
          ),
        ),
    agentOf: (organizationId: string, agentId: string) =>
      Effect.flatMap(agents.find(organizationId, agentId), (agent) =>
        agent === null ? Effect.fail(noSuchAgent) : Effect.succeed(agent),
      ),
    /** The number to call from, which must be the organization's; nothing where none is named. */
    callerIdOf: (organizationId: string, fromNumber: string | null) =>
      steps.look(() => callerIdNamed(organizationId, fromNumber)),
  }
})

export type PlacingChecks = Effect.Success<typeof makePlacingChecks>
