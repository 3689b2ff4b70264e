import { limits } from "@carillon/core"
import type { SentFile } from "@carillon/core/domain"
import { nextTurn } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import { MultipartParser } from "effect/http"
import { type Refusal, refusal } from "./Refusal.ts"

/** Bytes of a form that are read at a time, before others get their turn. */
const sliceBytesMax = 64 * 1024

/** More than any form needs, and more files than any form may have, so that eleven are counted and not thousands. */
const partsMax = 128

/** A whole `Content-Type`; what is hidden in it cannot be longer. */
const contentTypeCharactersMax = 256

const boundaries = /boundary="?([^";]*)/gi

/** A long boundary is compared with again and again; no client needs one (RFC 2046, section 5.1.1). */
const hasShortBoundary = (header: string): boolean =>
  header.length <= contentTypeCharactersMax &&
  [...header.matchAll(boundaries)].every(([, text = ""]) => text.trimEnd().length <= limits.formBoundaryCharacters)

const refusals = {
  boundary: refusal(
    1000,
    `The 'boundary' in the Content-Type must have at most ${limits.formBoundaryCharacters} characters.`,
  ),
  notAForm: refusal(1000, "The request body is not valid multipart/form-data."),
  parts: refusal(1000, `The form has more than ${partsMax} parts.`),
  files: refusal(1000, `The form has more than ${limits.knowledgeFiles} files.`, { status: 413 }),
  field: refusal(1000, `The form fields are larger than ${limits.bodyBytes / 1024 ** 2} MiB.`, { status: 413 }),
} as const

const refusalOf = (error: MultipartParser.MultipartError, fileCount: number): Refusal => {
  if (error._tag !== "ReachedLimit") return refusals.notAForm
  if (error.limit !== "MaxParts") return refusals.field
  return fileCount > limits.knowledgeFiles ? refusals.files : refusals.parts
}

/** A field of a form as it was sent. */
export interface FormField {
  readonly _tag: "Field"
  readonly name: string
  readonly bytes: Uint8Array
}

/** A part of a form as it was sent. */
export type FormPart = FormField | { readonly _tag: "File"; readonly name: string; readonly file: SentFile }

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

/** Puts the parts of a form together from what the parser calls back. The first refusal stands. */
class PartReader {
  readonly #parts: Array<FormPart> = []
  readonly #files: ReadonlySet<string>
  readonly #parser: MultipartParser.Parser
  #refusal: Refusal | null = null
  #isDone = false
  #fieldBytes = 0
  // Where a part ends within its head, the parser gives the part before it once more, or none.
  #last: MultipartParser.PartInfo | undefined

  constructor(header: string, files: ReadonlySet<string>) {
    this.#files = files
    this.#parser = MultipartParser.make({
      headers: { "content-type": header },
      maxParts: partsMax,
      maxFieldSize: limits.bodyBytes,
      isFile: ({ filename, name }) => filename !== undefined || files.has(name),
      onField: (info, bytes) => {
        if (!this.#isNew(info)) return
        this.#fieldBytes += bytes.length
        if (this.#fieldBytes > limits.bodyBytes) this.#refuse(refusals.field)
        else this.#parts.push({ _tag: "Field", name: info.name, bytes })
      },
      onFile: (info) => {
        this.#isNew(info)
        return this.#file(info)
      },
      onError: (error) => this.#refuse(refusalOf(error, this.#parts.filter(({ _tag }) => _tag === "File").length)),
      onDone: () => {
        this.#isDone = true
      },
    })
  }

  /** Whether it makes sense to go on. */
  write(slice: Uint8Array): boolean {
    this.#parser.write(slice)
    return this.#refusal === null && !this.#isDone
  }

  finish(): Result.Result<ReadonlyArray<FormPart>, Refusal> {
    this.#parser.end()
    return this.#refusal === null ? Result.succeed(this.#parts) : Result.fail(this.#refusal)
  }

  #isNew(info: MultipartParser.PartInfo | undefined): info is MultipartParser.PartInfo {
    const isPart = info !== undefined && info !== this.#last && info.contentDisposition === "form-data"
    this.#last = info
    if (!isPart) this.#refuse(refusals.notAForm)
    return isPart
  }

  /** Takes the bytes of a file. A second end is that of a part which ends within its head. */
  #file({ filename, name }: MultipartParser.PartInfo): (chunk: Uint8Array | null) => void {
    const chunks: Array<Uint8Array> = []
    let isWhole = false
    return (chunk) => {
      if (isWhole) this.#refuse(refusals.notAForm)
      else if (chunk !== null) chunks.push(chunk)
      else {
        isWhole = true
        if (!this.#files.has(name)) return
        this.#parts.push({ _tag: "File", name, file: { name: filename ?? null, bytes: joined(chunks) } })
      }
    }
  }

  /** What lies behind the end of a form is not part of it. */
  #refuse(refused: Refusal): void {
    if (!this.#isDone) this.#refusal ??= refused
  }
}

/**
 * Takes a form apart, slice by slice, in the order in which it was sent. What has a file name or one of the names of `files` is a
 * file; other files than those are left out.
 */
export const readParts = Effect.fnUntraced(function* (
  header: string,
  bytes: Uint8Array,
  files: ReadonlySet<string>,
  sliceBytes = sliceBytesMax,
): Effect.fn.Return<ReadonlyArray<FormPart>, Refusal> {
  if (!hasShortBoundary(header)) return yield* Effect.fail(refusals.boundary)
  const reader = new PartReader(header, files)
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    yield* nextTurn
    if (!reader.write(bytes.subarray(from, from + sliceBytes))) break
  }
  return yield* Effect.fromResult(reader.finish())
})
