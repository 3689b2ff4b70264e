import { DependencyUnavailable, type PortError } from "@carillon/core"
import { type CallStore, everyHolder, restoreLine, type SlotStore } from "@carillon/core/ports"
import { Effect, Latch, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import type { RedisConnection } from "../../src/RedisConnection.ts"
import { redisLimits } from "../../src/RedisLimits.ts"
import { number } from "../../src/Reply.ts"
import { lineOf, slotKeys } from "./SlotKeys.ts"
import { beginRebuildScript, endRebuildScript, restoreScript } from "./SlotScripts.ts"

const dependency = "slot_store"
const decode = number(dependency)

interface Rebuild {
  readonly restore: SlotStore["Service"]["restore"]
  /** Has the memberships entered anew where they are not complete; the second of two at once adds nothing. */
  readonly start: () => void
}

/** Enters what the rows prove into a Redis that has lost it, whenever it answers again, until the scope closes. */
export const makeRebuild = Effect.fnUntraced(function* (
  redis: RedisConnection["Service"],
  calls: CallStore["Service"],
): Effect.fn.Return<Rebuild, never, Scope.Scope> {
  const keys = slotKeys(redis.prefix)
  const wanted = Latch.makeUnsafe(false)
  const unavailable = new DependencyUnavailable({ dependency })

  const restore: Rebuild["restore"] = ({ execution_id, organization_id, fence, levels }) =>
    Effect.asVoid(
      redis.run(dependency, restoreScript, keys, [execution_id, organization_id, fence, ...levels.map(lineOf)]),
    )

  let wasComplete = false
  let isToldComplete = true
  /** Says once that lines were lost, however often entering them fails, and once that none is missing. A new Redis has lost none. */
  const tell = (isComplete: boolean) =>
    Effect.suspend(() => {
      if (isComplete === isToldComplete || !(isComplete || wasComplete)) {
        wasComplete ||= isComplete
        return Effect.void
      }
      isToldComplete = isComplete
      return isComplete
        ? Effect.logInfo("Redis knows every line again.")
        : Effect.logWarning("Redis does not know every line: they are entered from the committed calls.")
    })

  /** Whether the memberships are complete by now; false: they were lost again meanwhile. */
  const attempt: Effect.Effect<boolean, PortError> = Effect.gen(function* () {
    const { runId } = redis.link
    if (runId === null) return yield* unavailable
    const token = randomUUID()
    const end = Effect.flatMap(redis.run(dependency, endRebuildScript, keys, [token, runId]), decode)
    if ((yield* end) === 1) {
      yield* tell(true)
      return true
    }
    yield* tell(false)
    yield* redis.run(dependency, beginRebuildScript, keys, [token, redisLimits.rebuildGarbageMs])
    const holders = yield* everyHolder(calls)
    yield* Effect.forEach(holders, ([member, call]) => restoreLine({ restore }, member, call), {
      concurrency: redisLimits.rebuildBatch,
      discard: true,
    })
    // Where another server answers by now, the epoch that this sets is not its own, and everything begins anew.
    const isComplete = (yield* end) === 1
    if (isComplete) yield* tell(true)
    return isComplete
  })

  const untilComplete = Effect.gen(function* () {
    while (redis.link.isUp) {
      const isComplete = yield* Effect.catch(attempt, () => Effect.succeed(false))
      if (isComplete) return
      yield* Effect.sleep(redisLimits.rebuildRetryMs)
    }
  })

  yield* Effect.ignore(Effect.timeout(attempt, redisLimits.startMs))
  const start = () => void wanted.openUnsafe()
  yield* Effect.acquireRelease(
    Effect.sync(() => redis.link.onUp(start)),
    (stop) => Effect.sync(stop),
  )
  yield* wanted.await.pipe(
    Effect.andThen(Effect.sync(() => wanted.closeUnsafe())),
    Effect.andThen(untilComplete),
    Effect.forever,
    Effect.forkScoped,
  )
  start()
  return { restore, start }
})
