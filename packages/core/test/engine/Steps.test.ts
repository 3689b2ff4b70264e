import { DependencyTimeout, DependencyUnavailable, limits, NotFound, StateConflict } from "@carillon/core"
import {
  AdmissionRefused,
  type Change,
  Chance,
  type Commit,
  Conflict,
  DomainClock,
  Ids,
  Steps,
  Store,
} from "@carillon/core/ports"
import type { ByCaller } from "../../src/keys/rules/Caller.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer } from "effect"
import {
  sampleAgent,
  sampleCall,
  sampleCaller,
  sampleCampaign,
  sampleKey,
  sampleOrganization,
} from "../../src/testing/Samples.ts"
import { hangsUp } from "../../src/calls/rules/CallErrands.ts"
import type { StopReply } from "../../src/calls/rules/CallReplies.ts"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { AuditEntries } from "../../src/engine/AuditEntries.ts"
import { Activity } from "../../src/engine/Activity.ts"
import { Alarm } from "../../src/engine/Alarm.ts"
import { ErrandHandling, nextStep } from "../../src/engine/ErrandHandling.ts"
import { Parking } from "../../src/engine/Parking.ts"
import * as written from "../../src/engine/rules/Outcome.ts"
import { refused } from "../../src/engine/rules/Outcome.ts"
import { CurrentCommitMeter } from "../../src/engine/ports/CommitMeter.ts"
import { batchesOf } from "../../src/engine/rules/Guards.ts"
import { refuse, row, seen, unraised } from "../../src/engine/steps/Reading.ts"
import { step } from "../../src/engine/steps/Step.ts"
import * as MemoryStore from "../../src/memory/MemoryStore.ts"
import { MemoryTables } from "../../src/memory/MemoryTables.ts"
import { SecretKeeping } from "../../src/secrets/ports/SecretKeeping.ts"
import { Transliterator } from "../../src/transliteration/ports/Transliterator.ts"
import { Outbox } from "../../src/engine/ports/Outbox.ts"
import { askedOf } from "../StepInPieces.ts"

/** How the store answers: it refuses, it takes its time, or it takes the commit at once (null). */
type Answer = Conflict | DependencyTimeout | DependencyUnavailable | AdmissionRefused | "late" | null

const conflict = new Conflict({ kind: "call", id: "exec_test" })
const timeout = new DependencyTimeout({ dependency: "call_storage" })
const full = new AdmissionRefused({ level: "agent", used: 1, max: 1 })

/** Steps over a store that answers as told, one commit after the other, and then takes everything. */
const withStore = <A, E>(
  answers: ReadonlyArray<Answer>,
  test: (steps: Steps["Service"], seen: ReadonlyArray<Commit>) => Effect.Effect<A, E>,
  stored: ReadonlyArray<Change> = [],
  /** Does errands; by itself there are none. */
  handle: ErrandHandling["Service"]["handle"] = (errand) => Effect.die(errand),
  ask: ErrandHandling["Service"]["ask"] = askedOf({}),
): Effect.Effect<A, E> => {
  const seen: Array<Commit> = []
  const answer = (commit: Commit): Effect.Effect<void, Exclude<Answer, "late" | null>> =>
    Effect.suspend(() => {
      const next = answers[seen.push(commit) - 1] ?? null
      if (next === "late") return Effect.repeat(Effect.yieldNow, { times: 5 })
      return next === null ? Effect.void : Effect.fail(next)
    })
  const tables = new MemoryTables()
  for (const change of stored) tables.restore(change)
  const rows = MemoryStore.layer(tables)
  const store = Layer.effect(
    Store,
    Effect.map(Store, (under) => ({
      ...under,
      commit: (commit) => Effect.catchTag(answer(commit), "AdmissionRefused", (refused) => Effect.die(refused)),
      admit: (commit) => answer(commit),
    })),
  )
  return Effect.flatMap(Steps, (steps) => test(steps, seen)).pipe(
    Effect.provide(
      Steps.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            unsealed,
            Alarm.layer,
            Layer.provideMerge(Parking.layer, Activity.layer),
            Layer.succeed(ErrandHandling, { handle, ask }),
            AuditEntries.layer,
            SecretKeeping.layer,
            Transliterator.layer,
            store,
          ).pipe(Layer.provideMerge(Layer.mergeAll(rows, DomainClock.layer, Ids.layer, Chance.layer))),
        ),
      ),
    ),
  )
}

/** Drafts as they are: what the outbox adds is its own test. */
const unsealed = Layer.succeed(Outbox, { seal: Effect.succeed })

const draft = { organization_id: "org_test", changes: [{ put: "call" as const, row: sampleCall("org_test") }] }

describe("Steps", () => {
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

  it.effect("tells whoever counts of each end of a commit, and why it is sent again", () => {
    const told: Array<string> = []
    const meter = { ended: (end: string) => void told.push(end), again: (reason: string) => void told.push(reason) }
    return withStore([timeout, null, timeout, timeout, timeout], (steps) =>
      Effect.gen(function* () {
        yield* steps.commit(draft)
        assert.deepEqual(told.splice(0), ["answer_lost", "applied"])
        yield* Effect.exit(steps.commit(draft))
        assert.deepEqual(told, ["answer_lost", "answer_lost", "timeout"])
      }),
    ).pipe(Effect.provideService(CurrentCommitMeter, meter))
  })

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

describe("a step that is taken", () => {
  const caller = sampleCaller("org_test")
  const noAgent = new NotFound({ message: "Agent not found." })
  const kept = new StateConflict({ message: "It stays as it is." })

  const rename = (reads: Array<number> = []) =>
    step({
      name: "agent.rename",
      *reads({ agent_id }: ByCaller & { readonly agent_id: string; readonly to: string }) {
        reads.push(reads.length)
        return (yield* row("agent", agent_id)) ?? (yield* refuse(noAgent))
      },
      decide({ to }, agent, { now }) {
        if (to === "") return refused(kept)
        if (to === agent.display_name) return written.unchanged(agent)
        const change = written.put("agent", agent, { ...agent, display_name: to, updated_at: now })
        const resource = { type: "agent", id: agent.agent_id }
        return written.write([change], { audit: [{ resource }], reply: change.row })
      },
    })

  const agent = sampleAgent("org_test", { agent_id: "agt_one", display_name: "Before" })
  const input = { caller, agent_id: "agt_one", to: "After" }
  const stored = [{ put: "agent", row: agent }] as const

  it.effect("writes what it has decided of what it has read, in the caller's name, and answers", () =>
    withStore(
      [],
      (steps, seen) =>
        Effect.gen(function* () {
          const reply = yield* steps.take(rename(), input)
          assert.deepInclude(reply, { revision: 2, display_name: "After" })
          assert.deepStrictEqual(
            seen.map(({ changes, expect, organization_id }) => ({ changes, expect, organization_id })),
            [{ organization_id: "org_test", expect: [], changes: [{ put: "agent", row: reply }] }],
          )
          const [entry] = seen[0]?.audit ?? []
          assert.deepInclude(entry, { action: "agent.rename", outcome: "allowed", request_id: caller.request_id })
        }),
      stored,
    ),
  )

  it.effect("reads and decides anew on what has changed meanwhile", () =>
    withStore(
      [conflict, conflict],
      (steps, seen) =>
        Effect.gen(function* () {
          const reads: Array<number> = []
          yield* steps.take(rename(reads), input)
          assert.lengthOf(reads, 3)
          assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 3)
        }),
      stored,
    ),
  )

  it.effect("writes nothing where it is refused, or nothing is decided", () =>
    withStore(
      [],
      (steps, seen) =>
        Effect.gen(function* () {
          assert.deepEqual(yield* Effect.exit(steps.take(rename(), { ...input, to: "" })), Exit.fail(kept))
          const unknown = steps.take(rename(), { ...input, agent_id: "agt_two" })
          assert.deepEqual(yield* Effect.exit(unknown), Exit.fail(noAgent))
          assert.deepStrictEqual(yield* steps.take(rename(), { ...input, to: "Before" }), agent)
          assert.deepStrictEqual(yield* steps.look(() => row("agent", "agt_one")), agent)
          assert.lengthOf(seen, 0)
        }),
      stored,
    ),
  )

  it.effect("is taken once where it is proposed: whoever proposes it hears what has changed, and looks anew", () =>
    withStore(
      [conflict],
      (steps, seen) =>
        Effect.gen(function* () {
          const reads: Array<number> = []
          assert.deepEqual(yield* Effect.exit(steps.propose(rename(reads), input)), Exit.fail(conflict))
          assert.lengthOf(reads, 1)
          yield* steps.propose(rename(reads), input)
          assert.lengthOf(seen, 2)
          assert.deepEqual(yield* Effect.exit(steps.propose(rename(), { ...input, to: "" })), Exit.fail(kept))
          assert.deepStrictEqual(yield* steps.propose(rename(), { ...input, to: "Before" }), agent)
          assert.lengthOf(seen, 2)
        }),
      stored,
    ),
  )

  it.effect("is given a row that its process has written at the first try only", () =>
    withStore(
      [conflict],
      (steps, seen) =>
        Effect.gen(function* () {
          const givens: Array<string | null> = []
          const renameGiven = step({
            name: "agent.rename",
            *reads({ given }: ByCaller & { readonly given: typeof agent | null }) {
              givens.push(given?.display_name ?? null)
              return given ?? (yield* row("agent", agent.agent_id))
            },
            decide: (_, read) =>
              read === null
                ? written.unchanged(0)
                : written.write([written.put("agent", read, { ...read, display_name: "After" })], {
                    reply: read.revision,
                  }),
          })
          assert.strictEqual(yield* steps.take(renameGiven, { caller, given: agent }, { caller, given: null }), 1)
          assert.deepStrictEqual(givens, ["Before", null])
          assert.lengthOf(seen, 2)
        }),
      stored,
    ),
  )

  it.effect(
    "is drafted for who has a line, by what was read before and by nothing else, and not sent again where it was refused",
    () =>
      withStore([full], (steps, commits) =>
        Effect.gen(function* () {
          const expected = { kind: "agent", id: agent.agent_id, revision: 1 } as const
          const touched = step({
            name: "agent.touch",
            reads: ({ organization_id }: { readonly organization_id: string }) =>
              organization_id === "org_test"
                ? seen([expected], "its agent")
                : unraised(batchesOf("cmp_one"), "No batch."),
            decide: () => written.write([written.put("agent", agent, agent)], { reply: undefined }),
          })
          const drafted = steps.drafted(touched, { organization_id: "org_test" })
          assert.lengthOf(commits, 0)
          assert.deepStrictEqual(yield* Effect.exit(drafted.admit([])), Exit.fail(full))
          assert.lengthOf(commits, 1)
          // Where there is room by now, it is written as it was decided.
          yield* drafted.admit([])
          for (const { changes, expect, organization_id } of commits) {
            assert.deepStrictEqual([organization_id, expect], [drafted.organization_id, [expected]])
            assert.lengthOf(changes, 1)
          }
          assert.lengthOf(commits, 2)
          assert.throws(() => steps.drafted(touched, { organization_id: "org_two" }), /read before/)
        }),
      ),
  )

  const settles = (batch_id: string) => settlesBatch({ batch_id, organization_id: "org_test" })

  /** Renames an agent, and has a batch settled of the name that it had. */
  const renameAndTell = step({
    name: "agent.rename",
    reads: ({ agent_id }: ByCaller & { readonly agent_id: string; readonly to: string }) => row("agent", agent_id),
    decide({ to }, read) {
      if (read === null) return refused(noAgent)
      const errands = [settles(read.display_name), settles(to)]
      if (to === read.display_name) return written.unchanged(undefined, errands)
      return written.write([written.put("agent", read, { ...read, display_name: to })], { errands, reply: undefined })
    },
  })

  it.effect("has done what it names once its commit is written, in order, and answers then", () => {
    const done: Array<string> = []
    let commits: ReadonlyArray<Commit> = []
    return withStore(
      [conflict, "late"],
      (steps, seen) =>
        Effect.gen(function* () {
          commits = seen
          yield* steps.take(renameAndTell, input)
          assert.deepStrictEqual(done.splice(0), ["Before after 2", "After after 2"])
          yield* steps.propose(renameAndTell, { ...input, to: "Later" })
          assert.deepStrictEqual(done.splice(0), ["Before after 3", "Later after 3"])
          // Nothing is written, so nothing is waited for.
          yield* steps.take(renameAndTell, { ...input, to: "Before" })
          assert.deepStrictEqual(done.splice(0), ["Before after 3", "Before after 3"])
          yield* steps.errand(settles("found undone"))
          assert.deepStrictEqual(done, ["found undone after 3"])
        }),
      stored,
      ({ subject }) =>
        Effect.as(
          Effect.sync(() => done.push(`${subject} after ${commits.length}`)),
          null,
        ),
    )
  })

  it.effect("has nothing done where its commit is refused or fails", () =>
    withStore(
      [new DependencyUnavailable({ dependency: "agent_service" }), conflict, full],
      (steps) =>
        Effect.gen(function* () {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(steps.take(renameAndTell, input))))
          assert.isTrue(Exit.isFailure(yield* Effect.exit(steps.propose(renameAndTell, input))))
          const drafted = steps.drafted(
            step({
              name: "agent.touch",
              reads: () => seen([], "nothing"),
              decide: ({ organization_id }: { readonly organization_id: string }) =>
                written.write([written.put("agent", agent, agent)], {
                  errands: [settles(organization_id)],
                  reply: undefined,
                }),
            }),
            { organization_id: "org_test" },
          )
          assert.deepStrictEqual(yield* Effect.exit(drafted.admit([])), Exit.fail(full))
          const unknown = steps.take(renameAndTell, { ...input, agent_id: "agt_two" })
          assert.deepEqual(yield* Effect.exit(unknown), Exit.fail(noAgent))
        }),
      stored,
    ),
  )

  const live = sampleCall("org_test")

  /** Renames an agent, and asks for a call to be hung up: so it is told whether the carrier does. */
  const renameAndAsk = step({
    name: "agent.rename",
    reads: () => seen([], "nothing"),
    decide: ({ caller, to }: ByCaller & { readonly to: string }) =>
      written.asks(hangsUp(caller, live, to), [written.put("agent", agent, { ...agent, display_name: to })], {
        errands: [settles("before")],
      }),
  })

  /** Takes what comes of that. */
  const told = step({
    name: "call.tell",
    reads: () => row("agent", agent.agent_id),
    decide: ({ answer }: ByCaller & { readonly answer: string }, read) =>
      answer === "Refused"
        ? refused(new StateConflict({ message: "No." }))
        : written.unchanged<StopReply>({
            _tag: "Stopped",
            call: live,
            requested_at: read?.revision ?? 0,
            reason: answer,
          }),
  })

  it.effect(
    "that asks is answered by the step that takes what comes of it; who admits a draft asks when they want",
    () => {
      const done: Array<string> = []
      let commits: ReadonlyArray<Commit> = []
      const note = (what: string) => Effect.sync(() => void done.push(`${what} after ${commits.length}`))
      return withStore(
        [],
        (steps, sent) =>
          Effect.gen(function* () {
            commits = sent
            const reply = yield* steps.take(renameAndAsk, { caller, to: "Sent" })
            assert.deepInclude(reply, { _tag: "Stopped", reason: "Sent" })
            assert.deepStrictEqual(done.splice(0), ["before after 1", "Sent after 1"])
            const refusing = steps.propose(renameAndAsk, { caller, to: "Refused" })
            assert.deepEqual(yield* Effect.exit(refusing), Exit.fail(new StateConflict({ message: "No." })))
            assert.deepStrictEqual(done.splice(0), ["before after 2", "Refused after 2"])
            const follows = yield* steps.drafted(renameAndAsk, { caller, to: "Admitted" }).admit([])
            assert.lengthOf(sent, 3)
            assert.deepStrictEqual(done, [])
            assert.deepInclude(yield* follows, { reason: "Admitted" })
            assert.deepStrictEqual(done, ["before after 3", "Admitted after 3"])
          }),
        stored,
        ({ subject }) => Effect.as(note(subject), null),
        askedOf({
          "call.hang_up": ({ caller: asking, reason }) =>
            Effect.as(note(reason), nextStep(told, { caller: asking, answer: reason })),
        }),
      )
    },
  )

  it.effect("reads nothing before a commit of its process is written that replaces the row for which it waits", () =>
    withStore(
      ["late"],
      (steps, seen) =>
        Effect.gen(function* () {
          const order: Array<string> = []
          const first = Effect.tap(steps.take(rename(), input), () => Effect.sync(() => order.push("written")))
          const writing = yield* Effect.forkChild(first)
          while (seen.length === 0) yield* Effect.yieldNow
          const next = rename()
          const waiting = {
            ...next,
            awaits: () => ({ kind: "agent" as const, id: agent.agent_id }),
            reads: (asked: typeof input) => {
              order.push("read")
              return next.reads(asked)
            },
          }
          yield* steps.take(waiting, { ...input, to: "Later" })
          yield* Fiber.join(writing)
          assert.deepStrictEqual(order, ["written", "read"])
        }),
      stored,
    ),
  )

  it.effect("gives up after so many attempts, under the name of what it would write", () =>
    withStore(
      Array.from({ length: 2 * limits.commitAttempts }, () => conflict),
      (steps, seen) =>
        Effect.gen(function* () {
          const exit = yield* Effect.exit(steps.take(rename(), input))
          assert.deepEqual(exit, Exit.fail(new DependencyUnavailable({ dependency: "agent_service" })))
          assert.strictEqual(seen.length, limits.commitAttempts)
        }),
      stored,
    ),
  )
})
