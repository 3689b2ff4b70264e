import { assert, describe, it } from "@effect/vitest"
import { Subscriptions } from "@carillon/core"
import { Hash } from "@carillon/core/domain"
import type { Delivery, WebhookEvent } from "@carillon/core/ports"
import { Effect } from "effect"
import Stripe from "stripe"
import { restart } from "../../src/testing/world/Plans.ts"
import type { Reaction } from "../../src/testing/world/Endpoints.ts"
import { agentId, caller, ordinary, type Script, World } from "../../src/testing/world/World.ts"

/** How many worlds are tried; a long run sets the variable. */
const seeds = Number(process.env["CARILLON_STORM_SEEDS"] ?? 4)

const secrets = ["whsec_first", "whsec_second", null] as const

/** An endpoint for each kind of trouble. */
const endpoints = ["good", "failing", "hanging", "flapping", "late", "broken"] as const

const reaction = (seed: number, name: (typeof endpoints)[number], nth: number): Reaction => {
  const ok = { _tag: "Answered", http_status: 204 } as const
  switch (name) {
    case "good":
      return { answer: ok, afterMs: Hash.hash32(seed, "good", nth) % 200 }
    case "failing":
      return { answer: { _tag: "Answered", http_status: 500 } }
    case "hanging":
      return { answer: ok, afterMs: Infinity }
    case "flapping":
      return { answer: Hash.unit(seed, "flap", nth) < 0.5 ? ok : { _tag: "Answered", http_status: 302 } }
    case "late":
      return { answer: ok, afterMs: 29_000 + (Hash.hash32(seed, "late", nth) % 2_000) }
    case "broken":
      return { answer: { _tag: "Failed", error_class: "connect_error" } }
  }
}

const scripts: ReadonlyArray<Script> = [
  ordinary,
  {
    reports: [
      [300, "initiated"],
      [900, "ringing"],
      [2_000, "final"],
      [2_100, "ended"],
      [2_200, "final"],
    ],
  },
  {
    reports: [
      [300, "initiated"],
      [500, "answered"],
      [700, "ringing"],
      [9_000, "final"],
      [700_000, "analysis"],
    ],
  },
  {
    reports: [
      ...(ordinary.reports ?? []),
      [15_000, "ended"],
      [17_000, "final"],
      [18_000, "analysis"],
      [60_000, "corrected"],
    ],
  },
]

interface Tally {
  events: number
  deliveries: number
  attempts: number
  crashes: number
  delivered: number
}

/** The last event of a call leaves for an endpoint once every other of the call has been attempted there; only corrections come later. */
const assertLast = (deliveries: ReadonlyArray<Delivery>): void => {
  for (const last of deliveries.filter(({ event_type }) => event_type === "all_processing_completed")) {
    const leftAt = last.attempts[0]?.started_at ?? Infinity
    for (const other of deliveries) {
      const isBeside = other.execution_id === last.execution_id && other.subscription_id === last.subscription_id
      if (!isBeside || other === last || other.event_type === "call_corrected") continue
      const [first] = other.attempts
      const over = (first?.started_at ?? Infinity) + (first?.duration_ms ?? 0)
      assert.isAtLeast(leftAt, over, `${last.event_id} overtook ${other.event_id}`)
    }
  }
}

/** One world with every kind of endpoint, a few calls, and a process that dies again and again. */
const storm = Effect.fnUntraced(function* (seed: number, tally: Tally) {
  const world = new World({
    script: ({ execution_id }) => scripts[Hash.hash32(seed, execution_id) % scripts.length] ?? ordinary,
  })
  world.endpoints.react = ({ destination }, nth) => {
    const name = endpoints.find((known) => destination.hostname.startsWith(known)) ?? "good"
    return reaction(seed, name, nth)
  }
  const events = new Map<string, WebhookEvent>()
  world.tables.onCommit((commit) => {
    for (const change of commit.changes) {
      if (change.put !== "event") continue
      const known = events.get(change.row.event_id)
      assert.strictEqual(change.row.body, known?.body ?? change.row.body)
      events.set(change.row.event_id, change.row)
    }
  })
  yield* world.start()
  const secretOf = new Map<string, string | null>()
  for (const [index, name] of endpoints.entries()) {
    const secret = secrets[index % secrets.length] ?? null
    const { subscription_id } = yield* world.run(
      Effect.flatMap(Subscriptions, (subscriptions) =>
        subscriptions.create(caller, {
          callback_url: `https://${name}.inbox.test/hook`,
          agent_id: agentId,
          secret,
          event_types: ["all_processing_completed", "call_completed", "call_started", "call_corrected"],
        }),
      ),
    )
    secretOf.set(subscription_id, secret)
  }
  const started = world.now
  for (let step = 0; world.now < started + 20 * 60_000; step++) {
    if (step < 6) yield* world.place({ to_number: `+1555555${1000 + step}` })
    // A process may die between any two commits, in the middle of an attempt too.
    let left = Hash.hash32(seed, "commits", step) % 25
    const stop = world.tables.onCommit(() => {
      left -= 1
      if (left === 0) world.kill()
    })
    yield* world.advance(1 + (Hash.hash32(seed, "advance", step) % 40_000))
    stop()
    if (left > 0) continue
    tally.crashes += 1
    yield* restart(world)
  }

  yield* world.advance(10 * 60_000)
  const deliveries = new Map<string, Delivery>()
  const perEvent = new Map<string, number>()
  for (const commit of world.commits) {
    for (const change of commit.changes)
      if (change.put === "delivery") deliveries.set(change.row.delivery_id, change.row)
  }
  for (const delivery of deliveries.values()) {
    perEvent.set(delivery.event_id, (perEvent.get(delivery.event_id) ?? 0) + 1)
    assert.include(["delivered", "failed"], delivery.status)
    assert.isAtMost(delivery.attempts.length, 4)
    assert.isAtLeast(delivery.attempts.length, 1)
    assert.deepStrictEqual(
      delivery.attempts.map(({ attempt }) => attempt),
      delivery.attempts.map((_, index) => index + 1),
    )
    tally.attempts += delivery.attempts.length
    tally.delivered += delivery.status === "delivered" ? 1 : 0
  }
  for (const event of events.values()) {
    assert.isNotNull(event.routed_at)
    assert.strictEqual(perEvent.get(event.event_id), endpoints.length)
  }
  const sent = new Map<string, number>()
  for (const { at, request } of world.endpoints.received) {
    const headers = new Map(request.headers)
    const delivery = deliveries.get(headers.get("X-Service-Delivery-Id") ?? "")
    assert.isDefined(delivery)
    sent.set(delivery.delivery_id, (sent.get(delivery.delivery_id) ?? 0) + 1)
    assert.strictEqual(request.body, events.get(delivery.event_id)?.body)
    assert.strictEqual(JSON.parse(request.body).event_id, delivery.event_id)
    const secret = secretOf.get(delivery.subscription_id ?? "") ?? null
    const signature = headers.get("X-Service-Signature")
    assert.strictEqual(signature === undefined, secret === null)
    assert.strictEqual(delivery.signed, secret !== null)
    if (secret !== null && signature !== undefined) {
      Stripe.webhooks.constructEvent(request.body, signature, secret, 300, undefined, at)
    }
  }
  for (const count of sent.values()) assert.isAtMost(count, 4)
  assertLast([...deliveries.values()])
  const completions = new Map<string, Array<string>>()
  for (const { event_type, execution_id } of events.values()) {
    completions.set(execution_id, [...(completions.get(execution_id) ?? []), event_type])
  }
  assert.isAtLeast(completions.size, 1)
  for (const types of completions.values()) {
    for (const type of ["all_processing_completed", "call_completed"]) {
      assert.strictEqual(types.filter((each) => each === type).length, 1)
    }
  }
  tally.events += events.size
  tally.deliveries += deliveries.size
})

describe("a storm of failing endpoints and dying processes", () => {
  it.effect(
    `loses no event and changes none, over ${seeds} seeds`,
    () =>
      Effect.gen(function* () {
        const tally: Tally = { events: 0, deliveries: 0, attempts: 0, crashes: 0, delivered: 0 }
        for (let seed = 1; seed <= seeds; seed++) yield* Effect.scoped(storm(seed, tally))
        assert.isAbove(tally.crashes, seeds / 4)
        if (process.env["CARILLON_STORM_SEEDS"] !== undefined) console.info(tally)
      }),
    120_000 + seeds * 5_000,
  )
})
