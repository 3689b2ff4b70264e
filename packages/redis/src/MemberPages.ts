import type { PortError } from "@carillon/core"
import type { SlotMember } from "@carillon/core/ports"
import { Effect } from "effect"
import type { RedisConnection } from "./RedisConnection.ts"
import { redisLimits } from "./RedisLimits.ts"
import { scanned } from "./Reply.ts"
import { memberOf, slotKeys } from "./SlotKeys.ts"
import { scanScript } from "./SlotScripts.ts"

const dependency = "slot_store"
const decode = scanned(dependency)

/** Members in the order of their ids. */
interface Read {
  /** When they were read, in real milliseconds. */
  readonly at: number
  /** Those before them were given out already; null: none was. */
  readonly after: string | null
  readonly members: ReadonlyArray<SlotMember>
}

/**
 * Memberships in pages after an id. Redis keeps them in no order, because keeping one would cost every dial more than it saves the few who
 * read them all. So the first page reads them all, a part at a time, and the next ones come from what it has read, for whoever goes on where
 * it ended.
 */
export class MemberPages {
  readonly #redis: RedisConnection["Service"]
  readonly #keys: ReadonlyArray<string>
  #left: Read | null = null

  constructor(redis: RedisConnection["Service"]) {
    this.#redis = redis
    this.#keys = slotKeys(redis.prefix)
  }

  readonly page = (after: string | null, limit: number): Effect.Effect<ReadonlyArray<SlotMember>, PortError> =>
    Effect.suspend(() => {
      const left = this.#left
      this.#left = null
      const isGoingOn = left?.after === after && performance.now() - left.at < redisLimits.membersReadMs
      return Effect.map(isGoingOn ? Effect.succeed(left) : this.#read(after), ({ at, members }) => {
        const page = members.slice(0, limit)
        const last = page.at(-1)
        if (last !== undefined && members.length > limit) {
          this.#left = { at, after: last.execution_id, members: members.slice(limit) }
        }
        return page
      })
    })

  #read(after: string | null): Effect.Effect<Read, PortError> {
    const [redis, keys] = [this.#redis, this.#keys]
    return Effect.gen(function* () {
      const at = performance.now()
      const found = new Map<string, SlotMember>()
      for (let cursor = "0"; ;) {
        const reply: unknown = yield* redis.run(dependency, scanScript, keys, [cursor, redisLimits.membersRead])
        const [next, entries] = yield* decode(reply)
        for (let n = 0; n + 1 < entries.length; n += 2) {
          const [id = "", member = ""] = [entries[n], entries[n + 1]]
          if (after === null || id > after) found.set(id, memberOf(id, member))
        }
        if (next === "0") break
        cursor = next
      }
      const members = [...found.values()].sort((a, b) => (a.execution_id < b.execution_id ? -1 : 1))
      return { at, after, members }
    })
  }
}
