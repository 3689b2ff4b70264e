import { Effect, Layer } from "effect"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import type { Call } from "../calls/rules/Call.ts"
import { isTerminal } from "../calls/rules/CallStatus.ts"
import { CallStore } from "../calls/ports/CallStore.ts"
import { CampaignStore } from "../campaigns/ports/CampaignStore.ts"
import type { CommitDraft } from "../engine/rules/Commit.ts"
import type { DomainEvent } from "../Changes.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { Outbox } from "../engine/ports/Outbox.ts"
import { put } from "../engine/rules/Put.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { currencyOf } from "../organizations/Currency.ts"
import type { EventType } from "./rules/EventType.ts"
import { KeepEvents } from "./KeptEvents.ts"
import { ledgerRows, routing } from "./rules/LedgerRows.ts"
import { type PayloadContext, payloadOf } from "./rules/Payload.ts"
import { Routing } from "./Routing.ts"
import { agentUrlOf } from "./rules/AgentUrl.ts"
import { routesOf } from "./rules/Subscription.ts"
import { eventIdOf, type WebhookEvent } from "./rules/WebhookEvent.ts"

/**
 * What is raised together is sent together, in whatever order the rows come over the network; the event that is to be the last of its call
 * (decision on event types) therefore goes out a millisecond behind the others.
 */
const lagOf = (type: EventType, together: number): number =>
  type === "all_processing_completed" && together > 1 ? 1 : 0

const callIn = (draft: CommitDraft, executionId: string): Call | null => {
  for (const change of draft.changes ?? []) {
    if (change.put === "call" && change.row.execution_id === executionId) return change.row
  }
  return null
}

/** The part of a commit that keeps an event of which nobody can say where it goes; it is routed as soon as somebody can. */
const kept = (row: WebhookEvent, lagMs: number): Required<Pick<CommitDraft, "changes" | "wakeups">> => ({
  changes: [put("event", null, row)],
  wakeups: [{ set: { kind: "event", subject: row.event_id, at: row.raised_at + lagMs } }],
})

/** Seals the events of commits into rows of events and of deliveries. */
export const outboxLayer = Layer.effect(
  Outbox,
  Effect.gen(function* () {
    const routes = yield* Routing
    const clock = yield* DomainClock
    const ids = yield* Ids
    const agents = yield* AgentStore
    const calls = yield* CallStore
    const accounts = yield* AccountStore
    const campaigns = yield* CampaignStore
    const keeps = yield* KeepEvents

    const agentOf = (call: Call) =>
      Effect.catch(agents.find(call.organization_id, call.agent_id), () => Effect.succeed(undefined))

    /** The call's earlier attempts as stored, and itself as it is about to be. */
    const attemptsOn = Effect.fnUntraced(function* (call: Call) {
      if (call.contact_id === null) return [call]
      const page_size = limits.payloadAttemptsAtOnce
      const known: Array<Call> = []
      for (let page = 1; known.length < limits.payloadAttempts; page++) {
        const filter = { contact_id: call.contact_id }
        const { items } = yield* calls.page(call.organization_id, filter, { page, page_size })
        known.push(...items)
        if (items.length < page_size) break
      }
      const stored = known.filter(({ execution_id }) => execution_id !== call.execution_id).toReversed()
      const later = stored.findIndex(({ created_at }) => created_at > call.created_at)
      return later < 0 ? [...stored, call] : stored.toSpliced(later, 0, call)
    })

    const mediaOf = Effect.fnUntraced(function* (draft: CommitDraft, call: Call) {
      for (const change of draft.changes ?? []) {
        if (change.put === "call_media" && change.row.execution_id === call.execution_id) return change.row
      }
      return isTerminal(call.status) ? yield* calls.media(call.organization_id, call.execution_id) : null
    })

    const contextOf = Effect.fnUntraced(function* (draft: CommitDraft, call: Call) {
      const campaign = call.campaign_id === null ? null : yield* campaigns.locate(call.campaign_id)
      const context: PayloadContext = {
        timezone: campaign?.timezone ?? null,
        currency: call.cost?.currency ?? (yield* currencyOf(accounts.organization(call.organization_id))),
        media: yield* mediaOf(draft, call),
        attempts: yield* attemptsOn(call),
      }
      return context
    })

    const frozen = (event: DomainEvent, call: Call, context: PayloadContext): WebhookEvent => {
      const event_id = eventIdOf(event.execution_id, event.type, event.sequence)
      const payload = payloadOf(
        { event_id, event_type: event.type, at: event.at, correction: event.correction },
        call,
        context,
      )
      return {
        event_id,
        organization_id: event.organization_id,
        revision: 1,
        event_type: event.type,
        execution_id: event.execution_id,
        agent_id: call.agent_id,
        body: JSON.stringify(payload),
        raised_at: event.at,
        routed_at: null,
        expires_at: event.at + limits.eventRetentionMs,
        ...(keeps ? { kept: true } : {}),
      }
    }

    const sealed = Effect.fnUntraced(function* (draft: CommitDraft, events: ReadonlyArray<DomainEvent>) {
      const [first] = events
      const call = first === undefined ? null : callIn(draft, first.execution_id)
      if (call === null) return draft
      const agent = yield* agentOf(call)
      const listeners = yield* Effect.catch(routes.listeners(call.organization_id, call.agent_id), () =>
        Effect.succeed(null),
      )
      const goesTo = ({ type }: DomainEvent) =>
        listeners === null || agent === undefined ? null : routesOf(listeners, agentUrlOf(agent), type)
      const heard = events.flatMap((event) => {
        const to = goesTo(event)
        return to === null || to.length > 0 || keeps ? [{ event, to }] : []
      })
      if (heard.length === 0) return draft
      const context = yield* contextOf(draft, call)
      const parts = heard.map(({ event, to }) => {
        const row = frozen(event, call, context)
        const lagMs = lagOf(row.event_type, heard.length)
        if (to === null) return kept(row, lagMs)
        const now = clock.now()
        return routing(row, ledgerRows(row, to, ids.mint, now, lagMs), now)
      })
      return {
        ...draft,
        changes: [...(draft.changes ?? []), ...parts.flatMap(({ changes }) => changes)],
        wakeups: [...(draft.wakeups ?? []), ...parts.flatMap(({ wakeups }) => wakeups)],
      }
    })

    return Outbox.of({
      seal: (draft) =>
        draft.events === undefined || draft.events.length === 0 ? Effect.succeed(draft) : sealed(draft, draft.events),
    })
  }),
)
