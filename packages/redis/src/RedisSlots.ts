import { DependencyUnavailable, type PortError } from "@carillon/core"
import { CallStore, type SlotAnswer, SlotNews, type SlotRequest, SlotStore } from "@carillon/core/ports"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { MemberPages } from "./MemberPages.ts"
import { makeRebuild } from "./Rebuild.ts"
import { RedisConnection } from "./RedisConnection.ts"
import { redisLimits } from "./RedisLimits.ts"
import { lapsed, number, numbers, strings } from "./Reply.ts"
import type { Script } from "./Script.ts"
import {
  abandonScript,
  acquireScript,
  forgetScript,
  holdScript,
  lapseScript,
  leaveScript,
  releaseScript,
  usedScript,
  wantScript,
} from "./SlotScripts.ts"
import { lineOf, olderSlotKeys, slotKeys, tailOf } from "./SlotKeys.ts"

const dependency = "slot_store"
const { olderGateMs, recountMsEach } = redisLimits
const decodeNumber = number(dependency)
const decodeNumbers = numbers(dependency)
const decodeStrings = strings(dependency)
const decodeLapsed = lapsed(dependency)

const answerOf = (request: SlotRequest, reply: ReadonlyArray<number>): SlotAnswer | null => {
  const [kind, first = 0, used = 0, max = 0] = reply
  if (kind === 1) return { _tag: "Acquired", fence: first }
  const level = request.levels[first - 1]?.level
  return kind === 0 && level !== undefined ? { _tag: "Blocked", level, used, max } : null
}

/** Forgets every line under the prefix of the connection, as a flush would: for worlds of tests, which come and go. */
export const forget: Effect.Effect<void, PortError, RedisConnection> = Effect.gen(function* () {
  const { prefix, run } = yield* RedisConnection
  yield* run(dependency, forgetScript, [...slotKeys(prefix), ...olderSlotKeys(prefix)], [])
})

/** What `acquireScript` is told. */
export const acquireArguments = (
  { execution_id, levels, organization_id, reservedUntil, waitUntil }: SlotRequest,
  runId: string,
  token: string,
): ReadonlyArray<string | number> => {
  const turn = `#turn ${organization_id}`
  const dispatched = levels.some(({ level }) => level === "campaign") ? 1 : 0
  const ceilings = levels.map(({ ceiling }) => ceiling ?? -1)
  return [
    runId,
    execution_id,
    turn,
    tailOf(organization_id, levels, token, reservedUntil),
    reservedUntil,
    waitUntil === null ? "" : [waitUntil, reservedUntil, dispatched, turn, ceilings.join(" ")].join("\0"),
    dispatched,
    ...levels.map(lineOf),
    ...ceilings,
  ]
}

/** The execution ids of a message; nobody is woken by what is no message of ours. */
const idsOf = (message: string): ReadonlyArray<string> => {
  try {
    const ids: unknown = JSON.parse(message)
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
  } catch {
    return []
  }
}

/**
 * The four-level gate on Redis. No line is given before the memberships are complete: after a start, a flush, a restart or a failover
 * they are first entered from the committed calls, and until then it fails as if Redis were away.
 */
export const layer: Layer.Layer<SlotStore, never, RedisConnection | CallStore> = Layer.effectContext(
  Effect.gen(function* () {
    const redis = yield* RedisConnection
    const keys = slotKeys(redis.prefix)
    const allKeys = [...keys, ...olderSlotKeys(redis.prefix)]
    const channel = `${redis.prefix}:granted`
    const members = new MemberPages(redis)
    const rebuild = yield* makeRebuild(redis, yield* CallStore)
    const unavailable = new DependencyUnavailable({ dependency })
    // What every dial carries is short: so much is as good as unique among processes.
    const process = randomUUID().slice(-12)
    let asked = 0

    const run = (script: Script, args: ReadonlyArray<string | number>) => redis.run(dependency, script, keys, args)
    const granting = (script: Script, args: ReadonlyArray<string | number>) =>
      Effect.flatMap(run(script, [...args, channel]), decodeStrings)

    /** Asks what only complete memberships can tell; null says that they are not. */
    const onComplete = <A>(ask: (runId: string) => Effect.Effect<A | null, PortError>) =>
      Effect.suspend(() => {
        const { runId } = redis.link
        if (runId === null) return Effect.fail(unavailable)
        return Effect.flatMap(ask(runId), (answer) => {
          if (answer !== null) return Effect.succeed(answer)
          rebuild.start()
          return Effect.fail(unavailable)
        })
      })

    const acquire = (request: SlotRequest): Effect.Effect<SlotAnswer, PortError> =>
      onComplete((runId) => {
        const token = `${process}:${asked++}`
        const { execution_id, now } = request
        const args = acquireArguments(request, runId, token)
        return run(acquireScript, args).pipe(
          // What was asked may still be done: it is taken back behind it, and lapses where even that is lost.
          Effect.tapErrorTag("DependencyTimeout", () =>
            Effect.sync(() => redis.link.tell(abandonScript, keys, [execution_id, token, now, channel])),
          ),
          Effect.flatMap(decodeNumbers),
          Effect.map((reply) => answerOf(request, reply)),
        )
      })

    const listeners = new Set<(executionIds: ReadonlyArray<string>) => void>()
    yield* redis.subscribe(channel, (message) => {
      const ids = idsOf(message)
      for (const listener of listeners) listener(ids)
    })

    const store = SlotStore.of({
      acquire,
      hold: (executionId, fence) =>
        run(holdScript, [executionId, `${fence}\0`]).pipe(
          Effect.flatMap(decodeNumber),
          Effect.map((held) => held === 1),
        ),
      release: (executionId, fence, now) => granting(releaseScript, [executionId, `${fence}\0`, now]),
      leave: (executionId, now) => granting(leaveScript, [executionId, now]),
      used: (levels) =>
        onComplete((runId) =>
          run(usedScript, [runId, ...levels.map(lineOf)]).pipe(
            Effect.flatMap(decodeNumbers),
            Effect.map((counts) => (counts.length === levels.length ? counts : null)),
          ),
        ),
      members: members.page,
      restore: rebuild.restore,
      want: (organizationId, wanting, now) => granting(wantScript, [organizationId, wanting ? 1 : 0, now]),
      lapse: (now) =>
        redis.run(dependency, lapseScript, allKeys, [now, channel, recountMsEach, olderGateMs]).pipe(
          Effect.flatMap(decodeLapsed),
          Effect.tap(([, wrong]) =>
            wrong === 0
              ? Effect.void
              : Effect.logError(`Redis had counted ${wrong} lines wrongly: they were counted anew by their members.`),
          ),
          Effect.map(([granted]) => granted),
        ),
    })
    return Context.make(SlotStore, store).pipe(
      Context.add(SlotNews, {
        subscribe: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        onBack: (listener) => redis.link.onUp(listener),
      }),
    )
  }),
)
