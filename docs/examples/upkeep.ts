import { type ApiKey, Engine, Keys, Retention, Verification } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect } from "effect"

/** Holds every row of an organization against the laws of the engine. It reads only; `fault_count` is 0 where all of them hold. */
export const verify = (carillon: Carillon, organizationId: string) =>
  carillon.run(Effect.flatMap(Verification, (verification) => verification.verify(organizationId)))

/** Finishes what a process that died left half done, as every start does. It disturbs nobody. */
export const repair = (carillon: Carillon) => carillon.run(Effect.flatMap(Engine, (engine) => engine.repair))

/** Sets every wake-up anew from the rows, for a store that lost them; returns how many. Only while no process works on the rows. */
export const rebuildWakeups = (carillon: Carillon) =>
  carillon.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))

/** Takes away at once what has ended before a moment; returns what has gone. Not for an organization that keeps its rows for a number of days. */
export const purge = (carillon: Carillon, organizationId: string, before: Date) =>
  carillon.run(Effect.flatMap(Retention, (retention) => retention.purge(organizationId, before.getTime())))

const page_size = 100

/** The keys of an organization, newest first, revoked ones included. No text of a key is among them: only its hash is kept. */
export async function* keysOf(carillon: Carillon, organizationId: string): AsyncGenerator<ApiKey> {
  for (let page = 1; ; page++) {
    const asked = Effect.flatMap(Keys, (keys) => keys.page(organizationId, { page, page_size }))
    const { items } = await carillon.run(asked)
    yield* items
    if (items.length < page_size) return
  }
}
