import { Result } from "effect"
import { Malformed, MissingField, TooLarge, UnsupportedFile } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { quotable } from "../../phone/E164.ts"
import { fileNameOf } from "./FileName.ts"
import { fileTypeOf } from "./FileType.ts"
import type { SentFile } from "../../SentFile.ts"
import type { SourceFile } from "./SourceFile.ts"

export type FilesRefusal = Malformed | MissingField | TooLarge | UnsupportedFile

const mib = (bytes: number): string => `${bytes / 1024 ** 2} MiB`

/** Judges the files of an upload before any of them is read: count and sizes first, then content (specification, "Knowledge bases"). */
export const judgeFiles = (files: ReadonlyArray<SentFile>): Result.Result<ReadonlyArray<SourceFile>, FilesRefusal> => {
  if (files.length === 0) return Result.fail(new MissingField({ field: "files" }))
  if (files.length > limits.knowledgeFiles) {
    return Result.fail(new TooLarge({ message: `An upload holds at most ${limits.knowledgeFiles} files.` }))
  }
  const named = files.map(({ bytes, name }) => ({ bytes, name: fileNameOf(name ?? "") }))
  const large = named.find(({ bytes }) => bytes.length > limits.knowledgeFileBytes)
  if (large !== undefined) {
    const most = mib(limits.knowledgeFileBytes)
    return Result.fail(new TooLarge({ message: `The file '${quotable(large.name)}' is larger than ${most}.` }))
  }
  if (named.reduce((sum, { bytes }) => sum + bytes.length, 0) > limits.knowledgeUploadBytes) {
    const most = mib(limits.knowledgeUploadBytes)
    return Result.fail(new TooLarge({ message: `The files are larger than ${most} together.` }))
  }
  const empty = named.find(({ bytes }) => bytes.length === 0)
  if (empty !== undefined) {
    return Result.fail(new Malformed({ message: `The file '${quotable(empty.name)}' is empty.` }))
  }
  const sources: Array<SourceFile> = []
  for (const file of named) {
    const type = fileTypeOf(file.bytes)
    if (type === null) {
      const message = `The file '${quotable(file.name)}' is not a PDF, PNG or JPEG file.`
      return Result.fail(new UnsupportedFile({ message }))
    }
    sources.push({ ...file, type })
  }
  return Result.succeed(sources)
}
