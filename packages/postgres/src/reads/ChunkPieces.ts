import { limits } from "@carillon/core"
import type { Chunk } from "@carillon/core/ports"
import { rowOf } from "../Documents.ts"

/** A chunk as it is stored: without a name where it has that of the chunk before it. */
interface StoredChunk {
  readonly file?: string
  readonly chunk: number
  readonly text: string
}

/** Chunks of a document that lie in one row, wrapped so that they are an object like every other document. */
interface StoredPiece {
  readonly chunks: ReadonlyArray<StoredChunk>
}

/** Some chunks of a document as the text of a row, and their characters. */
interface ChunkPiece {
  readonly text: string
  readonly characters: number
}

/** The chunks of a document in pieces of no more than so many bytes, or one chunk. Each is written when it is asked for. */
export function* piecesOf(chunks: ReadonlyArray<Chunk>): Generator<ChunkPiece> {
  let texts: Array<string> = []
  let bytes = 0
  let characters = 0
  let before: string | null = null
  for (const { chunk, file, text } of chunks) {
    const written = (named: boolean) => JSON.stringify(named ? { file, chunk, text } : { chunk, text })
    let one = written(file !== before)
    if (texts.length > 0 && bytes + Buffer.byteLength(one) > limits.knowledgePieceBytes) {
      yield { text: `{"chunks":[${texts.join(",")}]}`, characters }
      texts = []
      bytes = 0
      characters = 0
      one = written(true)
    }
    texts.push(one)
    bytes += Buffer.byteLength(one) + 1
    characters += text.length
    before = file
  }
  if (texts.length > 0) yield { text: `{"chunks":[${texts.join(",")}]}`, characters }
}

/** The chunks of a stored piece. */
export const chunksOfPiece = (text: string): ReadonlyArray<Chunk> => {
  const document: StoredPiece = JSON.parse(text)
  let named = ""
  return rowOf(document).chunks.map(({ chunk, file = named, text: words }) => {
    named = file
    return { file, chunk, text: words }
  })
}
