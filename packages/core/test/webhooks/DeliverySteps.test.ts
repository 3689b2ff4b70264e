import { NotFound, StateConflict } from "@carillon/core"
import type { Change, Delivery } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { EndpointAttempt } from "../../src/Changes.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { discard, put, refused, unchanged, write } from "../../src/engine/rules/Outcome.ts"
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
import { expiryWakeup, ledgerRows } from "../../src/webhooks/rules/LedgerRows.ts"
import { redeliverEvent } from "../../src/webhooks/steps/Redeliver.ts"
import { replaceDelivery } from "../../src/webhooks/steps/ReplaceDelivery.ts"
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

describe("a delivery", () => {
  const before = sampleDelivery(organization_id, { delivery_id: "dlv_one", revision: 2 })
  const after: Delivery = { ...before, status: "delivered", due_at: null }
  const attempt: EndpointAttempt = {
    put: "endpoint_attempt",
    organization_id,
    subscription_id: "sub_one",
    at: now,
    failure: null,
  }
  const input = { organization_id, before, after, attempt }

  it("is written over the one that was read, with what its endpoint has had", () => {
    const reading = replaceDelivery.reads(input)
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn({ put: "delivery", row: before }), reading))
    assert.deepStrictEqual(expected, [{ kind: "delivery", id: "dlv_one", revision: 2 }])
    const outcome = replaceDelivery.decide(input, view, at)
    assert.deepStrictEqual(outcome, write([put("delivery", before, after), attempt], { reply: true }))
    const { changes, wakeups } = draftOf(organization_id, outcome.changes ?? [], new Grounds(), now)
    assert.deepStrictEqual(changes, [{ put: "delivery", row: { ...after, revision: 3 } }, attempt])
    assert.deepStrictEqual(wakeups, [{ clear: { kind: "delivery", subject: "dlv_one" } }])
  })

  it("stays as somebody else has written it, or is gone", () => {
    for (const standing of [null, { ...before, revision: 3 }]) {
      assert.deepStrictEqual(replaceDelivery.decide(input, standing, at), unchanged(false))
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
