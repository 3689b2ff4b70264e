import { DatabaseSync } from "node:sqlite"
import { DependencyUnavailable } from "@carillon/core"
import { SlidingWindow } from "@carillon/core/domain"
import { RateStore } from "@carillon/core/ports"
import { Effect, Layer } from "effect"

/** What a database throws is, to the engine, a store that is away. */
const asked = <A>(ask: () => A) =>
  Effect.try({ try: ask, catch: () => new DependencyUnavailable({ dependency: "rate_limit_store" }) })

/** The request rate in SQLite: one row for each organization and bucket, the rule itself from the engine. */
export const layerSqlite = (file: string) =>
  Layer.effect(
    RateStore,
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new DatabaseSync(file)),
        (opened) => Effect.sync(() => opened.close()),
      )
      database.exec("create table if not exists rates (key text primary key, window int, current int, previous int)")
      const read = database.prepare("select window, current, previous from rates where key = ?")
      const write = database.prepare("insert or replace into rates values (?, ?, ?, ?)")

      const stateOf = (key: string): SlidingWindow.WindowState => {
        const row = read.get(key)
        if (row === undefined) return SlidingWindow.emptyWindow
        return { window: Number(row["window"]), current: Number(row["current"]), previous: Number(row["previous"]) }
      }

      return RateStore.of({
        hit: (organizationId, bucket, limit, now) =>
          asked(() => {
            const key = `${organizationId} ${bucket}`
            const { state, ...hit } = SlidingWindow.hit(stateOf(key), limit, now)
            write.run(key, state.window, state.current, state.previous)
            return hit
          }),
        peek: (organizationId, bucket, limit, now) =>
          asked(() => SlidingWindow.peek(stateOf(`${organizationId} ${bucket}`), limit, now)),
      })
    }),
  )
