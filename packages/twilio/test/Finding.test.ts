import { assert, describe, it } from "@effect/vitest"
import { type Call, Telephony } from "@carillon/core"
import { CallStore } from "@carillon/core/ports"
import { MemoryStore, MemoryTables } from "@carillon/core/memory"
import { sampleCall } from "@carillon/core/testing"
import { Effect, Layer } from "effect"
import { bounds } from "../src/Bounds.ts"
import { endOfLeg } from "../src/CallWords.ts"
import { chosenOf, proofOf } from "../src/Finding.ts"
import { LegBook, legOfRow } from "../src/LegBook.ts"
import { publicUrl } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

type World = ReturnType<typeof staged>

const number = "+12125550102"

/** A dial whose answer got lost, and whose callbacks do not arrive. */
const lost = Effect.fnUntraced(function* ({ farEnd }: World, to_number = number) {
  farEnd.callback = () => Promise.reject(new Error("lost"))
  const command = commandFor(to_number)
  const { dial } = yield* Telephony
  assert.strictEqual((yield* dial(command))._tag, "Unknown")
  return command.execution_id
})

const on = <E>(test: (world: World) => Effect.Effect<void, E, Telephony>) =>
  Effect.suspend(() => {
    const world = staged()
    return Effect.provide(test(world), world.carrier)
  })

const find = (id: string) => Effect.flatMap(Telephony, (carrier) => carrier.find(id))

describe("a dial whose answer and callbacks got lost", () => {
  it.live("is found by what Twilio recorded of its creation, and then by its SID", () =>
    on((world) =>
      Effect.gen(function* () {
        const [first, second] = [yield* lost(world), yield* lost(world)]
        for (const id of [first, second, first]) {
          const found = yield* find(id)
          assert(found._tag === "Live")
          assert.strictEqual(found.call_sid, world.farEnd.of(id)[0]?.sid)
        }
        const { length } = world.farEnd.seen
        yield* find(first)
        assert.lengthOf(world.farEnd.seen, length + 1)
      }),
    ),
  )

  it.live("is found by the first callback that comes, whatever Twilio recorded", () =>
    on((world) =>
      Effect.gen(function* () {
        world.farEnd.recordsFrom = "never"
        const { callback } = world.farEnd
        const id = yield* lost(world)
        const [leg] = world.farEnd.of(id)
        assert(leg !== undefined)
        assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
        world.farEnd.callback = callback
        yield* Effect.promise(() => world.farEnd.callStatus(leg, "initiated"))
        assert.deepStrictEqual(yield* find(id), { _tag: "Live", call_sid: leg.sid, phase: "initiated" })
      }),
    ),
  )

  it.live("is hung up by it", () =>
    on((world) =>
      Effect.gen(function* () {
        const [first, second] = [yield* lost(world), yield* lost(world)]
        yield* Effect.flatMap(Telephony, ({ hangup }) => hangup(second, null))
        assert.deepStrictEqual(
          [first, second].map((id) => world.farEnd.of(id)[0]?.plan.at(-1)?.[1]),
          ["completed", "canceled"],
        )
      }),
    ),
  )

  it.live("is open, not unknown, while a leg to its number may be it", () =>
    on((world) =>
      Effect.gen(function* () {
        world.farEnd.recordsFrom = "never"
        const id = yield* lost(world)
        assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
        world.farEnd.legs.length = 0
        assert.deepStrictEqual(yield* find(id), { _tag: "Unknown" })
      }),
    ),
  )

  it.live("is not another leg to the same number, however alike they are", () =>
    on((world) =>
      Effect.gen(function* () {
        const mine = yield* lost(world)
        const [leg] = world.farEnd.of(mine)
        assert(leg !== undefined)
        // Somebody else on the same account, to the same number, at the same time.
        leg.asked.set("StatusCallback", "https://another.example.com/status?execution_id=exec_1")
        assert.deepStrictEqual(yield* find(mine), { _tag: "NoAnswer" })
        leg.status = "completed"
        leg.endedAt = Date.now() - bounds.eventsReadyMs
        assert.deepStrictEqual(yield* find(mine), { _tag: "Unknown" })
      }),
    ),
  )

  it.live("is not answered for while Twilio does not answer", () =>
    on((world) =>
      Effect.gen(function* () {
        const id = yield* lost(world)
        for (const status of [500, 429, 401]) {
          world.farEnd.fault = () => new Response("{}", { status })
          assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
        }
      }),
    ),
  )
})

describe("a lost dial that another process made", () => {
  const lostAt = Date.now() - 3_600_000

  /** A process that knows of the dial what its row says. */
  const onRow = <E>(changes: Partial<Call>, test: (world: World, id: string) => Effect.Effect<void, E, Telephony>) =>
    Effect.suspend(() => {
      const world = staged()
      const row = sampleCall("org_1", { to_number: number, created_at: 0, answer_lost_at: lostAt, ...changes })
      const rows = { locate: () => Effect.succeed(row) }
      const layer = world.adapter.carrier.pipe(
        Layer.provide(Layer.succeed(CallStore, rows as never)),
        Layer.provide(MemoryStore.layer(new MemoryTables())),
      )
      return Effect.provide(test(world, row.execution_id), layer)
    })

  const make = ({ farEnd }: World, id: string, at: number) => {
    farEnd.now = at
    const asked = new URLSearchParams({ To: number, StatusCallback: `${publicUrl}/status?execution_id=${id}#rc=5` })
    return farEnd.make(asked)
  }
  const recordsAsked = ({ farEnd }: World) => farEnd.seen.filter(({ path }) => path.endsWith("/Events.json")).length

  it.live("is found among the calls of that time, and no others are looked at", () =>
    onRow({}, (world, id) =>
      Effect.gen(function* () {
        make(world, "exec_before", lostAt - 10 * 60_000)
        make(world, "exec_after", lostAt + 10 * 60_000)
        const leg = make(world, id, lostAt - 5_000)
        assert.deepStrictEqual(yield* find(id), { _tag: "Live", call_sid: leg.sid, phase: "initiated" })
        assert.strictEqual(recordsAsked(world), 1)
        assert.strictEqual(
          world.farEnd.seen[0]?.query.get("StartTime>"),
          new Date(lostAt - 68_000).toISOString().slice(0, 10),
        )
      }),
    ),
  )

  it("that was booked is looked for from its time on", () => {
    const planned = lostAt - 60_000
    const { answer_lost_at: _, ...booked } = sampleCall("org_1", {
      to_number: number,
      created_at: 0,
      scheduled_at: planned,
    })
    assert.deepInclude(legOfRow(booked), { since: planned, until: null })
  })

  it.live("is open among too many, and given up a day later", () =>
    onRow({}, (world, id) =>
      Effect.gen(function* () {
        for (let nth = 0; nth <= bounds.candidates; nth += 1) make(world, `exec_${nth}x`, lostAt)
        assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
        assert.strictEqual(recordsAsked(world), 0)
        world.farEnd.fault = () => Response.json({ calls: [], next_page_uri: "/next" })
        assert.deepStrictEqual(yield* find(id), { _tag: "NoAnswer" })
        const old = onRow({ answer_lost_at: Date.now() - bounds.unprovableMs }, (other, its) =>
          Effect.gen(function* () {
            other.farEnd.fault = () => Response.json({ calls: [], next_page_uri: "/next" })
            assert.deepStrictEqual(yield* find(its), { _tag: "Unknown" })
          }),
        )
        yield* old
      }),
    ),
  )
})

describe("what a process remembers", () => {
  it("is the newest so many dials", () => {
    const book = new LegBook()
    const ids = Array.from({ length: bounds.rememberedLegs + 2 }, () => commandFor(number))
    for (const command of ids) book.dialled(command, 0)
    const known = ids.map(({ execution_id }) => book.find(execution_id) !== null)
    assert.deepStrictEqual([known.indexOf(true), known.lastIndexOf(false)], [2, 1])
    book.heard("exec_nobody", { call_sid: "CA1" })
    assert.isNull(book.find("exec_nobody"))
  })
})

describe("which of the candidates it is", () => {
  const ours = { call: "ours", proof: "ours" } as const
  const anothers = { call: "anothers", proof: "anothers" } as const
  const open = { call: "open", proof: "open" } as const

  it.each([
    [[], { _tag: "None" }],
    [[anothers], { _tag: "None" }],
    [[open], { _tag: "Open" }],
    [[anothers, open], { _tag: "Open" }],
    [[ours], { _tag: "Leg", call: "ours" }],
    [[anothers, open, ours], { _tag: "Leg", call: "ours" }],
    [[ours, ours], { _tag: "None" }],
  ] as const)("of %j", (candidates, chosen) => {
    assert.deepStrictEqual(chosenOf<string>(candidates), chosen)
  })

  it("is proven by the address alone, and ruled out by another's or by time", () => {
    const anybodys = "https://voice.example.com/twilio/status?execution_id="
    const url = { anybodys, ours: `${anybodys}exec_1` }
    const now = 100 * bounds.unprovableMs
    assert.strictEqual(proofOf(new Set([url.ours]), url, null, now), "ours")
    assert.strictEqual(proofOf(new Set([`${anybodys}exec_12`]), url, null, now), "anothers")
    assert.strictEqual(proofOf(new Set(), url, now - bounds.eventsReadyMs + 1, now), "open")
    assert.strictEqual(proofOf(new Set(), url, now - bounds.eventsReadyMs, now), "anothers")
    assert.strictEqual(proofOf(null, url, now - bounds.unprovableMs + 1, now), "open")
    assert.strictEqual(proofOf(null, url, now - bounds.unprovableMs, now), "anothers")
    assert.strictEqual(proofOf(null, url, null, now), "open")
  })

  it("is over since its end or, where Twilio shows none, since it changed last", () => {
    const call = { sid: "CA1", date_updated: "Sun, 22 Nov 2026 22:40:54 +0000" }
    const changed = Date.UTC(2026, 10, 22, 22, 40, 54)
    assert.strictEqual(endOfLeg({ ...call, status: "no-answer", end_time: null }), changed)
    const ended = { ...call, status: "completed", end_time: "Sun, 22 Nov 2026 22:40:53 +0000" } as const
    assert.strictEqual(endOfLeg(ended), changed - 1_000)
    assert.isNull(endOfLeg({ ...call, status: "ringing" }))
  })
})
