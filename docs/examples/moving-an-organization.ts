import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { Portable } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect, Stream } from "effect"

/** Writes everything of an organization to a file that is not there yet. */
export const exportTo = async (carillon: Carillon, organizationId: string, path: string) => {
  const file = await open(path, "wx", 0o600)
  try {
    const write = (text: string) => Effect.promise(() => file.appendFile(text))
    return await carillon.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
  } finally {
    await file.close()
  }
}

/** Brings it in elsewhere. */
export const importFrom = (carillon: Carillon, path: string) => {
  const failed = (error: unknown) => new Error(`${path} cannot be read.`, { cause: error })
  const file = Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, Error>(createReadStream(path), failed))
  return carillon.run(Effect.flatMap(Portable, (portable) => portable.import(file)))
}
