import { DatabaseSync } from "node:sqlite"
import { RateStore, SlidingWindow } from "@carillon/core"
import { Effect, Layer } from "effect"

/** The request rate in SQLite: one row for each organization and bucket, the rule itself from the engine. */
export const layerSqlite = (file: string) =>
  Layer.sync(RateStore, () => {
    const database = new DatabaseSync(file)
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
        Effect.sync(() => {
          const key = `${organizationId} ${bucket}`
          const { state, ...hit } = SlidingWindow.hit(stateOf(key), limit, now)
          write.run(key, state.window, state.current, state.previous)
          return hit
        }),
      peek: (organizationId, bucket, limit, now) =>
        Effect.sync(() => SlidingWindow.peek(stateOf(`${organizationId} ${bucket}`), limit, now)),
    })
  })
