import { Duration, Effect } from "effect"
import { DependencyTimeout, type EngineError, Malformed, TooLarge } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { quotable } from "../phone/E164.ts"
import type { SentFile } from "../SentFile.ts"
import { chunksOf } from "./Chunks.ts"
import type { KnowledgeBase } from "./rules/KnowledgeBase.ts"
import type { Chunk } from "./rules/Chunk.ts"
import type { TextExtractor } from "./ports/TextExtractor.ts"
import type { SourceFile } from "./rules/SourceFile.ts"
import { judgeFiles } from "./rules/UploadRules.ts"

/** What was read from the files of an upload. */
export interface FilesRead {
  readonly files: ReadonlyArray<string>
  readonly chunks: ReadonlyArray<Chunk>
  readonly characters: number
  readonly warnings: ReadonlyArray<string>
}

type Extractor = (typeof TextExtractor)["Service"]

/** How files are cut for a base, and what it holds already. */
type Into = Pick<KnowledgeBase, "chunk_size" | "overlapping" | "chunks_indexed" | "characters">

const textOf = (extractor: Extractor, file: SourceFile): Effect.Effect<string | null, EngineError> =>
  Effect.catchTag(extractor.extract(file), "UnreadableFile", () =>
    Effect.fail(new Malformed({ message: `The file '${quotable(file.name)}' cannot be read.` })),
  )

const read = Effect.fnUntraced(function* (
  extractor: Extractor,
  sources: ReadonlyArray<SourceFile>,
  into: Into,
): Effect.fn.Return<FilesRead, EngineError> {
  const chunks: Array<Chunk> = []
  const warnings: Array<string> = []
  const chunksMax = limits.knowledgeChunks - into.chunks_indexed
  const charactersMax = limits.knowledgeCharacters - (into.characters ?? 0)
  let characters = 0
  for (const source of sources) {
    const text = yield* textOf(extractor, source)
    const left = chunksMax - chunks.length
    const bounds = { chunks: left + 1, characters: charactersMax - characters }
    const pieces = text === null ? [] : yield* chunksOf(text, into, bounds)
    for (const { length } of pieces) characters += length
    if (pieces.length > left || characters > charactersMax) {
      const message = `The files make more than the ${limits.knowledgeChunks} chunks or ${limits.knowledgeCharacters / 1e6} million characters of one upload and of one knowledge base.`
      return yield* new TooLarge({ message })
    }
    if (text === null) warnings.push(`The text of '${source.name}' cannot be recognised here.`)
    else if (pieces.length === 0) warnings.push(`No text was found in '${source.name}'.`)
    pieces.forEach((piece, chunk) => chunks.push({ file: source.name, chunk, text: piece }))
  }
  return { files: sources.map(({ name }) => name), chunks, characters, warnings }
})

/** Judges the files of an upload and reads them for a base, within the time that an upload may take. */
export const readFiles = (
  extractor: Extractor,
  files: ReadonlyArray<SentFile>,
  into: Into,
): Effect.Effect<FilesRead, EngineError> =>
  Effect.flatMap(Effect.fromResult(judgeFiles(files)), (sources) => read(extractor, sources, into)).pipe(
    Effect.timeoutOrElse({
      duration: Duration.millis(limits.knowledgeUploadMs),
      orElse: () => Effect.fail(new DependencyTimeout({ dependency: "knowledge_index" })),
    }),
  )
