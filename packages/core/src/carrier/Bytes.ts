import { GrowingBytes } from "../GrowingBytes.ts"

/** Reads a body, and no more of it than that; null where it is longer. */
export const readBounded = async (
  body: AsyncIterable<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const bytes = new GrowingBytes<never>({ maxBytes: bytesMax, take: () => null })
  if (body !== null) {
    for await (const piece of body) {
      // Leaving the loop cancels the stream.
      if (bytes.push(piece) !== null) return null
    }
  }
  return bytes.finish()
}

/** The bytes of a base64 text; null where it is none. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
