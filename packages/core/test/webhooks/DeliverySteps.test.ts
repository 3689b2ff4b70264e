import { NotFound, StateConflict } from "@carillon/core"
import type { Change, Delivery } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { EndpointAttempt } from "../../src/Changes.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { asks, discard, put, refused, unchanged, write } from "../../src/engine/rules/Outcome.ts"
import {
  sampleAgent,
  sampleCaller,
  sampleDelivery,
  sampleEpoch,
  sampleEvent,
  sampleOrganization,
  sampleSubscription,
} from "../../src/testing/Samples.ts"
import { forgetExpired } from "../../src/webhooks/steps/ForgetExpired.ts"
import { begun, ended, givenUp, outcomeOf } from "../../src/webhooks/rules/Delivery.ts"
import { sendsDelivery } from "../../src/webhooks/rules/DeliveryErrand.ts"
import { expiryWakeup, ledgerRows } from "../../src/webhooks/rules/LedgerRows.ts"
import { redeliverEvent } from "../../src/webhooks/steps/Redeliver.ts"
import { beginAttempt } from "../../src/webhooks/steps/BeginAttempt.ts"
import { endAttempt } from "../../src/webhooks/steps/EndAttempt.ts"
import { giveUpDelivery } from "../../src/webhooks/steps/GiveUpDelivery.ts"
import { routeEvent } from "../../src/webhooks/steps/RouteEvent.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = sampleEpoch + 5_000
const at = momentAt(now)
const event = sampleEvent(organization_id, { event_id: "evt_one", agent_id: "agt_one", revision: 3 })

describe("an event that waits in the outbox", () => {
  const input = {
    organization_id,
    event_id: "evt_one",
    routes: [
      { subscription_id: "sub_one", subscription_revision: 4 },
      { subscription_id: null, subscription_revision: null },
    ],
  }

  it("has a ledger row for each endpoint, on the ground of its row", () => {
    const { expected, view } = Result.getOrThrow(
      readOn(sourcesOn({ put: "event", row: event }), routeEvent.reads(input)),
    )
    assert.deepStrictEqual(expected, [{ kind: "event", id: "evt_one", revision: 3 }])
    const rows = ledgerRows(event, input.routes, at.mint, now, 0)
    assert.deepStrictEqual(
      rows.map(({ due_at, subscription_id, subscription_revision }) => [
        subscription_id,
        subscription_revision,
        due_at,
      ]),
      [
        ["sub_one", 4, now],
        [null, null, now],
      ],
    )
    assert.deepStrictEqual(
      routeEvent.decide(input, view, at),
      write([put("event", event, { ...event, routed_at: now }), ...rows.map((row) => put("delivery", null, row))], {
        wakeups: [expiryWakeup(event.expires_at)],
        reply: undefined,
      }),
    )
  })

  it("goes where nobody listens, unless it is kept for the host; one that was routed stays as it is", () => {
    const nowhere = { ...input, routes: [] }
    const gone = write([discard("event", "evt_one")], { reply: undefined })
    assert.deepStrictEqual(routeEvent.decide(nowhere, event, at), gone)
    const kept = { ...event, kept: true } as const
    assert.lengthOf(routeEvent.decide(nowhere, kept, at).changes ?? [], 1)
    assert.deepInclude(routeEvent.decide(nowhere, kept, at).changes?.[0], { put: "event" })
    for (const known of [null, { ...event, routed_at: 1 }]) {
      assert.deepStrictEqual(routeEvent.decide(input, known, at), unchanged(undefined))
    }
  })
})

describe("an attempt of a delivery", () => {
  const before = sampleDelivery(organization_id, { delivery_id: "dlv_one", revision: 2, subscription_id: "sub_one" })
  const dispatch = { callback_host: "example.com", method_type: "POST", signed: false } as const
  const attempted = { organization_id, delivery: before, dispatch, target: null, body: "{}" }
  const sent: Delivery = { ...begun(before, dispatch, now), revision: 3 }

  it("is written to have begun, and then made; how it ends is asked for", () => {
    const reading = beginAttempt.reads(attempted)
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn({ put: "delivery", row: before }), reading))
    assert.deepStrictEqual(expected, [{ kind: "delivery", id: "dlv_one", revision: 2 }])
    const outcome = beginAttempt.decide(attempted, view, at)
    assert.deepStrictEqual(outcome, asks(sendsDelivery(sent, null, "{}"), [put("delivery", before, sent)]))
  })

  it("ends as its endpoint has answered, which is counted there", () => {
    const ends = {
      organization_id,
      delivery: sent,
      outcome: outcomeOf({ _tag: "Answered", http_status: 204 }),
      at: now,
    }
    const counted: EndpointAttempt = {
      put: "endpoint_attempt",
      organization_id,
      subscription_id: "sub_one",
      at: now,
      failure: null,
    }
    const reading = endAttempt.reads(ends)
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn({ put: "delivery", row: sent }), reading))
    assert.deepStrictEqual(expected, [{ kind: "delivery", id: "dlv_one", revision: 3 }])
    const outcome = endAttempt.decide(ends, view, at)
    const { changes, wakeups } = draftOf(organization_id, outcome.changes ?? [], new Grounds(), now)
    const after = { ...ended(sent, { started_at: now, lost_at: 0 }, ends.outcome, now), revision: 4 }
    assert.deepStrictEqual(changes, [{ put: "delivery", row: after }, counted])
    assert.deepStrictEqual(outcome.answer, Result.succeed("delivered"))
    assert.deepStrictEqual(wakeups, [{ clear: { kind: "delivery", subject: "dlv_one" } }])
    const failing = { ...ends, outcome: outcomeOf({ _tag: "Answered", http_status: 500 }) }
    const failure = { at: now, http_status: 500, error_class: "http_error" as const }
    assert.deepStrictEqual(endAttempt.decide(failing, sent, at).changes?.[1], { ...counted, failure })
    // An agent's own URL has no health.
    const own = { ...sent, subscription_id: null }
    assert.lengthOf(endAttempt.decide({ ...ends, delivery: own }, own, at).changes ?? [], 1)
  })

  it("is none any more where the delivery is given up", () => {
    const giving = { organization_id, delivery: before, why: "The event has expired." }
    const outcome = giveUpDelivery.decide(giving, before, at)
    assert.deepStrictEqual(outcome, write([put("delivery", before, givenUp(before, giving.why))], { reply: undefined }))
  })

  it("leaves a delivery as somebody else has written it, or that is gone: nothing is sent", () => {
    const outcome = outcomeOf({ _tag: "Refused" })
    for (const standing of [null, { ...sent, revision: 9 }]) {
      assert.deepStrictEqual(beginAttempt.decide(attempted, standing, at), unchanged("overtaken"))
      assert.deepStrictEqual(
        endAttempt.decide({ organization_id, delivery: sent, outcome, at: now }, standing, at),
        unchanged("overtaken"),
      )
      assert.deepStrictEqual(
        giveUpDelivery.decide({ organization_id, delivery: before, why: "" }, standing, at),
        unchanged(undefined),
      )
    }
  })
})

describe("an event that is sent once more", () => {
  const caller = sampleCaller(organization_id)
  const before = sampleDelivery(organization_id, {
    delivery_id: "dlv_one",
    event_id: "evt_one",
    agent_id: "agt_one",
    subscription_id: "sub_one",
  })
  const subscription = sampleSubscription(organization_id, "agt_one", {
    subscription_id: "sub_one",
    revision: 7,
    enabled: true,
    disabled_after: 5,
  })
  const input = { caller, delivery_id: "dlv_one", allowed: [] }
  const rows: ReadonlyArray<Change> = [
    { put: "organization", row: sampleOrganization(organization_id) },
    { put: "agent", row: sampleAgent(organization_id, { agent_id: "agt_one" }) },
    { put: "subscription", row: subscription },
    { put: "event", row: event },
    { put: "delivery", row: before },
  ]

  const sent = (changes: ReadonlyArray<Change>, of = input) => {
    const read = readOn(sourcesOn(...rows, ...changes), redeliverEvent.reads(of))
    return Result.map(read, ({ expected, view }) => {
      assert.deepStrictEqual(expected, [])
      return redeliverEvent.decide(of, view, at)
    })
  }

  it("is a new delivery of it to the same endpoint, and rests on nothing that was read", () => {
    const outcome = Result.getOrThrow(sent([]))
    const [change] = outcome.changes ?? []
    assert(change?.put === "delivery")
    assert.isNull(change.before)
    assert.deepInclude(change.row, { event_id: "evt_one", subscription_id: "sub_one", status: "pending", due_at: now })
    assert.strictEqual(change.row.subscription_revision, 7)
    assert.deepStrictEqual(outcome.audit, [
      {
        resource: { type: "webhook_delivery", id: change.row.delivery_id },
        details: { event_id: "evt_one", delivery_id: "dlv_one" },
      },
    ])
    assert.deepStrictEqual(outcome.wakeups, [expiryWakeup(change.row.expires_at)])
    const again = Result.getOrThrow(sent([])).changes?.[0]
    assert(again?.put === "delivery")
    assert.notStrictEqual(again.row.delivery_id, change.row.delivery_id)
  })

  it("is refused where the delivery or its event is gone, and where its endpoint takes nothing any more", () => {
    const notFound = new NotFound({ message: "Delivery not found." })
    const stranger = { ...input, caller: sampleCaller("org_two") }
    assert.deepStrictEqual(sent([], stranger), Result.fail(notFound))
    assert.deepStrictEqual(
      sent([{ put: "delivery", row: { ...before, expires_at: now } }]),
      Result.succeed(refused(notFound)),
    )
    const stopped = (message: string) => Result.succeed(refused(new StateConflict({ message })))
    // The ledger still shows the delivery: then it is not said to be unknown.
    const gone: ReadonlyArray<Change> = [
      { put: "event", row: { ...event, erased: true } },
      { put: "discard", organization_id, kind: "event", id: "evt_one" },
    ]
    for (const change of gone) {
      assert.deepStrictEqual(
        sent([change]),
        stopped("The event of this delivery is not kept any more, so it cannot be sent again."),
      )
    }
    assert.deepStrictEqual(
      sent([{ put: "subscription", row: { ...subscription, enabled: false } }]),
      stopped("The subscription was disabled."),
    )
    assert.deepStrictEqual(
      sent([{ put: "delivery", row: { ...before, subscription_id: null } }]),
      stopped("The agent has no webhook URL any more."),
    )
  })
})

it("what has expired goes, whatever its revision", () => {
  const input = { organization_id, deliveries: ["dlv_one"], events: ["evt_one"] }
  assert.deepStrictEqual(
    forgetExpired.decide(input, [], at),
    write([discard("delivery", "dlv_one"), discard("event", "evt_one")], { reply: undefined }),
  )
})
