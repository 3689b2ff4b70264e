import { assert, layer as withLayer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { housekeepingWakeups, type WakeupClaim, type WakeupKind, Wakeups } from "../engine/Wakeups.ts"
import { law } from "./Law.ts"
import { fresh, sampleEpoch } from "./Samples.ts"

type Command =
  | { readonly do: "set"; readonly kind: WakeupKind; readonly nth: number; readonly at: number }
  | { readonly do: "clear"; readonly kind: WakeupKind; readonly nth: number }
  | { readonly do: "claim"; readonly advance: number; readonly limit: number; readonly lease: number }
  | { readonly do: "complete"; readonly nth: number }
  | { readonly do: "next" }

const kind = fc.constantFrom<WakeupKind>("call", "slots")

const commands: fc.Arbitrary<ReadonlyArray<Command>> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("set" as const), kind, nth: fc.nat(3), at: fc.nat(20) }),
    fc.record({ do: fc.constant("clear" as const), kind, nth: fc.nat(3) }),
    fc.record({
      do: fc.constant("claim" as const),
      advance: fc.nat(6),
      limit: fc.integer({ min: 1, max: 5 }),
      lease: fc.integer({ min: 1, max: 8 }),
    }),
    fc.record({ do: fc.constant("complete" as const), nth: fc.nat(20) }),
    fc.record({ do: fc.constant("next" as const) }),
  ),
  { maxLength: 40 },
)

/** What is known of one wake-up: when it is due, and who handles it until when. */
interface Entry {
  readonly kind: WakeupKind
  readonly at: number
  claim: { readonly token: number; readonly until: number } | null
}

const keyOf = (one: { readonly kind: WakeupKind; readonly subject: string }): string => `${one.kind} ${one.subject}`

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
          const subjects = Array.from({ length: 4 }, () => fresh("exec_"))
          const subjectOf = (nth: number) => subjects[nth] ?? ""
          let now = sampleEpoch

          const isFree = (entry: Entry) => entry.claim === null || entry.claim.until <= now

          const claim = Effect.fnUntraced(function* (limit: number, lease: number) {
            const due = [...entries.values()].filter((entry) => entry.at <= now && isFree(entry))
            const claimed = yield* wakeups.claimDue(now, limit, lease)
            assert.strictEqual(claimed.length, Math.min(limit, due.length))
            const times = claimed.map((one) => one.at)
            assert.deepStrictEqual(
              times,
              due
                .map((entry) => entry.at)
                .toSorted((a, b) => a - b)
                .slice(0, limit),
            )
            for (const one of claimed) {
              const entry = entries.get(keyOf(one))
              assert(entry !== undefined && isFree(entry) && entry.at === one.at)
              entry.claim = { token: one.token, until: now + lease }
              claims.push(one)
            }
          })

          const next = Effect.gen(function* () {
            // Whether one whose lease has ended is told of by its time or by the end of the lease is the adapter's affair.
            if ([...entries.values()].some((entry) => entry.claim !== null && isFree(entry))) return
            const earliest = (some: ReadonlyArray<Entry>) =>
              some.length === 0 ? null : Math.min(...some.map((entry) => entry.claim?.until ?? entry.at))
            const all = [...entries.values()]
            assert.strictEqual(yield* wakeups.next({ housekeeping: true }), earliest(all))
            const busy = all.filter((entry) => !housekeepingWakeups.has(entry.kind))
            assert.strictEqual(yield* wakeups.next({ housekeeping: false }), earliest(busy))
          })

          for (const command of script) {
            switch (command.do) {
              case "set": {
                const wakeup = { kind: command.kind, subject: subjectOf(command.nth), at: sampleEpoch + command.at }
                yield* wakeups.set(wakeup)
                entries.set(keyOf(wakeup), { kind: wakeup.kind, at: wakeup.at, claim: null })
                break
              }
              case "clear": {
                const subject = subjectOf(command.nth)
                yield* wakeups.clear(command.kind, subject)
                entries.delete(keyOf({ kind: command.kind, subject }))
                break
              }
              case "claim":
                now += command.advance
                yield* claim(command.limit, command.lease)
                break
              case "complete": {
                const one = claims[command.nth % Math.max(1, claims.length)]
                if (one === undefined) break
                yield* wakeups.complete(one)
                if (entries.get(keyOf(one))?.claim?.token === one.token) entries.delete(keyOf(one))
                break
              }
              case "next":
                yield* next
            }
          }
          now += 1_000
          yield* claim(100, 1_000)
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
        const [first] = yield* wakeups.claimDue(sampleEpoch, 10, 1_000)
        assert.deepInclude(first, { kind: "call", subject, at: sampleEpoch })
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 999, 10, 1_000), [])
        const [second] = yield* wakeups.claimDue(sampleEpoch + 1_000, 10, 1_000)
        assert(first !== undefined && second !== undefined)
        yield* wakeups.complete(first)
        const [third] = yield* wakeups.claimDue(sampleEpoch + 2_000, 10, 1_000)
        assert(third !== undefined)
        yield* wakeups.complete(third)
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 9_000, 10, 1_000), [])
      }),
    )

    it.effect("keeps a wake-up that is set again while it is handled", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subject = fresh("exec_")
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch })
        const [claim] = yield* wakeups.claimDue(sampleEpoch, 10, 60_000)
        assert(claim !== undefined)
        yield* wakeups.set({ kind: "call", subject, at: sampleEpoch + 5 })
        yield* wakeups.complete(claim)
        assert.strictEqual(yield* wakeups.next({ housekeeping: false }), sampleEpoch + 5)
      }),
    )

    it.effect("gives every due wake-up to exactly one of many claimants", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        const subjects = Array.from({ length: 30 }, () => fresh("exec_"))
        yield* Effect.forEach(subjects, (subject, n) => wakeups.set({ kind: "call", subject, at: sampleEpoch + n }))
        const claimants = Array.from({ length: 10 }, () => wakeups.claimDue(sampleEpoch + 100, 4, 60_000))
        const claimed = (yield* Effect.all(claimants, { concurrency: 10 })).flat()
        const rest = yield* wakeups.claimDue(sampleEpoch + 100, 100, 60_000)
        const seen = [...claimed, ...rest].map((claim) => claim.subject)
        assert.deepStrictEqual(seen.toSorted(), subjects.toSorted())
      }),
    )

    it.effect("forgets every wake-up, claimed ones too", () =>
      Effect.gen(function* () {
        const wakeups = yield* Wakeups
        yield* wakeups.clearAll
        yield* Effect.forEach([0, 1, 2], (n) =>
          wakeups.set({ kind: "call", subject: fresh("exec_"), at: sampleEpoch + n }),
        )
        yield* wakeups.claimDue(sampleEpoch, 1, 10)
        yield* wakeups.clearAll
        assert.isNull(yield* wakeups.next({ housekeeping: true }))
        assert.deepStrictEqual(yield* wakeups.claimDue(sampleEpoch + 1_000, 10, 10), [])
      }),
    )
  })
