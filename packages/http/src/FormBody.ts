import { invalidValueMessage, type Route } from "@carillon/api"
import { E164, type SentFile } from "@carillon/core/domain"
import { Effect, Result } from "effect"
import { type FormField, type FormPart, readParts } from "./FormParts.ts"
import { JsonFields, type JsonFault } from "./JsonBody.ts"
import { type Refusal, refusal } from "./Refusal.ts"

const contentType = /^multipart\/form-data\s*(?:;|$)/i

/** Whether a `Content-Type` says that the body is a form. */
export const isForm = (header: string | null): header is string => header !== null && contentType.test(header)

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
const integers: ReadonlySet<string> = new Set([
  "max_concurrent_calls",
  "concurrency_limit",
  "chunk_size",
  "overlapping",
])
const files: ReadonlySet<string> = new Set(["file", "files"])
/** Fields that are lists, even of one. */
const lists: ReadonlySet<string> = new Set(["phone_numbers", "files"])

const flag = /^(?:true|false)$/i
const integer = /^-?\d{1,15}$/

const malformed = (name: string, fault: JsonFault): Refusal =>
  typeof fault === "string"
    ? refusal(1000, `Invalid value for '${E164.quotable(name)}': must be valid JSON.`)
    : refusal(1001, invalidValueMessage(E164.quotable(name), fault.reason))

const badEncoding = refusal(1000, "The form fields must be valid UTF-8.")

const utf8 = new TextDecoder("utf-8", { fatal: true })

const readText = (value: Uint8Array): Result.Result<string, Refusal> =>
  Result.try({ try: () => utf8.decode(value), catch: () => badEncoding })

/** A field as the JSON value that it stands for: structured settings are JSON, scalars are plain strings (`true`, `12`). */
const fieldValue = Effect.fnUntraced(function* (
  { bytes, name }: FormField,
  json: JsonFields,
): Effect.fn.Return<unknown, Refusal> {
  const asJson = Effect.mapError(json.read(bytes), (fault) => malformed(name, fault))
  if (structured.has(name)) return yield* asJson
  const text = yield* Effect.fromResult(readText(bytes))
  if (lists.has(name) && text.trimStart().startsWith("[")) return yield* asJson
  if (flags.has(name) && flag.test(text)) return text.toLowerCase() === "true"
  return integers.has(name) && integer.test(text) ? Number(text) : text
})

const valueOf = (part: FormPart, json: JsonFields): Effect.Effect<unknown, Refusal> =>
  part._tag === "File" ? Effect.succeed<SentFile>(part.file) : fieldValue(part, json)

/**
 * Reads a form as the JSON body that it stands for: a repeated field is a list, and so is `phone_numbers`, which may be a JSON array
 * in one field. What the route does not know is left out unread.
 */
export const readForm = Effect.fnUntraced(function* (
  header: string,
  bytes: Uint8Array,
  { fieldAliases, formFields }: Pick<Route, "fieldAliases" | "formFields">,
): Effect.fn.Return<object, Refusal> {
  const values = new Map<string, Array<unknown>>()
  const json = new JsonFields()
  for (const part of yield* readParts(header, bytes, files)) {
    const { name } = part
    if (!formFields.has(name) && !Object.hasOwn(fieldAliases, name)) continue
    const value = yield* valueOf(part, json)
    const others = values.get(name)
    if (others === undefined) values.set(name, [value])
    else others.push(value)
  }
  for (const [alias, name] of Object.entries(fieldAliases)) {
    const meant = values.get(alias)
    if (meant !== undefined && !values.has(name)) values.set(name, meant)
  }
  return Object.fromEntries(
    [...values].map(([name, found]) => {
      const [first] = found
      // A list where one value is expected is for the schema to refuse.
      const isOne = found.length === 1 && (!lists.has(name) || Array.isArray(first))
      return [name, isOne ? first : found]
    }),
  )
})
