import { Data, Effect } from "effect"
import type { Agent } from "../agents/rules/Agent.ts"
import { canPlaceCalls } from "../agents/rules/AgentStatus.ts"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { Callees } from "../callees/Callees.ts"
import { type CallScope, suppressedMessage, suppressionOf } from "../callees/rules/Suppression.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { raised } from "../engine/rules/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { directSubject } from "../experiments/rules/Assignment.ts"
import { Experiments, isRoutedSo } from "../experiments/Experiments.ts"
import { limits } from "../Limits.ts"
import type { WithheldReason } from "../metrics/rules/Catalogue.ts"
import { Withheld } from "../operating/Withheld.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { Funds } from "../organizations/ports/Funds.ts"
import { Wallets } from "../organizations/Wallets.ts"
import type { Call } from "./rules/Call.ts"
import { dialBooked } from "./steps/DialBooked.ts"
import type { DialGrounds } from "./rules/DialGrounds.ts"
import { Dialler } from "./Dialler.ts"
import { agentFacts, neverRings } from "./rules/PlaceCall.ts"
import { rebookCall } from "./steps/RebookCall.ts"
import { ringHours } from "./RingHours.ts"
import { cappedBy, type Instead, restCall, undialCall } from "./steps/UndialledCall.ts"

const callerIdGone = "The phone number to call from is not registered to the organization any more."

/** An agent was changed, or a calling window was shut, while a booked call waited for its line. */
class Outdated extends Data.TaggedError("Outdated")<{}> {}

/** A booked call that is due, and nothing is against its dial. */
interface DueCall {
  /** As it was read. */
  readonly call: Call
  /** As it goes on from the row that the dial writes: who makes it, by which experiment. */
  readonly routed: Call
  /** The agent that was asked for. */
  readonly control: Agent
  readonly grounds: DialGrounds
}

const scopeOf = ({ campaign_id }: Call, agents: ReadonlyArray<Pick<Agent, "agent_id">>): CallScope => ({
  campaign_id,
  agent_ids: agents.map(({ agent_id }) => agent_id),
})

/** What becomes of booked calls that are due and are not dialled. */
const makeUndialled = Effect.gen(function* () {
  const told = yield* Withheld
  const steps = yield* Steps
  const callees = yield* Callees

  const undial = ({ execution_id, organization_id, to_number }: Call, scope: CallScope, instead: Instead) =>
    Effect.map(steps.take(undialCall, { organization_id, execution_id, to_number, scope, instead }), (isKnown) => {
      if (isKnown) callees.met(organization_id)
    })

  const withheld = ({ organization_id }: Call, reason: WithheldReason) => told.note(organization_id, "booked", reason)

  return {
    undial,
    withheld,
    /** Ends a call, and counts it. */
    end: (call: Call, reason: WithheldReason, error: string, scope: CallScope = scopeOf(call, [call])) => {
      const status = reason === "wallet" ? "balance-low" : "error"
      return Effect.andThen(undial(call, scope, { _tag: "Ends", status, error }), withheld(call, reason))
    },
  }
})

/** Whether the wallet carries booked calls; where the account is not there, it does. */
const makeIsPaidFor = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const funds = yield* Funds
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* ({ organization_id, to_number }: Call) {
    const organization = yield* accounts.organization(organization_id)
    if (organization === null) return true
    const isOpen = yield* wallets.open(organization)
    return isOpen && (yield* funds.covers(organization, { to_number, direct: false }))
  })
})

/** Judges booked calls that are due: what is against the dial of one is done about it, and then there is nothing to dial. */
const makeJudging = Effect.fnUntraced(function* (
  { end, withheld }: Effect.Success<typeof makeUndialled>,
  isPaidFor: Effect.Success<typeof makeIsPaidFor>,
) {
  const agents = yield* AgentStore
  const experiments = yield* Experiments
  const accounts = yield* AccountStore
  const steps = yield* Steps
  const clock = yield* DomainClock
  const callees = yield* Callees

  return Effect.fnUntraced(function* (call: Call) {
    const { execution_id, organization_id } = call
    const control = yield* agents.find(organization_id, yield* experiments.addressed(call))
    if (control === null || !canPlaceCalls(control.status)) {
      yield* end(call, "agent", "The agent was not active.")
      return null
    }
    const { agent, routing, ...experiment } = yield* experiments.route(control, directSubject(call.to_number))
    const both = [control, agent] as const
    // It may come late, or the window may have been changed since it was booked.
    const dueAt = clock.now()
    const { binding, hours, ring } = yield* ringHours(callees, call, both, dueAt)
    if (ring === null) {
      yield* end(call, "hours", neverRings(both, execution_id, dueAt))
      return null
    }
    if (ring.deferred) {
      yield* steps.take(rebookCall, { organization_id, execution_id, agent: control, at: ring.at })
      yield* withheld(call, "hours")
      return null
    }
    const callee = yield* callees.look(call)
    const scope = scopeOf(call, both)
    if (call.overrides_suppression !== true && suppressionOf(callee.callee, scope, clock.now()) !== null) {
      yield* end(call, "suppressed", suppressedMessage, scope)
      return null
    }
    if (cappedBy(call, callee.callee, hours.setting?.caps, clock.now()) !== null) {
      const { to_number } = call
      yield* steps.take(restCall, { organization_id, execution_id, to_number, agent: control, agents: both, binding })
      yield* withheld(call, "caps")
      return null
    }
    if (!(yield* isPaidFor(call))) {
      yield* end(call, "wallet", "", scope)
      return null
    }
    const number = call.from_number === null ? null : yield* accounts.number(organization_id, call.from_number)
    if (number === null && call.from_number !== null) {
      yield* end(call, "caller_id", callerIdGone, scope)
      return null
    }
    const grounds = {
      agents: both,
      routing,
      callee,
      hours,
      callerId: number === null ? [] : [number],
      until: ring.until,
    } satisfies DialGrounds
    const routed: Call = raised(call, { ...call, ...agentFacts(agent), ...experiment })
    return { call, routed, control, grounds } satisfies DueCall
  })
})

/** Looks once more at what the dial of a booked call rests on, which had to wait for its line. */
const makeSecondLook = Effect.fnUntraced(function* (isPaidFor: Effect.Success<typeof makeIsPaidFor>) {
  const agents = yield* AgentStore
  const experiments = yield* Experiments
  const accounts = yield* AccountStore
  const clock = yield* DomainClock

  const outdated = Effect.fnUntraced(function* (agent: Agent) {
    const row = yield* agents.find(agent.organization_id, agent.agent_id)
    if (row?.revision !== agent.revision) return yield* new Outdated()
  })

  return Effect.fnUntraced(function* ({ call, control, grounds, routed }: DueCall) {
    for (const agent of grounds.agents) yield* outdated(agent)
    const route = yield* experiments.route(control, directSubject(call.to_number))
    if (!isRoutedSo(routed, route)) return yield* new Outdated()
    for (const { phone_number, revision } of grounds.callerId) {
      const now = yield* accounts.number(call.organization_id, phone_number)
      if (now?.revision !== revision) return yield* new Outdated()
    }
    if (clock.now() >= grounds.until || !(yield* isPaidFor(call))) return yield* new Outdated()
  })
})

/**
 * Dials booked calls that are due, or sees to what becomes of them instead. Answers whether one is to be judged anew at once: its row stands as it
 * was, and what its dial rests on has changed meanwhile.
 */
export const makeDueCalls = Effect.gen(function* () {
  const dialler = yield* Dialler
  const steps = yield* Steps
  const clock = yield* DomainClock
  const callees = yield* Callees
  const undialled = yield* makeUndialled
  const isPaidFor = yield* makeIsPaidFor
  const judge = yield* makeJudging(undialled, isPaidFor)
  const stillStands = yield* makeSecondLook(isPaidFor)

  const dial = (due: DueCall) => {
    const { call, control, grounds, routed } = due
    const { organization_id } = call
    return dialler
      .dial(routed, { waitMs: limits.queuedDialWaitMs, until: grounds.until, again: stillStands(due) }, (lined) =>
        steps.drafted(dialBooked, { organization_id, before: call, ...grounds, ...lined }),
      )
      .pipe(
        Effect.as(false),
        Effect.catchTag(["Outdated", "Conflict"], () => Effect.succeed(true)),
        Effect.catchTag("LimitExceeded", () => {
          const again = clock.now() + limits.rescheduleMs
          return Effect.flatMap(ringHours(callees, call, grounds.agents, again, true), ({ ring }) => {
            const instead = { _tag: "Rebooked", agent: control, at: ring?.at ?? again } as const
            return Effect.as(undialled.undial(call, scopeOf(call, grounds.agents), instead), false)
          })
        }),
      )
  }

  return (call: Call) => Effect.flatMap(judge(call), (due) => (due === null ? Effect.succeed(false) : dial(due)))
})
