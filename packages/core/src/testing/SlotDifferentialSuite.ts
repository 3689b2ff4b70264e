import { assert, layer as withLayer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { type SlotLevel, slotLevels } from "../limits/rules/SlotLevels.ts"
import { type SlotAnswer, type SlotRequest, SlotStore } from "../limits/ports/SlotStore.ts"
import { layer as memorySlots } from "../memory/MemorySlots.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

const dialCount = 12

const bit = fc.constantFrom<0 | 1>(0, 1)
const place = fc.record({ organization: bit, agent: bit, campaign: fc.boolean() })
const dial = fc.nat(dialCount - 1)
const ceilings = fc.record({
  platform: fc.integer({ min: 1, max: 5 }),
  organization: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 5 }),
  agent: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
  campaign: fc.option(fc.integer({ min: 1, max: 2 })),
})
const command = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant("acquire" as const), dial, waits: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("hold" as const), dial, stale: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("release" as const),
      dial,
      stale: fc.constantFrom(false, false, true),
      seconds: fc.constantFrom(0, 0, 0, 6),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("leave" as const, "restore" as const), dial }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("want" as const), organization: bit, wanting: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("lapse" as const), seconds: fc.constantFrom(0, 1, 6, 20, 27) }) },
)
const script = fc.record({
  places: fc.array(place, { minLength: dialCount, maxLength: dialCount }),
  ceilings,
  commands: fc.array(command, { maxLength: 100, size: "max" }),
  page: fc.integer({ min: 1, max: 4 }),
})
type Script = typeof script extends fc.Arbitrary<infer A> ? A : never

/** Time only goes on, from run to run too: a store may keep it monotone. */
interface Clock {
  now: number
}

/** One store, told of in words that do not name its fences: the first fence that it gave is the first, whatever its number. */
class Witness {
  readonly #store: SlotStore["Service"]
  readonly #clock: Clock
  readonly #order = new Map<number, number>()
  readonly #current = new Map<string, number>()

  constructor(store: SlotStore["Service"], clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  #nth(fence: number): number {
    const known = this.#order.get(fence) ?? this.#order.size
    this.#order.set(fence, known)
    return known
  }

  #tell(id: string, answer: SlotAnswer): unknown {
    if (answer._tag === "Blocked") return answer
    this.#current.set(id, answer.fence)
    return { acquired: this.#nth(answer.fence) }
  }

  readonly acquire = (request: SlotRequest) =>
    Effect.map(this.#store.acquire(request), (answer) => this.#tell(request.execution_id, answer))

  readonly step = Effect.fnUntraced(
    { self: this },
    function* (
      one: Script["commands"][number],
      request: (nth: number, waits: boolean) => SlotRequest,
      organization: (nth: 0 | 1) => string,
    ) {
      const store = this.#store
      switch (one.do) {
        case "acquire":
          return yield* this.acquire(request(one.dial, one.waits))
        case "hold":
        case "release": {
          const id = request(one.dial, false).execution_id
          const fence = (this.#current.get(id) ?? 1) + (one.stale ? 7_919 : 0)
          return one.do === "hold" ? yield* store.hold(id, fence) : yield* store.release(id, fence, this.#clock.now)
        }
        case "leave":
          return yield* store.leave(request(one.dial, false).execution_id, this.#clock.now)
        case "restore": {
          const { execution_id, organization_id, levels } = request(one.dial, false)
          const fence = this.#current.get(execution_id) ?? 0
          const bare = levels.map(({ level, key }) => ({ level, key }))
          return yield* store.restore({ execution_id, organization_id, levels: bare, fence })
        }
        case "want":
          return yield* store.want(organization(one.organization), one.wanting, this.#clock.now)
        case "lapse":
          return yield* store.lapse(this.#clock.now)
      }
    },
  )

  readonly look = Effect.fnUntraced(
    { self: this },
    function* (levels: ReadonlyArray<{ readonly level: SlotLevel; readonly key: string }>, page: number, own: string) {
      const members: Array<unknown> = []
      for (let after: string | null = null; ;) {
        const found: ReadonlyArray<{ execution_id: string; fence: number; state: string; reserved_until: number }> =
          yield* this.#store.members(after, page)
        for (const { fence, reserved_until, ...member } of found) {
          if (!member.execution_id.startsWith(own)) continue
          const until = member.state === "held" ? null : reserved_until
          members.push({ ...member, fence: fence === 0 ? 0 : this.#nth(fence), until })
        }
        if (found.length < page) break
        after = found.at(-1)?.execution_id ?? null
      }
      return { members, used: yield* this.#store.used(levels) }
    },
  )
}

const memoryStore = Effect.map(Effect.scoped(Layer.build(memorySlots())), (context) => Context.get(context, SlotStore))

const holds = Effect.fnUntraced(function* (
  judged: SlotStore["Service"],
  clock: Clock,
  { places, commands, page, ...made }: Script,
) {
  const memory = new Witness(yield* memoryStore, clock)
  const store = new Witness(judged, clock)
  const own = fresh("exec_")
  clock.now += 3_600_000
  const organization = (nth: 0 | 1) => `org_${own}${nth}`
  const levelsOf = (nth: number) => {
    const at = places[nth]!
    const keys = {
      platform: `platform_${own}`,
      organization: organization(at.organization),
      agent: `agt_${own}${at.organization}${at.agent}`,
      campaign: at.campaign ? `cmp_${own}${at.organization}` : null,
    }
    return slotLevels.flatMap((level) => {
      const key = keys[level]
      return key === null ? [] : [{ level, key, ceiling: made.ceilings[level] }]
    })
  }
  const request = (nth: number, waits: boolean): SlotRequest => {
    const waitUntil = waits ? clock.now + 5_500 : null
    return {
      execution_id: `${own}${nth}`,
      organization_id: organization(places[nth]!.organization),
      levels: levelsOf(nth),
      now: clock.now,
      reservedUntil: (waitUntil ?? clock.now) + 20_250,
      waitUntil,
    }
  }
  const lines = [
    ...new Map(
      places.flatMap((_, nth) => levelsOf(nth).map(({ level, key }) => [`${level} ${key}`, { level, key }] as const)),
    ).values(),
  ]
  const waitsUntil = new Map<string, number>()
  for (const one of commands) {
    if (one.do === "lapse" || one.do === "release") clock.now += one.seconds * 1_000
    const steps = [memory, store].map((each) => each.step(one, request, organization))
    // Who waited in vain leaves before it asks again: only then does a store that forgets it at once agree with one that does not.
    if (one.do === "acquire") {
      const { execution_id, waitUntil } = request(one.dial, one.waits)
      if ((waitsUntil.get(execution_id) ?? Infinity) < clock.now) {
        const leave = { do: "leave", dial: one.dial } as const
        for (const each of [memory, store]) yield* each.step(leave, request, organization)
      }
      if (waitUntil === null) waitsUntil.delete(execution_id)
      else waitsUntil.set(execution_id, waitUntil)
    }
    const [said, answered] = yield* Effect.all(steps)
    assert.deepStrictEqual(answered, said, one.do)
    // Whoever was granted a line asks again and finds it, so both know its fence.
    for (const id of Array.isArray(said) ? said : []) {
      const again = { ...request(Number(String(id).slice(own.length)), false), execution_id: String(id) }
      const [known, found] = yield* Effect.all([memory.acquire(again), store.acquire(again)])
      assert.deepStrictEqual(found, known)
    }
    const [expected, seen] = yield* Effect.all([memory.look(lines, page, own), store.look(lines, page, own)])
    assert.deepStrictEqual(seen.used, expected.used)
    assert.deepStrictEqual(seen.members, expected.members)
  }
  // Nothing of this run stands in line when the next one lets time pass.
  for (const [nth] of places.entries()) yield* store.step({ do: "leave", dial: nth }, request, organization)
})

/**
 * Holds a slot store against the one in memory: one script, done to both step by step, and the same answers, lines, memberships and grants
 * at each step.
 */
export const suite = <E>(
  name: string,
  layer: Layer.Layer<SlotStore, E>,
  { numRuns }: { readonly numRuns: number },
): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("gives the same answers, lines, memberships and grants at every step as the one in memory", () =>
      Effect.gen(function* () {
        const store = yield* SlotStore
        const clock: Clock = { now: sampleEpoch }
        yield* law(script, (one) => holds(store, clock, one), { numRuns })
      }),
    )
  })
