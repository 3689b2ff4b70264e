/** Reads a body, and no more of it than that; null where it is longer. */
export const readBounded = async (
  body: AsyncIterable<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const pieces: Array<Uint8Array> = []
  let length = 0
  if (body !== null) {
    for await (const piece of body) {
      length += piece.length
      // Leaving the loop cancels the stream.
      if (length > bytesMax) return null
      pieces.push(piece)
    }
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** The bytes of a base64 text; null where it is none. */
export const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
