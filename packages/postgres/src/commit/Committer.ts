import type { InvalidField, PortError } from "@carillon/core"
import type { Commit, SlotDemand } from "@carillon/core/ports"
import { DependencyTimeout } from "@carillon/core"
import { AdmissionRefused, Conflict, CurrentMeters, dependencyOf, metrics, timed } from "@carillon/core/ports"
import { Cause, Deferred, Effect, Exit, Fiber, Option, Result, Semaphore } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { atOnce, both } from "../AtOnce.ts"
import { detached } from "../Detached.ts"
import { handedOut } from "../HandedOut.ts"
import { heard, isBroken, isTransient, noted, portError, unanswered } from "../Failures.ts"
import { admitByCount } from "./Admission.ts"
import { apply } from "./Apply.ts"
import { isApart, Waiters, type Waiting } from "./Group.ts"
import { judge, lowerGuards } from "./Judge.ts"
import { writtenOut } from "../rows/WrittenOut.ts"

/** How long a commit may take before its answer counts as lost. */
const commitMaxMs = 10_000

/** Times that a transaction is run again which PostgreSQL undid for the sake of another. */
const transientRetries = 8

/** So many commits are remembered at least, so that one that is sent again applies once. */
const rememberedCommits = 100_000

/** Old ones are forgotten after so many more. */
const forgetEvery = 1_000

/** Commits that are written in one transaction at most, and transactions under way at a time. */
const groupMax = 64
const groupsUnderWay = 2
/** Of those that are written apart, so that rows of a megabyte and lists of contacts leave the others a transaction. */
const apartUnderWay = 2
/** The same of those that wait for the callees of their organizations. */
const groupsBehind = 1

/** Why a commit is not written, which no other one of its group is the cause of. */
export type Refusal = Conflict | AdmissionRefused | InvalidField

/**
 * How long a commit waits for one lock before it lets the others go ahead, which is long enough for a deadlock to be found; and how long it then
 * waits by itself, together less than its answer may take.
 */
const patience = { brief: "2s", long: "5s" } as const
type Patience = keyof typeof patience

/** Commits of a group whose lock was not had that are written for themselves at a time, and those that wait by themselves at most. */
const loneTogether = 4
const loneWaiting = 4

interface Entry extends Waiting {
  readonly answer: Deferred.Deferred<void, Refusal | PortError>
}

/** Commits that wait, and the transactions under way that write them. */
interface Queue {
  readonly waiting: Waiters<Entry>
  underWay: number
  readonly most: number
  readonly waitsForCallees: boolean
}

interface Entered {
  readonly commit_id: string
  readonly sequence: number
}

/** Enters the ids of commits; tells of those that have not been applied before. From here on the transaction waits so long for a lock. */
const enter = (sql: SqlClient.SqlClient, waiting: ReadonlyArray<Waiting>, lockTimeout: string) =>
  sql.unsafe<Entered>(
    `with patience as materialized (select set_config('lock_timeout', $2, true))
     insert into carillon.commits (commit_id)
     select commit_id from patience cross join unnest($1::text[]) as r(commit_id) order by commit_id collate "C"
     on conflict (commit_id) do nothing returning commit_id, sequence::double precision as sequence`,
    [[...new Set(waiting.map(({ commit }) => commit.id))], lockTimeout],
  )

/** Forgets commits that were entered long ago, and those that are refused: they are not applied, and may be sent again. */
const forget = (sql: SqlClient.SqlClient, entered: ReadonlyArray<Entered>, refused: ReadonlyArray<string>) =>
  atOnce([
    ...entered.flatMap(({ sequence }) =>
      sequence % forgetEvery === 0
        ? [sql.unsafe("delete from carillon.commits where sequence <= $1::bigint", [sequence - rememberedCommits])]
        : [],
    ),
    ...(refused.length === 0
      ? []
      : [sql.unsafe("delete from carillon.commits where commit_id = any($1::text[])", [refused])]),
  ])

const isLocked = ({ reason }: SqlError.SqlError): boolean => reason._tag === "LockTimeoutError"

/** How a transaction is tried. */
interface Attempt {
  readonly lockTimeout: string
  /** Whether it waits for the callees of an organization, or leaves those out who would have to. */
  readonly waitsForCallees: boolean
  readonly begun: () => void
}

/** What became of the commits of a transaction; those that are not named were written. */
interface Written {
  readonly refused: ReadonlyMap<string, Refusal>
  readonly waiting: ReadonlySet<string>
}

/** Writes commits in one transaction, and says who is refused. A conflict that shows only while writing undoes all of them. */
const transaction = (
  sql: SqlClient.SqlClient,
  waiting: ReadonlyArray<Waiting>,
  { begun, lockTimeout, waitsForCallees }: Attempt,
) =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        begun()
        // What they rest on is locked and looked at in one message, as if all of them were new and none were refused by the one before.
        const [entered, [admission, judgement]] = yield* both(
          enter(sql, waiting, lockTimeout),
          both(
            admitByCount(sql, waiting, waitsForCallees),
            judge(
              sql,
              waiting.map(({ commit }) => commit),
            ),
          ),
        )
        const isNew = new Set(entered.map(({ commit_id }) => commit_id))
        const { refused: unadmitted, waiting: left } = admission(waiting.filter(({ commit }) => isNew.has(commit.id)))
        const admitted = waiting.flatMap(({ commit }) =>
          !isNew.has(commit.id) || unadmitted.has(commit.id) || left.has(commit.id) ? [] : [commit],
        )
        const conflicts = judgement(admitted)
        const refused = new Map<string, Refusal>([...unadmitted, ...conflicts])
        const [first] = refused.values()
        // One that conflicts was counted as admitted before those that were refused a line.
        const isFull = [...unadmitted.values()].some(({ _tag }) => _tag === "AdmissionRefused")
        const isMiscounted = isFull && conflicts.size > 0
        if (first !== undefined && (waiting.length === 1 || isMiscounted)) return yield* first
        const accepted = admitted.filter(({ id }) => !conflicts.has(id))
        const unwritten = waiting.flatMap(({ commit }) => (accepted.includes(commit) ? [] : [commit]))
        const undone = both(lowerGuards(sql, unwritten), forget(sql, entered, [...refused.keys(), ...left]))
        yield* both(undone, apply(sql, accepted))
        return { refused, waiting: left } satisfies Written
      }),
    )
    .pipe(
      // Where even the rollback finds no connection, the client gives up with a defect: the error of it, or what it was to undo.
      Effect.catchDefect((defect) =>
        defect instanceof SqlError.SqlError || defect instanceof Conflict || defect instanceof AdmissionRefused
          ? Effect.fail(defect)
          : Effect.die(defect),
      ),
      Effect.retry({
        times: transientRetries,
        while: (error) => error._tag === "SqlError" && isTransient(error) && !isLocked(error),
      }),
    )

/** Measures a group's transaction. A commit that is refused has had its answer. */
const measured = <A>(entries: ReadonlyArray<Waiting>, written: Effect.Effect<A, Refusal | SqlError.SqlError>) =>
  Effect.withFiber<A, Refusal | SqlError.SqlError>((fiber) => {
    const [first] = entries
    if (first === undefined) return written
    const dependency = dependencyOf(first.commit)
    return timed(fiber.getRef(CurrentMeters), written, (meters, seconds, exit) => {
      if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return
      meters.record(metrics.groupSizes, [], entries.length)
      meters.record(metrics.database, ["postgresql", "commit", dependency, answerOf(exit)], seconds)
    })
  })

const answerOf = (exit: Exit.Exit<unknown, Refusal | SqlError.SqlError>) => {
  if (Exit.isSuccess(exit)) return "ok"
  const failed = Cause.findError(exit.cause)
  if (Result.isFailure(failed) || failed.success._tag !== "SqlError") return "ok"
  return failed.success.reason._tag === "StatementTimeoutError" ? "timeout" : "unavailable"
}

/**
 * Writes commits as transactions. Those that wait at the same time are written together: one write to the log, one lock on what they
 * share, one sum where they add to the same figure. Each still succeeds or conflicts for itself, and a lone one waits for nobody.
 */
export const makeCommitter = (sql: SqlClient.SqlClient) => {
  const start = detached(sql)
  const together: Queue = { waiting: new Waiters(), underWay: 0, most: groupsUnderWay, waitsForCallees: false }
  const apart: Queue = { waiting: new Waiters(), underWay: 0, most: apartUnderWay, waitsForCallees: false }
  /** Those whose callees somebody else has: they wait by themselves, so that a list that is uploaded holds up nobody else. */
  const behind: Queue = { waiting: new Waiters(), underWay: 0, most: groupsBehind, waitsForCallees: true }
  const alone = Semaphore.makeUnsafe(loneWaiting)

  const answerAll = (
    entries: ReadonlyArray<Entry>,
    answerOf: (commit: Commit) => Effect.Effect<void, Refusal | PortError>,
  ) =>
    handedOut(
      entries.map(({ answer, commit }) => ({
        party: commit.organization_id,
        give: () => Deferred.doneUnsafe(answer, answerOf(commit)),
      })),
    )

  /** Whoever waits hears of a mistake in the writing of its commit: nobody waits for ever. */
  const dieAll = (entries: ReadonlyArray<Entry>, cause: Cause.Cause<never>) =>
    answerAll(entries, () => Effect.failCause(cause))

  /**
   * Writes a group and answers everyone in it. What PostgreSQL undid for the sake of another is run again; where the answer to the end of it was
   * lost nobody knows whether it applied, and the engine sends it again under the same id. What one commit is the cause of is not the others' fault:
   * one that waits for a lock that is not had soon goes on waiting by itself.
   */
  const write = (
    entries: ReadonlyArray<Entry>,
    waitsForCallees: boolean,
    waits: Patience = "brief",
  ): Effect.Effect<void> =>
    Effect.suspend(() => {
      let isUnderWay = false
      const begun = () => {
        isUnderWay = true
      }
      const attempt: Attempt = { begun, lockTimeout: patience[waits], waitsForCallees }
      const failAll = (failureOf: (commit: Commit) => PortError) =>
        answerAll(entries, (commit) => Effect.fail(failureOf(commit)))
      const lost = (commit: Commit) => new DependencyTimeout({ dependency: dependencyOf(commit) })
      const written = measured(entries, heard("write", transaction(sql, entries, attempt))).pipe(
        Effect.flatMap(({ refused, waiting }) => {
          const left = entries.filter(({ commit }) => waiting.has(commit.id))
          return Effect.andThen(
            Effect.forEach(left, (entry) => joined(behind, entry), { discard: true }),
            answerAll(
              entries.filter((entry) => !left.includes(entry)),
              ({ id }) => refused.get(id) ?? Effect.void,
            ),
          )
        }),
        Effect.catch((error) => {
          const [first] = entries
          if (first === undefined) return Effect.void
          if (error._tag !== "SqlError") {
            if (entries.length > 1)
              return Effect.forEach(entries, (entry) => write([entry], waitsForCallees), { discard: true })
            return answerAll(entries, () => error)
          }
          if (isLocked(error) && entries.length > 1) {
            return Effect.forEach(entries, (entry) => write([entry], waitsForCallees), {
              discard: true,
              concurrency: loneTogether,
            })
          }
          if (isLocked(error) && waits === "brief") {
            const waited = alone.withPermitsIfAvailable(1)(write(entries, waitsForCallees, "long"))
            const refused = failAll((commit) => portError(dependencyOf(commit), error))
            const answered = Effect.flatMap(waited, (had) => (Option.isNone(had) ? refused : Effect.void))
            return Effect.asVoid(start(Effect.catchCause(answered, (cause) => dieAll(entries, cause))))
          }
          const isOnes = !isBroken(error) && error.reason._tag !== "StatementTimeoutError" && !isTransient(error)
          if (isOnes && entries.length > 1) {
            return Effect.forEach(entries, (entry) => write([entry], waitsForCallees), { discard: true })
          }
          return Effect.andThen(
            noted(first.commit.id, error),
            failAll((commit) =>
              isUnderWay && isBroken(error) ? lost(commit) : portError(dependencyOf(commit), error),
            ),
          )
        }),
      )
      // The end of a transaction cannot be interrupted: one whose answer never comes is left behind, and holds up nobody else.
      return Effect.flatMap(Effect.forkDetach(written), (fiber) =>
        Effect.timeoutOrElse(Fiber.join(fiber), {
          duration: commitMaxMs,
          orElse: () =>
            Effect.andThen(
              Effect.andThen(failAll(lost), unanswered(`no answer in ${commitMaxMs / 1_000} s`)),
              Effect.forkDetach(Fiber.interrupt(fiber)),
            ),
        }),
      )
    })

  /** Writes groups until nobody waits. */
  const drain = (queue: Queue) =>
    Effect.gen(function* () {
      for (;;) {
        const group = queue.waiting.take(groupMax)
        if (group.length === 0) {
          queue.underWay -= 1
          return
        }
        yield* Effect.catchCause(write(group, queue.waitsForCallees), (cause) => dieAll(group, cause))
      }
    })

  /** Nobody comes between the count of what is under way and its start. */
  const joined = (queue: Queue, entry: Entry): Effect.Effect<void> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        queue.waiting.add(entry)
        if (queue.underWay >= queue.most) return Effect.void
        queue.underWay += 1
        return Effect.asVoid(start(drain(queue)))
      }),
    )

  return (commit: Commit, levels: ReadonlyArray<SlotDemand>): Effect.Effect<void, Refusal | PortError> =>
    Effect.suspend(() => {
      const entry: Entry = { commit, levels, answer: Deferred.makeUnsafe() }
      const queue = isApart(commit) ? apart : together
      return Effect.andThen(
        Effect.andThen(writtenOut(commit), joined(queue, entry)),
        Effect.onInterrupt(Deferred.await(entry.answer), () =>
          Effect.sync(() => {
            queue.waiting.remove(entry)
            behind.waiting.remove(entry)
          }),
        ),
      )
    }).pipe(
      // The steps around a dial cannot be interrupted; a server that never answers must not hold them up all the same.
      Effect.interruptible,
      Effect.timeoutOrElse({
        duration: commitMaxMs,
        orElse: () => Effect.fail(new DependencyTimeout({ dependency: dependencyOf(commit) })),
      }),
    )
}
