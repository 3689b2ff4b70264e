import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { type ClaimOrder, type Lease, Wakeups } from "../engine/ports/Wakeups.ts"
import { housekeepingWakeups, keptWakeups, type WakeupClaim, type WakeupKind } from "../engine/rules/Wakeup.ts"
import { limits } from "../Limits.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

type Command =
  | { readonly do: "set" | "set anew"; readonly kind: WakeupKind; readonly nth: number; readonly at: number }
  | {
      readonly do: "claim"
      readonly advance: number
      readonly limit: number
      readonly ms: number
      readonly owner: string
      readonly order: ClaimOrder
    }
  | { readonly do: "renew"; readonly nths: ReadonlyArray<number>; readonly ms: number }
  | { readonly do: "complete"; readonly nth: number }
  | { readonly do: "defer"; readonly nth: number; readonly at: number }
  | { readonly do: "next"; readonly owner: string }

const kind = fc.constantFrom<WakeupKind>("call", "dispatch", "slots", "ledger")
const owner = fc.constantFrom("prc_a", "prc_b")
/** Steps that are shorter and longer than what others are kept from (`limits.wakeupKeptMs`). */
const someTime = (max: number) => fc.oneof(fc.nat(max), fc.constantFrom(500, limits.wakeupKeptMs, 3_000))

const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constantFrom("set" as const, "set anew" as const), kind, nth: fc.nat(1), at: someTime(20) }),
    fc.record({
      do: fc.constant("claim" as const),
      advance: someTime(6),
      limit: fc.integer({ min: 1, max: 5 }),
      ms: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(3_000)),
      owner,
      order: fc.constantFrom<ClaimOrder>("earliest", "latest", "in turn"),
    }),
    fc.record({ do: fc.constant("renew" as const), nths: fc.array(fc.nat(20), { maxLength: 4 }), ms: fc.nat(5_000) }),
    fc.record({ do: fc.constant("complete" as const), nth: fc.nat(20) }),
    fc.record({ do: fc.constant("defer" as const), nth: fc.nat(20), at: someTime(20) }),
    fc.record({ do: fc.constant("next" as const), owner }),
  ),
  { maxLength: 40, size: "max" },
)

/** What is known of one wake-up: when it is due, who keeps it, and who handles it until when. */
interface Entry {
  readonly kind: WakeupKind
  readonly subject: string
  at: number
  keeper: string | null
  claim: { readonly token: number; readonly owner: string; until: number; again: boolean } | null
}

const keyOf = (one: { readonly kind: WakeupKind; readonly subject: string }): string => `${one.kind} ${one.subject}`

const someone = "prc_someone"
const lease = (ms: number): Lease => ({ owner: someone, ms })

/** From when on the owner may claim what nobody handles. */
const openFor = (owner: string, { at, keeper }: Entry): number =>
  keeper === null || keeper === owner ? at : at + limits.wakeupKeptMs

/**
 * Lays down what every adapter of `Wakeups` must do. The tests begin by forgetting every wake-up, so an adapter under test must be
 * theirs alone.
 */
export const suite = <E>(name: string, layer: Layer.Layer<Wakeups, E>): void =>
  withLayer(layer, { excludeTestServices: true })(name, (it) => {
    it.effect("sets, moves, clears, claims and completes like a plain map", () =>
      law(
        commands,
        Effect.fnUntraced(function* (script) {
          const wakeups = yield* Wakeups
          yield* wakeups.clearAll
          const entries = new Map<string, Entry>()
          const claims: Array<WakeupClaim> = []
          const subjects = Array.from({ length: 2 }, () => fresh("exec_"))
          const subjectOf = (nth: number) => subjects[nth] ?? ""
          let now = sampleEpoch

          /** A claim whose lease has ended is still its owner's to end, until somebody else has it. */
          const isDueFor = (owner: string, entry: Entry) =>
            entry.claim === null ? openFor(owner, entry) <= now : entry.claim.until <= now && entry.at <= now

          const claim = Effect.fnUntraced(function* (limit: number, lease: Lease, order: ClaimOrder) {
            const due = [...entries.values()].filter((entry) => isDueFor(lease.owner, entry))
            const claimed = yield* wakeups.claimDue(now, limit, lease, order)
            const times = claimed.map((one) => one.at)
            const expected = due.map((entry) => entry.at).toSorted((a, b) => a - b)
            // Whose turn it is may be said otherwise by each adapter; how many are claimed, and in which order they are answered, may not.
            const inTurn = order === "in turn" && times.length === Math.min(limit, due.length)
            const asked = inTurn ? times.toSorted((a, b) => a - b) : expected.slice(0, limit)
            assert.deepStrictEqual(times, order === "latest" ? expected.slice(-limit) : asked)
            assert.strictEqual(new Set(claimed.map(keyOf)).size, claimed.length)
            for (const one of claimed) {
              const entry = entries.get(keyOf(one))
              assert(entry !== undefined && isDueFor(lease.owner, entry) && entry.at === one.at)
              entry.claim = { token: one.token, owner: lease.owner, until: now + lease.ms, again: false }
              claims.push(one)
            }
            for (const entry of entries.values()) {
              if (entry.claim === null || entry.claim.until > now || entry.at <= now) continue
              entry.claim = null
              entry.keeper = null
            }
          })

          /** The entry that a claim is of, if it still is. */
          const claimedBy = ({ token }: WakeupClaim) => {
            for (const entry of entries.values()) if (entry.claim?.token === token) return entry
            return null
          }

          const end = (entry: Entry, at: number | null): number | null => {
            const due = entry.claim?.again === true ? entry.at : at
            if (due === null) entries.delete(keyOf(entry))
            else {
              entry.at = due
              entry.keeper = keptWakeups.has(entry.kind) ? (entry.claim?.owner ?? null) : null
              entry.claim = null
            }
            return due
          }

          const next = Effect.fnUntraced(function* (owner: string) {
            // Whether one whose lease has ended is told of by its time or by the end of the lease is the adapter's affair.
            if ([...entries.values()].some(({ claim }) => claim !== null && claim.until <= now)) return
            const earliest = (some: ReadonlyArray<Entry>) =>
              some.length === 0 ? null : Math.min(...some.map((entry) => entry.claim?.until ?? openFor(owner, entry)))
            const all = [...entries.values()]
            assert.strictEqual(yield* wakeups.next({ housekeeping: true, owner }), earliest(all))
            const busy = all.filter((entry) => !housekeepingWakeups.has(entry.kind))
            assert.strictEqual(yield* wakeups.next({ housekeeping: false, owner }), earliest(busy))
          })

          for (const command of script) {
            switch (command.do) {
              case "set": {
                const wakeup = { kind: command.kind, subject: subjectOf(command.nth), at: sampleEpoch + command.at }
                yield* wakeups.set(wakeup)
                const known = entries.get(keyOf(wakeup))
                if (known === undefined) entries.set(keyOf(wakeup), { ...wakeup, keeper: null, claim: null })
                else {
                  known.at = wakeup.at
                  if (known.claim !== null) known.claim.again = true
                }
                break
              }
              case "set anew": {
                const wakeup = { kind: command.kind, subject: subjectOf(command.nth), at: sampleEpoch + command.at }
                yield* wakeups.setAnew(wakeup)
                const at = Math.min(wakeup.at, entries.get(keyOf(wakeup))?.at ?? Infinity)
                entries.set(keyOf(wakeup), { ...wakeup, at, keeper: null, claim: null })
                break
              }
              case "claim":
                now += command.advance
                yield* claim(command.limit, command, command.order)
                break
              case "renew": {
                const some = new Set(command.nths.flatMap((nth) => claims[nth % Math.max(1, claims.length)] ?? []))
                const held = [...some].flatMap((one) => claimedBy(one) ?? [])
                const tokens = yield* wakeups.renew([...some], now + command.ms)
                assert.sameMembers(
                  [...tokens],
                  held.flatMap((entry) => entry.claim?.token ?? []),
                )
                for (const { claim } of held) if (claim !== null) claim.until = now + command.ms
                break
              }
              case "complete":
              case "defer": {
                const one = claims[command.nth % Math.max(1, claims.length)]
                if (one === undefined) break
                const entry = claimedBy(one)
                const at = command.do === "defer" ? sampleEpoch + command.at : null
                const due = at === null ? yield* wakeups.complete(one) : yield* wakeups.defer(one, at)
                assert.strictEqual(due, entry === null ? null : end(entry, at))
                break
              }
              case "next":
                yield* next(command.owner)
            }
          }
          now += 10_000
          yield* claim(100, { owner: "prc_a", ms: 1_000 }, "earliest")
        }),
        { numRuns: 100 },
      ),
    )

    it.effect("brings a claim back when its lease ends, and the late handler's completion then ends nothing", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("exec_")
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch })
        const [first] = yield* wakeups.claimDue(sampleEpoch, 10, lease(1_000))
        assert.deepInclude(first, { kind: "call", subject, at: sampleEpoch })
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 999, 10, lease(1_000)), [])
        const [second] = yield* wakeups.claimDue(sampleEpoch + 1_000, 10, lease(1_000))
        assert(first !== undefined && second !== undefined)
        yield* wakeups.complete(first)
        const [third] = yield* wakeups.claimDue(sampleEpoch + 2_000, 10, lease(1_000))
        assert(third !== undefined)
        yield* wakeups.complete(third)
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 9_000, 10, lease(1_000)), [])
      }),
    )

    it.effect("keeps a wake-up that is set again while it is handled", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("exec_")
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch })
        const [claim] = yield* wakeups.claimDue(sampleEpoch, 10, lease(60_000))
        assert(claim !== undefined)
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch + 5 })
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 5, 10, lease(60_000)), [], "one handler at a time")
        assert.strictEqual(yield* wakeups.complete(claim), sampleEpoch + 5)
        assert.strictEqual(yield* wakeups.next({ housekeeping: false, owner: someone }), sampleEpoch + 5)
      }),
    )

    it.effect("leaves what was set for later until then, when the lease of its handler ends", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("exec_")
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch })
        yield* wakeups.claimDue(sampleEpoch, 10, lease(1_000))
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch + 5_000 })
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 1_000, 10, lease(1_000)), [])
        assert.strictEqual(yield* wakeups.next({ housekeeping: true, owner: someone }), sampleEpoch + 5_000)
        const [claim] = yield* wakeups.claimDue(sampleEpoch + 5_000, 10, lease(1_000))
        assert.strictEqual(claim?.subject, subject)
      }),
    )

    it.effect("brings forward what was set for later, once the lease of its handler has ended", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("org_")
        yield* wakeups.set({ kind: "dispatch", subject, at: sampleEpoch })
        const [lost] = yield* wakeups.claimDue(sampleEpoch, 10, { owner: "prc_lost", ms: 1_000 })
        assert.isDefined(lost)
        yield* wakeups.set({ kind: "dispatch", subject, at: sampleEpoch + 600_000 })
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 1_000, 10, lease(1_000)), [])
        yield* wakeups.set({ kind: "dispatch", subject, at: sampleEpoch + 30_000 })
        assert.deepStrictEqual(yield* wakeups.renew([lost], sampleEpoch + 900_000), [])
        assert.isNull(yield* wakeups.defer(lost, sampleEpoch + 700_000))
        assert.isNull(yield* wakeups.complete(lost))
        assert.strictEqual(yield* wakeups.next({ housekeeping: true, owner: someone }), sampleEpoch + 30_000)
        const [claim] = yield* wakeups.claimDue(sampleEpoch + 30_000, 10, lease(1_000))
        assert.strictEqual(claim?.subject, subject)
      }),
    )

    it.effect("leaves a dispatch to whoever handled it last, unless it is overdue", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("org_")
        const other = { owner: "prc_other", ms: 1_000 }
        yield* wakeups.set({ kind: "dispatch", subject, at: sampleEpoch })
        const [first] = yield* wakeups.claimDue(sampleEpoch, 10, lease(1_000))
        assert.isDefined(first)
        yield* wakeups.defer(first, sampleEpoch + 10)
        yield* wakeups.set({ kind: "dispatch", subject, at: sampleEpoch + 20 })
        const overdue = sampleEpoch + 20 + limits.wakeupKeptMs
        assert.strictEqual(yield* wakeups.next({ housekeeping: false, owner: other.owner }), overdue)
        assert.deepStrictEqual(yield* wakeups.claimDue(overdue - 1, 10, other), [])
        const [second] = yield* wakeups.claimDue(overdue - 1, 10, lease(1_000))
        assert.isDefined(second)
        yield* wakeups.defer(second, sampleEpoch + 30)
        const [third] = yield* wakeups.claimDue(overdue + 10, 10, other)
        assert.strictEqual(third?.subject, subject)
      }),
    )

    for (const order of ["earliest", "latest", "in turn"] as const) {
      it.effect(`says whose lease had ended of what is claimed anew, and of nothing else (${order})`, () =>
        Effect.gen(function* () {
          const wakeups = yield* Wakeups
          yield* wakeups.clearAll
          const now = sampleEpoch
          const set = (kind: WakeupKind) => wakeups.set({ kind, subject: fresh("some_"), at: now })
          const claimed = (at: number, owner: string) =>
            Effect.map(wakeups.claimDue(at, 10, { owner, ms: 1_000 }, order), (claims) =>
              claims
                .map(({ kind, lapsed = null }) => ({ kind, lapsed }))
                .toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
            )
          for (const kind of ["call", "dispatch", "slots"] as const) yield* set(kind)
          const nobodys = (kind: WakeupKind) => ({ kind, lapsed: null })
          assert.deepStrictEqual(yield* claimed(now, "prc_a"), [nobodys("call"), nobodys("dispatch"), nobodys("slots")])
          yield* set("event")
          const lost = (kind: WakeupKind, owner: string, until: number) => ({ kind, lapsed: { owner, until } })
          const first = now + 1_000
          assert.deepStrictEqual(yield* claimed(first, "prc_b"), [
            lost("call", "prc_a", first),
            lost("dispatch", "prc_a", first),
            nobodys("event"),
            lost("slots", "prc_a", first),
          ])
          // Whoever had it the last time, not the first.
          const second = now + 2_000
          assert.deepStrictEqual(
            yield* claimed(second, "prc_a"),
            (["call", "dispatch", "event", "slots"] as const).map((kind) => lost(kind, "prc_b", second)),
          )
        }),
      )
    }

    it.effect("is nobody's once it was given back, but what its handler keeps", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const now = sampleEpoch
        for (const kind of ["call", "dispatch"] as const) yield* wakeups.set({ kind, subject: fresh("some_"), at: now })
        for (const claim of yield* wakeups.claimDue(now, 10, { owner: "prc_a", ms: 1_000 })) {
          yield* wakeups.defer(claim, now)
        }
        const others = yield* wakeups.claimDue(now, 10, { owner: "prc_b", ms: 1_000 })
        assert.deepStrictEqual(
          others.map(({ kind, lapsed = null }) => ({ kind, lapsed })),
          [{ kind: "call", lapsed: null }],
        )
      }),
    )

    it.effect("claims the latest of what is due where they are asked for, of many", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subjects = Array.from({ length: 30 }, () => fresh("exec_"))
        yield* Effect.forEach(subjects, (subject, n) => wakeups.set({ kind: "call", subject, at: sampleEpoch + n }))
        const claims = yield* wakeups.claimDue(sampleEpoch + 19, 5, lease(60_000), "latest")
        assert.deepStrictEqual(
          claims.map(({ subject }) => subject),
          subjects.slice(15, 20),
        )
      }),
    )

    for (const order of ["earliest", "in turn"] as const) {
      it.effect(`gives every due wake-up to exactly one of many claimants (${order})`, () =>
        Effect.gen(function* () {
          const wakeups = yield* Wakeups
          yield* wakeups.clearAll
          const subjects = Array.from({ length: 30 }, () => fresh("exec_"))
          yield* Effect.forEach(subjects, (subject, n) =>
            wakeups.set({ kind: "call", subject, at: sampleEpoch + n, organization_id: `org_${n % 7}` }),
          )
          const claimants = Array.from({ length: 10 }, () =>
            wakeups.claimDue(sampleEpoch + 100, 4, lease(60_000), order),
          )
          const claimed = (yield* Effect.all(claimants, { concurrency: 10 })).flat()
          const rest = yield* wakeups.claimDue(sampleEpoch + 100, 100, lease(60_000), order)
          const seen = [...claimed, ...rest].map((claim) => claim.subject)
          assert.deepStrictEqual(seen.toSorted(), subjects.toSorted())
        }),
      )
    }

    const minutes = 10

    it.effect("gives everybody a turn, where one has a backlog of minutes before and behind what they have due", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const now = sampleEpoch + minutes * 60_000
        const flood = Array.from({ length: 40 * minutes }, (_, nth) => sampleEpoch + nth * 1_500)
        const set = (kind: WakeupKind, at: number, ...organization: ReadonlyArray<string>) =>
          Effect.forEach(organization, (organization_id) =>
            wakeups.set({ kind, subject: fresh("some_"), at, organization_id }),
          )
        yield* Effect.forEach(flood, (at) => set("call", at, "org_flood"), { concurrency: 50 })
        const others = Array.from({ length: 2 * limits.wakeupsInTurn }, (_, nth) => `org_${nth}`)
        const theirs = yield* Effect.forEach(others, (organization_id) => {
          const subject = fresh("dlv_")
          return Effect.as(wakeups.set({ kind: "delivery", subject, at: now - 100_000, organization_id }), subject)
        })
        const slots = { kind: "slots", subject: fresh("platform_"), at: now - 90_000 } as const
        yield* wakeups.set(slots)
        // Who has nothing due has no turn.
        yield* set("campaign", now + 3_600_000, ...Array.from({ length: 100 }, (_, nth) => `org_idle_${nth}`))
        const claimed = new Set<string>()
        const rounds = Math.ceil((others.length + 2 * minutes) / limits.wakeupsInTurn) + 1
        for (let round = 0; round < rounds; round++) {
          const claims = yield* wakeups.claimDue(now, limits.wakeupBatch, lease(60_000), "in turn")
          assert.strictEqual(claims.length, limits.wakeupBatch)
          for (const { subject } of claims) claimed.add(subject)
        }
        assert.deepStrictEqual(
          [...theirs, slots.subject].filter((subject) => !claimed.has(subject)),
          [],
        )
      }),
    )

    it.effect("gives each of many its turn before any of them has two", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const backlog = (organization_id: string, at: number, length: number) =>
          Effect.forEach(
            Array.from({ length }),
            () => wakeups.set({ kind: "call", subject: fresh(`${organization_id} `), at, organization_id }),
            { concurrency: 50 },
          )
        const rounds = 4
        yield* backlog("org_flood", sampleEpoch, rounds * limits.wakeupBatch)
        const others = Array.from({ length: (rounds - 1) * limits.wakeupsInTurn }, (_, nth) => `org_${nth}`)
        yield* Effect.forEach(others, (organization_id) => backlog(organization_id, sampleEpoch + 1, rounds))
        const turns = new Map(others.map((organization_id) => [organization_id, 0]))
        for (let round = 0; round < rounds; round++) {
          for (const { subject } of yield* wakeups.claimDue(
            sampleEpoch + 1,
            limits.wakeupBatch,
            lease(60_000),
            "in turn",
          )) {
            const [organization_id = ""] = subject.split(" ")
            turns.set(organization_id, (turns.get(organization_id) ?? 0) + 1)
          }
        }
        const had = others.map((organization_id) => turns.get(organization_id) ?? 0)
        assert.isAtLeast(Math.min(...had), 1)
        assert.isAtMost(Math.max(...had), 2)
      }),
    )

    it.effect("gives two that have much due as much of it each", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const set = (organization_id: string, at: number) =>
          wakeups.set({ kind: "call", subject: fresh(`${organization_id}_`), at, organization_id })
        yield* Effect.forEach(Array.from({ length: 100 }), () => set("early", sampleEpoch))
        yield* Effect.forEach(Array.from({ length: 100 }), () => set("late", sampleEpoch + 1))
        const claims = yield* wakeups.claimDue(sampleEpoch + 1, limits.wakeupBatch, lease(60_000), "in turn")
        const late = claims.filter(({ subject }) => subject.startsWith("late"))
        assert.strictEqual(late.length, limits.wakeupsInTurn / 2)
      }),
    )

    it.effect("keeps whose a wake-up is that is set again by somebody who does not say", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        yield* Effect.forEach(Array.from({ length: 2 * limits.wakeupBatch }), () =>
          wakeups.set({ kind: "call", subject: fresh("exec_"), at: sampleEpoch, organization_id: "org_flood" }),
        )
        const [anew, again] = [fresh("exec_"), fresh("exec_")]
        for (const [nth, subject] of [anew, again].entries()) {
          yield* wakeups.set({ kind: "call", subject, at: sampleEpoch, organization_id: `org_${nth}` })
        }
        yield* wakeups.setAnew({ kind: "call", subject: anew, at: sampleEpoch })
        yield* wakeups.set({ kind: "call", subject: again, at: sampleEpoch })
        // One that is the platform's, whose turn the two would be behind if they were its own.
        const platforms = Array.from({ length: limits.wakeupsInTurn }, () => fresh("exec_"))
        yield* Effect.forEach(platforms, (subject) => wakeups.set({ kind: "call", subject, at: sampleEpoch - 1 }))
        const claims = yield* wakeups.claimDue(sampleEpoch, limits.wakeupsInTurn, lease(60_000), "in turn")
        const subjects = claims.map(({ subject }) => subject)
        assert.includeMembers(subjects, [anew, again])
      }),
    )

    it.effect("tells of what is due and handled by nobody, by kind, up to a bound", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const set = (of: WakeupKind, at: number) => wakeups.set({ kind: of, subject: fresh("one_"), at })
        yield* Effect.forEach([3, 1, 2, 500], (at) => set("delivery", sampleEpoch + at))
        yield* set("ledger", sampleEpoch + 4)
        const byKind = (now: number, limit: number) =>
          Effect.map(wakeups.backlog(sampleEpoch + now, limit), (found) =>
            found.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
          )
        const deliveries = { kind: "delivery", due: 3, oldest: sampleEpoch + 1 }
        assert.deepStrictEqual(yield* byKind(10, 100), [
          deliveries,
          { kind: "ledger", due: 1, oldest: sampleEpoch + 4 },
        ])
        assert.deepStrictEqual(yield* byKind(10, 2), [{ ...deliveries, due: 2 }])
        assert.deepStrictEqual(yield* byKind(0, 100), [])
        // What is being handled waits no longer.
        yield* wakeups.claimDue(sampleEpoch + 10, 2, lease(60_000))
        assert.deepStrictEqual(yield* byKind(10, 100), [
          { kind: "delivery", due: 1, oldest: sampleEpoch + 3 },
          { kind: "ledger", due: 1, oldest: sampleEpoch + 4 },
        ])
      }),
    )

    it.effect("forgets every wake-up, claimed ones too", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        yield* Effect.forEach([0, 1, 2], (n) =>
          wakeups.set({ kind: "call", subject: fresh("exec_"), at: sampleEpoch + n }),
        )
        yield* wakeups.claimDue(sampleEpoch, 1, lease(10))
        yield* wakeups.clearAll
        assert.isNull(yield* wakeups.next({ housekeeping: true, owner: someone }))
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 1_000, 10, lease(10)), [])
      }),
    )
  })
