import { counterPorts, type RowPorts, rowPorts } from "@carillon/core/ports"
import type { Contents } from "@carillon/postgres"
import type { CounterPlace } from "../counters/CounterPlace.ts"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import { shownStorage, type StorageText } from "./StorageText.ts"

/** Rows that outlive this process. */
export interface Durable {
  readonly ports: RowPorts
  /** Counters beside the rows. */
  readonly counters: CounterPlace
  /** Everything that is there. */
  readonly contents: () => Promise<Contents>
  /** Empties it. */
  readonly clear: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Opens a database and brings its schema up to date; null where the rows are to lie in memory. */
export const openDurable = async (text: StorageText): Promise<Durable | null> => {
  if (text === "memory:") return null
  // Loaded only where it is asked for: an embedded PostgreSQL takes seconds to start.
  const { clearContents, clearCounters, Postgres, PostgresRates, PostgresSlots, readContents } =
    await import("@carillon/postgres")
  const client = text.startsWith("pglite:")
    ? (await import("@carillon/postgres/pglite")).layerClient(text.slice("pglite:".length))
    : Postgres.layerClient({ url: Redacted.make(text) })
  const scope = Scope.makeUnsafe()
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    const layer = Layer.provideMerge(Postgres.layerNoDeps, client)
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const cleared = Effect.provideContext(clearCounters, context)
    const counters = Layer.provide(Layer.merge(PostgresSlots.layer, PostgresRates.layer), Layer.succeedContext(context))
    return {
      ports: rowPorts(context),
      counters: {
        name: shownStorage(text),
        open: async () => ({
          ...counterPorts(await Effect.runPromise(Effect.andThen(cleared, Layer.buildWithScope(counters, scope)))),
          close: async () => {},
        }),
      },
      contents: () => Effect.runPromise(Effect.provideContext(readContents, context)),
      clear: () => Effect.runPromise(Effect.provideContext(clearContents, context)),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
