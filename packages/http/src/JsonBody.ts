import { limits } from "@carillon/core"
import { Effect, Result } from "effect"
import { parseEscapedKeys } from "./EscapedKeys.ts"
import { JsonScan, piecesOf } from "./JsonPieces.ts"

/** A JSON object as it came out of the parser. */
export type JsonRecord = Readonly<Record<string, unknown>>

const contentType = /^application\/json\s*(?:;|$)/i

/** Whether a `Content-Type` says JSON. */
export const isJson = (header: string | null): boolean => header !== null && contentType.test(header)

const reasons = {
  encoding: "The request body is not valid UTF-8.",
  depth: `The request body is nested deeper than ${limits.jsonDepth} levels.`,
  syntax: "The request body is not valid JSON.",
  object: "The request body must be a JSON object.",
} as const

/** Why JSON cannot be read: the message of the refusal (1000). */
export type JsonFault = (typeof reasons)[keyof typeof reasons]

/** Bytes that are looked at or parsed at a time, before others get their turn. */
const pieceBytes = 256 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true })
/** Only at the very start of a body is a byte order mark overlooked. */
const utf8Inside = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (bytes: Uint8Array, decoder = utf8): Result.Result<string, JsonFault> =>
  Result.try({ try: () => decoder.decode(bytes), catch: () => reasons.encoding })

const parseText = (text: string, hasEscapedKey: boolean): Result.Result<unknown, JsonFault> =>
  Result.try({
    try: () => (hasEscapedKey ? parseEscapedKeys(text, isProto) : parse(text)),
    catch: () => reasons.syntax,
  })

const asRecord = (value: unknown): Result.Result<JsonRecord, JsonFault> =>
  isRecord(value) ? Result.succeed(value) : Result.fail(reasons.object)

/** Reads JSON of any kind, or says why it is malformed. */
export const readJson = (bytes: Uint8Array): Result.Result<unknown, JsonFault> => {
  // Before parsing, because what is parsed is walked recursively afterwards.
  const scan = new JsonScan(bytes, { levels: limits.jsonDepth, pieceBytes: Infinity })
  scan.advance(Infinity)
  return scan.isTooDeep
    ? Result.fail(reasons.depth)
    : Result.flatMap(decode(bytes), (text) => parseText(text, scan.hasEscapedKey))
}

/**
 * Reads a JSON object in pieces of about so many bytes, so that nobody else waits long for a large one. The lists of its first level
 * are parsed piece by piece; the outline that is left once their contents are taken out is parsed whole.
 */
export const readJsonPieces = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  size = pieceBytes,
): Effect.fn.Return<JsonRecord, JsonFault> {
  const scan = new JsonScan(bytes, { levels: limits.jsonDepth, pieceBytes: size })
  while (scan.advance(size)) yield* Effect.yieldNow
  if (scan.isTooDeep) return yield* Effect.fail(reasons.depth)
  const lists: Array<ReadonlyArray<unknown>> = []
  let outline = ""
  let from = 0
  let isBroken = scan.isBroken
  for (const list of scan.lists) {
    const elements: Array<unknown> = []
    for (const [start, end] of piecesOf(list)) {
      const text = yield* Effect.fromResult(decode(bytes.subarray(start, end), utf8Inside))
      const piece = parseText(`[${text}]`, scan.hasEscapedKey)
      if (Result.isFailure(piece) || !Array.isArray(piece.success)) isBroken = true
      else if (piece.success.length === 0 && list.cuts.length > 0) isBroken = true
      else for (const element of piece.success) elements.push(element)
      yield* Effect.yieldNow
    }
    // In the outline a list holds nothing but its own number.
    const before = yield* Effect.fromResult(decode(bytes.subarray(from, list.start), from === 0 ? utf8 : utf8Inside))
    outline += `${before}${lists.length}`
    from = list.end
    lists.push(elements)
  }
  outline += yield* Effect.fromResult(decode(bytes.subarray(from), from === 0 ? utf8 : utf8Inside))
  const value = yield* Effect.fromResult(parseText(outline, scan.hasEscapedKey))
  if (isBroken) return yield* Effect.fail(reasons.syntax)
  const record = yield* Effect.fromResult(asRecord(value))
  return Object.fromEntries(
    Object.entries(record).map(([key, held]) => [key, Array.isArray(held) ? lists[Number(held[0])] : held]),
  )
})

/**
 * Reads the body of a request as a JSON object, or says why it is malformed (1000, decisions "Request pipeline" 4).
 * An empty body is malformed JSON; where a body is optional the caller looks first.
 */
export const readJsonObject = (bytes: Uint8Array): Effect.Effect<JsonRecord, JsonFault> =>
  bytes.length > pieceBytes ? readJsonPieces(bytes) : Effect.fromResult(Result.flatMap(readJson(bytes), asRecord))

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The only key that a copy by assignment would not copy but obey. */
const protoKey = /__proto__/

const isProto = (key: string): boolean => key === "__proto__"

const parse = (text: string): unknown =>
  protoKey.test(text)
    ? JSON.parse(text, (key: string, value: unknown) => (isProto(key) ? undefined : value))
    : JSON.parse(text)
