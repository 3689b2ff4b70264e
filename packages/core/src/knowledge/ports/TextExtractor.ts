import { Context, Data, Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { SourceFile } from "../rules/SourceFile.ts"

/** The file is damaged, locked, or not worth the time and memory that it asks for. */
export class UnreadableFile extends Data.TaggedError("UnreadableFile") {}

/**
 * Reads the text of a file; null where there are no means to read files of this type. An implementation bounds time and memory,
 * stops when it is interrupted, and is not harmed by any content. Without one every file yields nothing.
 */
export const TextExtractor = Context.Reference<{
  readonly extract: (file: SourceFile) => Effect.Effect<string | null, UnreadableFile | PortError>
}>("@carillon/core/knowledge/TextExtractor", { defaultValue: () => ({ extract: () => Effect.succeed(null) }) })
