import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import type { SlotDemand } from "../Changes.ts"
import { admit, type SlotAdmission, type SlotLevel, slotLevels } from "../limits/rules/SlotLevels.ts"
import { type SlotMember, type SlotRequest, SlotStore } from "../limits/ports/SlotStore.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

type Ceilings = { readonly [level in SlotLevel]: number | null }

/** A dial's place in the tenancy: two organizations of two agents and a campaign each. */
interface Dial {
  readonly organization: 0 | 1
  readonly agent: 0 | 1
  readonly campaign: boolean
}

type Command =
  | { readonly do: "acquire"; readonly dial: number; readonly waits: boolean }
  | { readonly do: "hold" | "release"; readonly dial: number; readonly stale: boolean }
  | { readonly do: "leave" | "restore"; readonly dial: number }
  | { readonly do: "lapse"; readonly seconds: number }

const dialCount = 10

const bit = fc.constantFrom<0 | 1>(0, 1)
const dials = fc.array(fc.record<Dial>({ organization: bit, agent: bit, campaign: fc.boolean() }), {
  minLength: dialCount,
  maxLength: dialCount,
})

const ceilings: fc.Arbitrary<Ceilings> = fc.record({
  platform: fc.integer({ min: 1, max: 4 }),
  organization: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 4 }),
  agent: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
  campaign: fc.option(fc.integer({ min: 1, max: 2 })),
})

const dial = fc.nat(dialCount - 1)
// Mostly what a well-behaved engine does, so that lines fill and queues stand; and now and then what it must not get away with.
const waits = fc.constantFrom(true, true, true, false)
const stale = fc.constantFrom(false, false, false, true)
const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant("acquire" as const), dial, waits }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("hold" as const), dial, stale }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant("release" as const), dial, stale }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("leave" as const, "restore" as const), dial }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("lapse" as const), seconds: fc.constantFrom(0, 1, 6, 27) }) },
  ),
  { maxLength: 60, size: "max" },
)

// Moments are whole seconds and deadlines lie between them, so that no test rests on what happens at the very deadline.
const waitMs = 5_500
const reservationMs = 20_250

/** Time only goes on, from test to test too: a shared store may keep its clock monotone. */
let clock = sampleEpoch

interface Member {
  readonly levels: ReadonlyArray<SlotDemand>
  readonly fence: number
  readonly reservedUntil: number
  held: boolean
}

/** The rule of admission over plain arrays: what every slot store must agree with at every step. */
class Model {
  readonly members = new Map<string, Member>()
  /** In order of arrival. */
  waiters: Array<SlotRequest> = []
  readonly fences = new Map<string, Set<number>>()

  used(level: SlotLevel, key: string): number {
    let count = 0
    for (const member of this.members.values()) {
      if (member.levels.some((one) => one.level === level && one.key === key)) count += 1
    }
    return count
  }

  admission(demands: ReadonlyArray<SlotDemand>): SlotAdmission {
    const of = (level: SlotLevel) => demands.find((demand) => demand.level === level)
    const used = (level: SlotLevel) => {
      const demand = of(level)
      return demand === undefined ? 0 : this.used(level, demand.key)
    }
    const ceiling = (level: SlotLevel) => of(level)?.ceiling ?? null
    const each = <A>(value: (level: SlotLevel) => A) => ({
      platform: value("platform"),
      organization: value("organization"),
      agent: value("agent"),
      campaign: value("campaign"),
    })
    return admit(each(used), each(ceiling))
  }

  /** Enters a member under the fence that the store chose, which must be new to this dial. */
  enter(request: SlotRequest, fence: number): void {
    const fences = this.fences.get(request.execution_id) ?? new Set()
    assert(!fences.has(fence), "a fence was given twice")
    this.fences.set(request.execution_id, fences.add(fence))
    this.members.set(request.execution_id, {
      levels: request.levels,
      fence,
      reservedUntil: request.reservedUntil,
      held: false,
    })
    this.leave(request.execution_id)
  }

  leave(executionId: string): void {
    this.waiters = this.waiters.filter((waiter) => waiter.execution_id !== executionId)
  }

  /** Stands in line, or keeps its place there. */
  stand(request: SlotRequest): void {
    const place = this.waiters.findIndex((waiter) => waiter.execution_id === request.execution_id)
    if (place < 0) this.waiters.push(request)
    else this.waiters[place] = request
  }

  isExpired(waiter: SlotRequest, now: number): boolean {
    return waiter.waitUntil === null || waiter.waitUntil < now
  }

  /** Who is granted a line after some came free: whoever waits and fits, in order of arrival. */
  handOn(now: number): ReadonlyArray<SlotRequest> {
    const granted: Array<SlotRequest> = []
    for (const waiter of [...this.waiters]) {
      if (this.isExpired(waiter, now) || !this.admission(waiter.levels).admitted) continue
      this.members.set(waiter.execution_id, {
        levels: waiter.levels,
        fence: Number.NaN,
        reservedUntil: waiter.reservedUntil,
        held: false,
      })
      granted.push(waiter)
    }
    return granted
  }
}

/** A run of the model beside the store. */
class Run {
  readonly model = new Model()
  readonly #store: SlotStore["Service"]
  readonly #ceilings: Ceilings
  readonly #dials: ReadonlyArray<Dial>
  readonly #scope = fresh("")
  #restored = 0

  constructor(store: SlotStore["Service"], limits: Ceilings, described: ReadonlyArray<Dial>) {
    this.#store = store
    this.#ceilings = limits
    this.#dials = described
    clock += 3_600_000
  }

  idOf(nth: number): string {
    return `exec_${this.#scope}_${nth}`
  }

  demands(nth: number): ReadonlyArray<SlotDemand> {
    const { organization, agent, campaign } = this.#dials[nth]!
    const own = `${this.#scope}_${organization}`
    const keys: { readonly [level in SlotLevel]: string | null } = {
      platform: `platform_${this.#scope}`,
      organization: `org_${own}`,
      agent: `agt_${own}_${agent}`,
      campaign: campaign ? `cmp_${own}` : null,
    }
    return slotLevels.flatMap((level) => {
      const key = keys[level]
      return key === null ? [] : [{ level, key, ceiling: this.#ceilings[level] }]
    })
  }

  request(nth: number, waits: boolean): SlotRequest {
    const waitUntil = waits ? clock + waitMs : null
    return {
      execution_id: this.idOf(nth),
      organization_id: `org_${this.#scope}_${this.#dials[nth]!.organization}`,
      levels: this.demands(nth),
      now: clock,
      reservedUntil: (waitUntil ?? clock) + reservationMs,
      waitUntil,
    }
  }

  step(command: Command): Effect.Effect<void, unknown> {
    switch (command.do) {
      case "acquire":
        return this.acquire(this.request(command.dial, command.waits))
      case "hold":
        return this.#hold(this.idOf(command.dial), command.stale)
      case "release":
        return this.release(this.idOf(command.dial), command.stale)
      case "leave":
        return this.#leave(this.idOf(command.dial))
      case "restore":
        return this.#restore(command.dial)
      case "lapse":
        return this.#lapse(command.seconds)
    }
  }

  readonly acquire = Effect.fnUntraced({ self: this }, function* (request: SlotRequest) {
    const { model } = this
    const id = request.execution_id
    const waiting = model.waiters.find((waiter) => waiter.execution_id === id)
    if (waiting !== undefined && model.isExpired(waiting, clock)) {
      yield* this.#leave(id)
    }
    const answer = yield* this.#store.acquire(request)
    const member = model.members.get(id)
    if (member !== undefined) {
      assert.deepStrictEqual(answer, { _tag: "Acquired", fence: member.fence })
      return
    }
    const admission = model.admission(request.levels)
    if (admission.admitted) {
      assert(answer._tag === "Acquired", `${id} was refused a line that is free`)
      model.enter(request, answer.fence)
      return
    }
    const { level, used, max } = admission
    assert.deepStrictEqual(answer, { _tag: "Blocked", level, used, max })
    if (request.waitUntil !== null) return model.stand(request)
    // The last look of a dial that waited.
    yield* this.#leave(id)
  })

  readonly release = Effect.fnUntraced({ self: this }, function* (id: string, isStale: boolean) {
    const member = this.model.members.get(id)
    const granted = yield* this.#store.release(id, (member?.fence ?? 1) + (isStale ? 7_919 : 0), clock)
    if (member === undefined || isStale) return assert.deepStrictEqual(granted, [])
    this.model.members.delete(id)
    yield* this.#handedOn(granted)
  })

  /** The memberships, the counts and the line as the model has them. */
  readonly compare = Effect.fnUntraced({ self: this }, function* () {
    const keys = new Map(
      this.#dials.flatMap((_, nth) => this.demands(nth).map((demand) => [`${demand.level} ${demand.key}`, demand])),
    )
    const demands = [...keys.values()]
    const used = yield* this.#store.used(demands)
    assert.deepStrictEqual(
      used,
      demands.map(({ level, key }) => this.model.used(level, key)),
    )
    assert(
      this.model.waiters.every(
        (waiter) => this.model.isExpired(waiter, clock) || !this.model.admission(waiter.levels).admitted,
      ),
      "a line is free while a dial that fits waits",
    )
  })

  readonly compareMembers = Effect.fnUntraced({ self: this }, function* (limit: number) {
    const found: Array<SlotMember> = []
    for (let after: string | null = null; ;) {
      const page: ReadonlyArray<SlotMember> = yield* this.#store.members(after, limit)
      assert.isAtMost(page.length, limit)
      found.push(...page)
      if (page.length < limit) break
      after = page.at(-1)?.execution_id ?? null
    }
    const own = found.filter((member) => member.execution_id.startsWith(`exec_${this.#scope}`))
    const told = own.map(({ execution_id, fence, state, ...member }) => ({
      execution_id,
      fence,
      state,
      reserved_until: state === "reserved" ? member.reserved_until : null,
      levels: member.levels.map(({ level, key }) => `${level} ${key}`),
    }))
    const expected = [...this.model.members].map(([execution_id, member]) => ({
      execution_id,
      fence: member.fence,
      state: member.held ? "held" : "reserved",
      reserved_until: member.held ? null : member.reservedUntil,
      levels: member.levels.map(({ level, key }) => `${level} ${key}`),
    }))
    const byId = (a: { readonly execution_id: string }, b: { readonly execution_id: string }) =>
      a.execution_id < b.execution_id ? -1 : 1
    assert.deepStrictEqual(told.toSorted(byId), expected.toSorted(byId))
  })

  readonly empty = Effect.fnUntraced({ self: this }, function* () {
    for (const waiter of this.model.waiters) yield* this.#store.leave(waiter.execution_id, clock)
    for (const [id, { fence }] of this.model.members) yield* this.#store.release(id, fence, clock)
  })

  /** Steps out of the line; a line that it was given and has not held goes to others. */
  readonly #leave = Effect.fnUntraced({ self: this }, function* (id: string) {
    const member = this.model.members.get(id)
    this.model.leave(id)
    const granted = yield* this.#store.leave(id, clock)
    if (member === undefined || member.held) return assert.deepStrictEqual(granted, [])
    this.model.members.delete(id)
    yield* this.#handedOn(granted)
  })

  readonly #hold = Effect.fnUntraced({ self: this }, function* (id: string, isStale: boolean) {
    const member = this.model.members.get(id)
    const held = yield* this.#store.hold(id, (member?.fence ?? 1) + (isStale ? 7_919 : 0))
    assert.strictEqual(held, member !== undefined && !isStale)
    if (member !== undefined && !isStale) member.held = true
  })

  readonly #restore = Effect.fnUntraced({ self: this }, function* (nth: number) {
    const id = this.idOf(nth)
    const { levels: demanded, organization_id } = this.request(nth, false)
    const fence = 1_000_000 + this.#restored++
    const bare = demanded.map(({ level, key }) => ({ level, key }))
    yield* this.#store.restore({ execution_id: id, organization_id, levels: bare, fence })
    if (this.model.members.get(id)?.held === true) return
    this.model.enter(this.request(nth, false), fence)
    const member = this.model.members.get(id)
    if (member !== undefined) member.held = true
  })

  readonly #lapse = Effect.fnUntraced({ self: this }, function* (seconds: number) {
    clock += seconds * 1_000
    const granted = yield* this.#store.lapse(clock)
    for (const [id, member] of this.model.members) {
      if (!member.held && member.reservedUntil < clock) this.model.members.delete(id)
    }
    yield* this.#handedOn(granted.filter((id) => id.startsWith(`exec_${this.#scope}`)))
  })

  readonly #handedOn = Effect.fnUntraced({ self: this }, function* (granted: ReadonlyArray<string>) {
    const expected = this.model.handOn(clock)
    assert.deepStrictEqual(granted.toSorted(), expected.map((waiter) => waiter.execution_id).toSorted())
    // A dial that is told of its line asks again, and finds itself a member.
    for (const waiter of expected) {
      const answer = yield* this.#store.acquire({ ...waiter, now: clock, waitUntil: null })
      assert(answer._tag === "Acquired", "a granted dial found no line")
      this.model.enter(waiter, answer.fence)
    }
  })
}

/** Lays down what every adapter of `SlotStore` must do, step by step against `SlotLevels.admit`. */
export const suite = <E>(name: string, layer: Layer.Layer<SlotStore, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect(
      "agrees with the rule at every step: all levels or none, in order, without a free line beside a wait",
      () =>
        law(
          fc.record({ ceilings, dials, script: commands, page: fc.integer({ min: 1, max: 4 }) }),
          Effect.fnUntraced(function* ({ ceilings: limits, dials: described, script, page }) {
            const run = new Run(yield* SlotStore, limits, described)
            for (const command of script) {
              yield* run.step(command)
              yield* run.compare()
            }
            yield* run.compareMembers(page)
            yield* run.empty()
          }),
          { numRuns: 150 },
        ),
    )

    it.effect("lets a dial that waits for its agent delay nobody else", () =>
      Effect.gen(function* () {
        const roomy: Ceilings = { platform: null, organization: 3, agent: 1, campaign: null }
        const [first, second] = [0, 1] as const
        const run = new Run(yield* SlotStore, roomy, [
          { organization: 0, agent: first, campaign: false },
          { organization: 0, agent: first, campaign: false },
          { organization: 0, agent: second, campaign: false },
        ])
        yield* run.acquire(run.request(0, true))
        yield* run.acquire(run.request(1, true))
        assert.deepStrictEqual(
          run.model.waiters.map((waiter) => waiter.execution_id),
          [run.idOf(1)],
        )
        yield* run.acquire(run.request(2, true))
        assert(run.model.members.has(run.idOf(2)))
        yield* run.release(run.idOf(0), false)
        assert(run.model.members.has(run.idOf(1)))
        yield* run.empty()
      }),
    )

    it.effect("serves those who arrived in the same millisecond in the order in which they asked", () =>
      Effect.gen(function* () {
        const single: Ceilings = { platform: 1, organization: 1, agent: null, campaign: null }
        const described = Array.from({ length: 6 }, (_, n) => ({
          organization: n % 2 === 0 ? (0 as const) : (1 as const),
          agent: 0 as const,
          campaign: false,
        }))
        const run = new Run(yield* SlotStore, single, described)
        for (const nth of described.keys()) yield* run.acquire(run.request(nth, true))
        for (const nth of described.keys()) {
          assert.deepStrictEqual([...run.model.members.keys()], [run.idOf(nth)])
          yield* run.release(run.idOf(nth), false)
        }
        yield* run.empty()
      }),
    )

    it.effect("never lets more in than the levels hold, whoever asks at once, and frees each line once", () =>
      law(
        fc.record({ ceilings, dials }),
        Effect.fnUntraced(function* ({ ceilings: limits, dials: described }) {
          const slots = yield* SlotStore
          const run = new Run(slots, limits, described)
          const twice = [...described.keys(), ...described.keys()]
          const answers = yield* Effect.all(
            twice.map((nth) => slots.acquire(run.request(nth, false))),
            { concurrency: twice.length },
          )
          const fences = new Map<string, number>()
          for (const [index, answer] of answers.entries()) {
            if (answer._tag === "Blocked") continue
            const id = run.idOf(twice[index]!)
            assert(fences.get(id) === undefined || fences.get(id) === answer.fence, "one dial got two lines")
            fences.set(id, answer.fence)
          }
          const keys = new Map(
            [...described.keys()].flatMap((nth) => run.demands(nth).map((one) => [`${one.level} ${one.key}`, one])),
          )
          for (const demand of keys.values()) {
            const [used = 0] = yield* slots.used([demand])
            assert.isAtMost(used, demand.ceiling ?? dialCount)
            const inside = [...described.keys()].filter(
              (nth) => fences.has(run.idOf(nth)) && run.demands(nth).some((one) => one.key === demand.key),
            )
            assert.strictEqual(used, inside.length)
          }
          const releases = [...fences, ...fences].map(([id, fence]) => slots.release(id, fence, clock))
          yield* Effect.all(releases, { concurrency: 20 })
          assert.deepStrictEqual(
            yield* slots.used([...keys.values()]),
            [...keys.values()].map(() => 0),
          )
        }),
        { numRuns: 25 },
      ),
    )

    it.effect("voids a reservation that was not held, and its fence is worth nothing any more", () =>
      Effect.gen(function* () {
        const slots = yield* SlotStore
        const run = new Run(slots, { platform: 1, organization: null, agent: null, campaign: null }, [
          { organization: 0, agent: 0, campaign: false },
          { organization: 1, agent: 0, campaign: false },
        ])
        const first = yield* slots.acquire(run.request(0, false))
        assert(first._tag === "Acquired")
        clock += reservationMs + 750
        yield* slots.lapse(clock)
        assert.isFalse(yield* slots.hold(run.idOf(0), first.fence))
        const second = yield* slots.acquire(run.request(1, false))
        assert(second._tag === "Acquired")
        assert.isTrue(yield* slots.hold(run.idOf(1), second.fence))
        assert.deepStrictEqual(yield* slots.release(run.idOf(0), first.fence, clock), [])
        clock += 100 * reservationMs
        assert.deepStrictEqual(yield* slots.lapse(clock), [])
        assert.deepStrictEqual(yield* slots.used([{ level: "platform", key: run.demands(1)[0]!.key }]), [1])
        yield* slots.release(run.idOf(1), second.fence, clock)
      }),
    )

    it.effect("alternates freed lines between waiting dials and contacts while contacts want them, a dial first", () =>
      Effect.gen(function* () {
        const slots = yield* SlotStore
        const direct = { organization: 0, agent: 0, campaign: false } as const
        const contact = { organization: 0, agent: 0, campaign: true } as const
        const run = new Run(slots, { platform: null, organization: 2, agent: null, campaign: null }, [
          ...Array.from({ length: 5 }, () => direct),
          ...Array.from({ length: 3 }, () => contact),
        ])
        const organizationId = run.request(0, false).organization_id
        const fences: Array<number> = []
        const take = Effect.fnUntraced(function* (nth: number, waits: boolean) {
          const answer = yield* slots.acquire(run.request(nth, waits))
          if (answer._tag === "Acquired") fences[nth] = answer.fence
          return answer._tag
        })
        const free = (nth: number) => slots.release(run.idOf(nth), fences[nth] ?? 0, clock)
        yield* slots.want(organizationId, true, clock)
        assert.deepStrictEqual([yield* take(5, false), yield* take(6, false)], ["Acquired", "Acquired"])
        assert.deepStrictEqual([yield* take(0, true), yield* take(1, true)], ["Blocked", "Blocked"])
        assert.deepStrictEqual(yield* free(5), [run.idOf(0)])
        // The next one is kept for a contact: no dial may have it, waiting or new.
        assert.deepStrictEqual(yield* free(6), [])
        assert.strictEqual(yield* take(2, false), "Blocked")
        assert.strictEqual(yield* take(7, false), "Acquired")
        assert.deepStrictEqual(yield* free(7), [run.idOf(1)])
        // What was kept and is not taken goes on to who waits.
        assert.strictEqual(yield* take(3, true), "Blocked")
        yield* take(0, false)
        assert.deepStrictEqual(yield* free(0), [])
        assert.deepStrictEqual(yield* slots.want(organizationId, false, clock), [run.idOf(3)])
        for (const nth of [1, 3]) {
          yield* take(nth, false)
          yield* free(nth)
        }
      }),
    )
  })
