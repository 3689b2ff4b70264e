import { DependencyUnavailable, type PortError } from "@carillon/core"
import { SlotLevels } from "@carillon/core/domain"
import {
  CallStore,
  type SlotAnswer,
  type SlotLevel,
  type SlotMember,
  SlotNews,
  type SlotRequest,
  SlotStore,
} from "@carillon/core/ports"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { makeRebuild } from "./Rebuild.ts"
import { RedisConnection } from "../../src/RedisConnection.ts"
import { number, numbers, strings } from "../../src/Reply.ts"
import type { Script } from "../../src/Script.ts"
import {
  abandonScript,
  acquireScript,
  holdScript,
  lapseScript,
  leaveScript,
  membersScript,
  releaseScript,
  usedScript,
  wantScript,
} from "./SlotScripts.ts"
import { lineOf, slotKeys } from "./SlotKeys.ts"

const dependency = "slot_store"
const decodeNumber = number(dependency)
const decodeNumbers = numbers(dependency)
const decodeStrings = strings(dependency)

/** A row of `membersScript`: execution id, organization, fence, held, end of the reservation, lines. */
type MemberRow = readonly [string, string, number, number, number, ReadonlyArray<string>]

const isMemberRow = (value: unknown): value is MemberRow => Array.isArray(value) && Array.isArray(value[5])

const decodeMembers = (reply: unknown): Effect.Effect<ReadonlyArray<MemberRow>, PortError> =>
  Array.isArray(reply) && reply.every(isMemberRow)
    ? Effect.succeed(reply)
    : Effect.fail(new DependencyUnavailable({ dependency }))

const answerOf = (request: SlotRequest, reply: ReadonlyArray<number>): SlotAnswer | null => {
  const [kind, first = 0, used = 0, max = 0] = reply
  if (kind === 1) return { _tag: "Acquired", fence: first }
  const level = request.levels[first - 1]?.level
  return kind === 0 && level !== undefined ? { _tag: "Blocked", level, used, max } : null
}

const levelOf = (line: string): { readonly level: SlotLevel; readonly key: string } | null => {
  const level = SlotLevels.slotLevels.find((one) => line.startsWith(`${one} `))
  return level === undefined ? null : { level, key: line.slice(level.length + 1) }
}

const memberOf = ([execution_id, organization_id, fence, held, until, lines]: MemberRow): SlotMember => ({
  execution_id,
  organization_id,
  levels: lines.flatMap((line) => levelOf(line) ?? []),
  fence,
  state: held === 1 ? "held" : "reserved",
  reserved_until: until,
})

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
 * The gate of the releases before counts were kept beside memberships, as it was, for tests of an upgrade: its processes go on while those of
 * this release begin.
 *
 * The four-level gate on Redis. No line is given before the memberships are complete: after a start, a flush, a restart or a failover
 * they are first entered from the committed calls, and until then it fails as if Redis were away.
 */
export const layer: Layer.Layer<SlotStore, never, RedisConnection | CallStore> = Layer.effectContext(
  Effect.gen(function* () {
    const redis = yield* RedisConnection
    const keys = slotKeys(redis.prefix)
    const channel = `${redis.prefix}:granted`
    const rebuild = yield* makeRebuild(redis, yield* CallStore)
    const unavailable = new DependencyUnavailable({ dependency })
    const process = randomUUID()
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
        const { execution_id, organization_id, levels, now, reservedUntil, waitUntil } = request
        const demands = levels.flatMap((demand) => [lineOf(demand), demand.ceiling ?? -1])
        const args = [runId, execution_id, organization_id, reservedUntil, waitUntil ?? -1, token, ...demands]
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
        run(holdScript, [executionId, fence]).pipe(
          Effect.flatMap(decodeNumber),
          Effect.map((held) => held === 1),
        ),
      release: (executionId, fence, now) => granting(releaseScript, [executionId, fence, now]),
      leave: (executionId, now) => granting(leaveScript, [executionId, now]),
      used: (levels) =>
        onComplete((runId) =>
          run(usedScript, [runId, ...levels.map(lineOf)]).pipe(
            Effect.flatMap(decodeNumbers),
            Effect.map((counts) => (counts.length === levels.length ? counts : null)),
          ),
        ),
      members: (after, limit) =>
        run(membersScript, [after ?? "", limit]).pipe(
          Effect.flatMap(decodeMembers),
          Effect.map((rows) => rows.map(memberOf)),
        ),
      restore: rebuild.restore,
      want: (organizationId, wanting, now) => granting(wantScript, [organizationId, wanting ? 1 : 0, now]),
      lapse: (now) => granting(lapseScript, [now]),
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
