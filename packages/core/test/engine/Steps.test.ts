import {
  AdmissionRefused,
  type Commit,
  Conflict,
  DependencyTimeout,
  DependencyUnavailable,
  DomainClock,
  FoundRows,
  Ids,
  limits,
  Steps,
  Store,
  unchanged,
  write,
} from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { sampleAgent, sampleCall, sampleCampaign, sampleKey, sampleOrganization } from "../../src/testing/Samples.ts"
import { Activity } from "../../src/engine/Activity.ts"
import { Alarm } from "../../src/engine/Alarm.ts"
import { Outbox } from "../../src/webhooks/Outbox.ts"

type Answer = Conflict | DependencyTimeout | DependencyUnavailable | AdmissionRefused | null

const conflict = new Conflict({ kind: "call", id: "exec_test" })
const timeout = new DependencyTimeout({ dependency: "call_storage" })

/** Steps over a store that answers as told, one commit after the other, and then takes everything. */
const withStore = <A, E>(
  answers: ReadonlyArray<Answer>,
  test: (steps: Steps["Service"], seen: ReadonlyArray<Commit>) => Effect.Effect<A, E>,
): Effect.Effect<A, E> => {
  const seen: Array<Commit> = []
  const answer = (commit: Commit): Effect.Effect<void, Exclude<Answer, null>> =>
    Effect.suspend(() => {
      const next = answers[seen.push(commit) - 1] ?? null
      return next === null ? Effect.void : Effect.fail(next)
    })
  const store = Layer.succeed(Store, {
    commit: (commit) => Effect.catchTag(answer(commit), "AdmissionRefused", (refused) => Effect.die(refused)),
    admit: (commit) => answer(commit),
    rows: () => Effect.succeed(new FoundRows()),
    versions: (guards) => Effect.succeed(guards.map(() => 0)),
  })
  return Effect.flatMap(Steps, (steps) => test(steps, seen)).pipe(
    Effect.provide(
      Steps.layer.pipe(
        Layer.provide(
          Layer.mergeAll(store, Ids.layer, unsealed, Alarm.layer, Activity.layer).pipe(
            Layer.provideMerge(DomainClock.layer),
          ),
        ),
      ),
    ),
  )
}

/** Drafts as they are: what the outbox adds is its own test. */
const unsealed = Layer.succeed(Outbox, { seal: Effect.succeed })

const draft = { organization_id: "org_test", changes: [{ put: "call" as const, row: sampleCall("org_test") }] }

describe("Steps", () => {
  it.effect("decides anew on what has changed meanwhile, each time under an id of its own", () =>
    withStore([conflict, conflict], (steps, seen) =>
      Effect.gen(function* () {
        let loads = 0
        const view = Effect.sync(() => loads++)
        const decision = yield* steps.run(view, (load) => write(draft, load))
        assert.strictEqual(decision.reply, 2)
        assert.strictEqual(new Set(seen.map((commit) => commit.id)).size, 3)
      }),
    ),
  )

  it.effect("gives up after so many attempts and says which dependency it was", () =>
    withStore(
      Array.from({ length: 2 * limits.commitAttempts }, () => conflict),
      (steps, seen) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(steps.run(Effect.void, () => write(draft, null)))
          assert.deepEqual(exit, Exit.fail(new DependencyUnavailable({ dependency: "call_storage" })))
          assert.strictEqual(seen.length, limits.commitAttempts)
        }),
    ),
  )

  it.effect("sends a commit again whose answer was lost, and it is the same commit", () =>
    withStore([timeout, timeout], (steps, seen) =>
      Effect.gen(function* () {
        yield* steps.commit(draft)
        assert.strictEqual(seen.length, 3)
        assert.strictEqual(new Set(seen).size, 1)
      }),
    ),
  )

  it.effect("gives up after two more tries", () =>
    withStore([timeout, timeout, timeout, timeout], (steps, seen) =>
      Effect.gen(function* () {
        assert.deepEqual(yield* Effect.exit(steps.commit(draft)), Exit.fail(timeout))
        assert.strictEqual(seen.length, 1 + limits.commitResends)
      }),
    ),
  )

  it.effect("writes nothing where nothing is decided, and sends nothing again that was refused", () =>
    withStore([new AdmissionRefused({ level: "agent", used: 1, max: 1 })], (steps, seen) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* steps.run(Effect.void, () => unchanged("kept"))).reply, "kept")
        assert.strictEqual(seen.length, 0)
        const exit = yield* Effect.exit(steps.admit(draft, []))
        assert.deepEqual(exit, Exit.fail(new AdmissionRefused({ level: "agent", used: 1, max: 1 })))
        assert.strictEqual(seen.length, 1)
      }),
    ),
  )

  it.effect("names the dependency by what was to be written", () =>
    Effect.gen(function* () {
      const changes = [
        ["call_storage", { put: "call", row: sampleCall("org_test") }],
        ["api_key_store", { put: "api_key", row: sampleKey("org_test") }],
        ["agent_service", { put: "agent", row: sampleAgent("org_test") }],
        ["account_service", { put: "organization", row: sampleOrganization("org_test") }],
        ["call_storage", { put: "campaign", row: sampleCampaign("org_test") }],
        ["call_storage", { put: "discard", organization_id: "org_test", kind: "event", id: "evt_1" }],
        ["webhook_store", { put: "discard", organization_id: "org_test", kind: "delivery", id: "dlv_1" }],
      ] as const
      for (const [dependency, change] of changes) {
        yield* withStore([conflict], (steps) =>
          Effect.gen(function* () {
            const exit = yield* Effect.exit(steps.commit({ organization_id: "org_test", changes: [change] }))
            assert.deepEqual(exit, Exit.fail(new DependencyUnavailable({ dependency })))
          }),
        )
      }
    }),
  )
})
