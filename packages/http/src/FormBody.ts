import { UploadedContacts } from "@carillon/api"
import { CsvContacts, csvError, type CsvFault, E164, InvalidField, limits } from "@carillon/core"
import { Effect, Result } from "effect"
import { MultipartParser } from "effect/http"
import { readJson } from "./JsonBody.ts"
import { type Refusal, refusal, refusalOf } from "./Refusal.ts"

const contentType = /^multipart\/form-data\s*(?:;|$)/i

/** Whether a `Content-Type` says that the body is a form. */
export const isForm = (header: string | null): header is string => header !== null && contentType.test(header)

/** Bytes of a form that are read at a time, before others get their turn. */
const sliceBytes = 64 * 1024

const partsMax = 128

/** Fields that carry an object as JSON (specification, "POST /v2/campaigns"). */
const structured: ReadonlySet<string> = new Set([
  "working_hours",
  "retry_policy",
  "follow_up_policy",
  "transliteration",
  "default_call_variables",
  "default_call_context",
  "metadata",
])
const flags: ReadonlySet<string> = new Set(["working_hours_enforced"])
const integers: ReadonlySet<string> = new Set(["max_concurrent_calls", "concurrency_limit"])
const lists: ReadonlySet<string> = new Set(["phone_numbers"])
const fileField = "file"

const flag = /^(?:true|false)$/i
const integer = /^-?\d{1,15}$/

const malformed = (name: string): Refusal =>
  refusal(1000, `Invalid value for '${E164.quotable(name)}': must be valid JSON.`)

const refusals = {
  notAForm: refusal(1000, "The request body is not valid multipart/form-data."),
  encoding: refusal(1000, "The form fields must be valid UTF-8."),
  parts: refusal(1000, `The form has more than ${partsMax} parts.`),
  field: refusal(1000, `A form field is larger than ${limits.bodyBytes / 1024 ** 2} MiB.`, { status: 413 }),
  file: refusal(1000, `The file is larger than ${limits.csvBytes / 1024 ** 2} MiB.`, { status: 413 }),
} as const

const utf8 = new TextDecoder("utf-8", { fatal: true })

const readText = (value: Uint8Array): Result.Result<string, Refusal> =>
  Result.try({ try: () => utf8.decode(value), catch: () => refusals.encoding })

/** A field as the JSON value that it stands for: structured settings are JSON, scalars are plain strings (`true`, `12`). */
const valueOf = (name: string, bytes: Uint8Array): Result.Result<unknown, Refusal> => {
  if (structured.has(name)) return Result.mapError(readJson(bytes), () => malformed(name))
  return Result.flatMap(readText(bytes), (text): Result.Result<unknown, Refusal> => {
    if (lists.has(name) && text.trimStart().startsWith("[")) {
      return Result.mapError(readJson(bytes), () => malformed(name))
    }
    if (flags.has(name) && flag.test(text)) return Result.succeed(text.toLowerCase() === "true")
    return Result.succeed(integers.has(name) && integer.test(text) ? Number(text) : text)
  })
}

/** Reads the one CSV file of a form as it comes. What is wrong with it is kept for when the fields have been judged. */
class FileReader {
  readonly #contacts: CsvContacts
  #fault: CsvFault | null = null
  #bytes = 0

  constructor(fileName: string | null) {
    this.#contacts = new CsvContacts(fileName)
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    if (this.#fault === null && !this.isTooLarge) this.#fault = this.#contacts.push(chunk)
  }

  get isTooLarge(): boolean {
    return this.#bytes > limits.csvBytes
  }

  finish(): UploadedContacts {
    const read = this.#fault === null ? this.#contacts.finish() : Result.fail(this.#fault)
    return new UploadedContacts(Result.mapError(read, csvError))
  }
}

/** What a form says, part by part. The first refusal stands. */
class FormReader {
  readonly #fields = new Map<string, Array<Uint8Array>>()
  #file: FileReader | null = null
  #refusal: Refusal | null = null
  readonly #parser: MultipartParser.Parser

  constructor(header: string) {
    this.#parser = MultipartParser.make({
      headers: { "content-type": header },
      maxParts: partsMax,
      maxFieldSize: limits.bodyBytes,
      isFile: (info) => info.filename !== undefined || info.name === fileField,
      onField: ({ name }, value) => {
        const values = this.#fields.get(name)
        if (values === undefined) this.#fields.set(name, [value])
        else values.push(value)
      },
      onFile: ({ filename, name }) => (name === fileField ? this.#open(filename ?? null) : () => {}),
      onError: (error) => {
        this.#refuse(
          error._tag !== "ReachedLimit"
            ? refusals.notAForm
            : error.limit === "MaxParts"
              ? refusals.parts
              : refusals.field,
        )
      },
      onDone: () => {},
    })
  }

  /** The refusal, as soon as there is one. */
  write(slice: Uint8Array): Refusal | null {
    this.#parser.write(slice)
    return this.#refusal
  }

  /** The form as the JSON body that it stands for. */
  finish(): Result.Result<Readonly<Record<string, unknown>>, Refusal> {
    this.#parser.end()
    if (this.#refusal !== null) return Result.fail(this.#refusal)
    const body: Record<string, unknown> = {}
    for (const [name, values] of this.#fields) {
      if (name === "__proto__") continue
      const read = Result.all(values.map((value) => valueOf(name, value)))
      if (Result.isFailure(read)) return Result.fail(read.failure)
      const [first] = read.success
      // A repeated field is a list, which is for the schema to refuse where one value is expected.
      const isOne = read.success.length === 1 && (!lists.has(name) || Array.isArray(first))
      body[name] = isOne ? first : read.success
    }
    if (this.#file === null) delete body[fileField]
    else body[fileField] = this.#file.finish()
    return Result.succeed(body)
  }

  #open(fileName: string | null): (chunk: Uint8Array | null) => void {
    if (this.#file !== null) {
      this.#refuse(refusalOf(new InvalidField({ field: fileField, reason: "must be given once" })))
      return () => {}
    }
    const file = new FileReader(fileName)
    this.#file = file
    return (chunk) => {
      if (chunk !== null) file.push(chunk)
      if (file.isTooLarge) this.#refuse(refusals.file)
    }
  }

  #refuse(refused: Refusal): void {
    this.#refusal ??= refused
  }
}

/**
 * Reads a form, slice by slice, as the JSON body that it stands for: `phone_numbers` is a JSON array or a repeated field, and `file`
 * is read as CSV on its way.
 */
export const readForm = Effect.fnUntraced(function* (
  header: string,
  bytes: Uint8Array,
): Effect.fn.Return<Readonly<Record<string, unknown>>, Refusal> {
  const reader = new FormReader(header)
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    const refused = reader.write(bytes.subarray(from, from + sliceBytes))
    if (refused !== null) return yield* Effect.fail(refused)
    yield* Effect.yieldNow
  }
  return yield* Effect.fromResult(reader.finish())
})
