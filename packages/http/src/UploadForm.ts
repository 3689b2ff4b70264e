import type { SentFile } from "@carillon/core"
import { Result } from "effect"
import { MultipartParser } from "effect/http"
import { type Refusal, refusal } from "./Refusal.ts"

const contentType = /^multipart\/form-data\s*(?:;|$)/i

/** Parts of a form: beyond every field that is known, and more files than are taken, so that eleven are counted and not thousands. */
const partsMax = 64

const fieldBytesMax = 64 * 1024

const filesField = "files"
const integerFields: ReadonlySet<string> = new Set(["chunk_size", "overlapping"])
const aliases: ReadonlyMap<string, string> = new Map([["name", "collection"]])

const refusals = {
  contentType: refusal(1000, "The request body must be a form with Content-Type: multipart/form-data."),
  syntax: refusal(1000, "The request body is not valid multipart/form-data."),
  encoding: refusal(1000, "The form fields must be valid UTF-8."),
  parts: refusal(1000, `The form has more than ${partsMax} parts.`, { status: 413 }),
  field: refusal(1000, `A form field is larger than ${fieldBytesMax / 1024} KiB.`, { status: 413 }),
} as const

const refusalOf = (error: MultipartParser.MultipartError): Refusal => {
  if (error._tag !== "ReachedLimit") return refusals.syntax
  return error.limit === "MaxFieldSize" ? refusals.field : refusals.parts
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

const join = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
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

/** The value of a field: a number where it is to be one, and a list where it was sent several times. */
const valueOf = (name: string, texts: ReadonlyArray<string>): unknown => {
  const [text = ""] = texts
  if (texts.length > 1) return texts
  return integerFields.has(name) && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

/**
 * Reads the form of an upload as the object that the contract decodes, or says why it is malformed (1000). Names from outside are
 * never keys of an ordinary object before they are known.
 */
export const readUploadForm = (header: string | null, body: Uint8Array): Result.Result<object, Refusal> => {
  if (header === null || !contentType.test(header)) return Result.fail(refusals.contentType)
  const fields = new Map<string, Array<string>>()
  const files: Array<SentFile> = []
  let fault: Refusal | null = null
  let isDone = false
  // Where a part ends within its head, the parser gives the part before it once more, or none.
  let last: MultipartParser.PartInfo | undefined
  const isNew = (info: MultipartParser.PartInfo | undefined): boolean => {
    const isPart = info !== undefined && info !== last && info.contentDisposition === "form-data"
    last = info
    if (!isPart) fault ??= refusals.syntax
    return isPart
  }
  const parser = MultipartParser.make({
    headers: { "content-type": header },
    maxParts: partsMax,
    maxFieldSize: fieldBytesMax,
    onField: (info, value) => {
      if (!isNew(info)) return
      try {
        const texts = fields.get(info.name) ?? []
        texts.push(utf8.decode(value))
        fields.set(info.name, texts)
      } catch {
        fault ??= refusals.encoding
      }
    },
    onFile: (info) => {
      const { filename = "", name } = info
      const chunks: Array<Uint8Array> = []
      isNew(info)
      let isWhole = false
      return (chunk) => {
        if (isWhole) fault ??= refusals.syntax
        else if (chunk !== null) chunks.push(chunk)
        else {
          isWhole = true
          if (name === filesField) files.push({ name: filename, bytes: join(chunks) })
        }
      }
    },
    onError: (error) => {
      fault ??= refusalOf(error)
    },
    onDone: () => {
      isDone = true
    },
  })
  parser.write(body)
  parser.end()
  if (fault !== null) return Result.fail(fault)
  if (!isDone) return Result.fail(refusals.syntax)
  for (const [alias, name] of aliases) {
    const texts = fields.get(alias)
    if (texts !== undefined && !fields.has(name)) fields.set(name, texts)
  }
  const entries = [...fields].map(([name, texts]) => [name, valueOf(name, texts)] as const)
  if (files.length > 0) entries.push([filesField, files])
  // Defines properties and assigns none: a field `__proto__` is one more unknown field.
  return Result.succeed(Object.fromEntries(entries))
}
