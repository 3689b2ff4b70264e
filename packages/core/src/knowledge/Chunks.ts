/** How a text is cut: characters of a chunk at most, and characters that it may share with the one before. */
export interface ChunkSettings {
  readonly chunk_size: number
  readonly overlapping: number
}

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === 0x20 || code === 0x0a
}

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

/** One space or line break for every run of white space, and no control characters. */
export const normalized = (text: string): string =>
  text
    .replace(/(?!\s)[\p{Cc}\p{Cs}]/gu, "")
    // Most white space is as it shall be, and a text may have millions.
    .replace(/\s{2,}|[^\S \n]/g, (space) => (space.includes("\n") ? "\n" : " "))
    .trim()

/** Where a chunk that begins at `start` ends: at the last white space that fits, inside a word only where the word fills it. */
const endOf = (text: string, start: number, size: number): number => {
  const limit = start + size
  if (limit >= text.length) return text.length
  for (let at = limit; at > start; at--) if (isSpace(text, at)) return at
  return isLowSurrogate(text, limit) ? limit - 1 : limit
}

/** The first beginning of a word at or after `from`, before `end`; `end` where there is none. */
const wordStart = (text: string, from: number, end: number): number => {
  for (let at = from; at < end; at++) if (at > 0 && isSpace(text, at - 1)) return at
  return end
}

/**
 * Cuts a text into chunks. Every word is in a chunk, none is cut unless it is longer than a chunk, each chunk goes on where the one
 * before ended, and repeats the whole words at its end that fit into `overlapping`. Takes the first `limit` chunks, and none after those
 * that have more than `characters` together: what is repeated can be many times the text.
 */
export const chunksOf = (
  text: string,
  { chunk_size, overlapping }: ChunkSettings,
  limit: number,
  characters = Number.MAX_SAFE_INTEGER,
): ReadonlyArray<string> => {
  const plain = normalized(text)
  const chunks: Array<string> = []
  let taken = 0
  for (let covered = 0; covered < plain.length && chunks.length < limit && taken <= characters;) {
    const next = isSpace(plain, covered) ? covered + 1 : covered
    const repeated = chunks.length === 0 ? next : wordStart(plain, Math.max(0, covered - overlapping), covered)
    // A repetition that leaves no room for anything new would be a chunk of its own for nothing.
    const start = repeated < covered && endOf(plain, repeated, chunk_size) > next ? repeated : next
    covered = endOf(plain, start, chunk_size)
    chunks.push(plain.slice(start, covered))
    taken += covered - start
  }
  return chunks
}
