import { limits } from "@carillon/core"
import { counted, E164 } from "@carillon/core/domain"
import { nextTurn } from "@carillon/core/ports"
import { Effect, Result } from "effect"
import { parseEscapedKeys, parsingEscapedKeys } from "./EscapedKeys.ts"
import { type JsonList, JsonScan, piecesOf } from "./JsonPieces.ts"

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

/** Why JSON cannot be read: the message of the refusal (1000), or the field that has too much in it. */
export type JsonFault = (typeof reasons)[keyof typeof reasons] | JsonExcess

/** A field that has too much in it, or one that brings its body to too much. `field` is empty where the whole body does. */
export interface JsonExcess {
  readonly field: string
  readonly reason: string
  /** The whole body without its contacts has too many bytes. */
  readonly isOversize: boolean
}

const oversize: JsonExcess = { field: "", reason: "", isOversize: true }

const excess = (field: string, reason: string): JsonExcess => ({ field, reason, isOversize: false })

const tooManyValues = (field: string): JsonExcess =>
  excess(field, `brings the request body to more than ${limits.jsonValues} values`)

const tooManyNames = (field: string): JsonExcess =>
  excess(field, `brings the request body to more than ${limits.jsonNames} names of fields`)

/** What a contact may have beside its variables, generously: its number, and the blanks of who writes it in lines. */
const numberBytes = 4096

const bounds = {
  levels: limits.jsonDepth,
  values: limits.jsonValues,
  names: limits.jsonNames,
  listValues: limits.jsonContactValues,
  // The contact counts, too. Its number does not: of its members the commas between them are counted.
  elementValues: limits.contactValues + 1,
  elementBytes: limits.contactBytes + numberBytes,
} as const

/** Bytes that are looked at at a time, before others get their turn; parsing them takes several times as long, the more so where no two objects are alike. */
const pieceBytes = 64 * 1024
const parsedBytes = 32 * 1024

const utf8 = new TextDecoder("utf-8", { fatal: true })
/** Only at the very start of a body is a byte order mark overlooked. */
const utf8Inside = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (bytes: Uint8Array, decoder = utf8): Result.Result<string, JsonFault> =>
  Result.try({ try: () => decoder.decode(bytes), catch: () => reasons.encoding })

const parseText = (text: string, hasEscapedKey: boolean): Result.Result<unknown, JsonFault> =>
  Result.try({
    try: (): unknown => (hasEscapedKey ? parseEscapedKeys(text) : JSON.parse(text)),
    catch: () => reasons.syntax,
  })

/** The same of a text that may be long: it is others' turn now and then. */
const parseInTurns = Effect.fnUntraced(function* (
  text: string,
  hasEscapedKey: boolean,
): Effect.fn.Return<unknown, JsonFault> {
  if (!hasEscapedKey) return yield* Effect.fromResult(parseText(text, false))
  const parsing = parsingEscapedKeys(text)
  for (;;) {
    const step = Result.try({ try: () => parsing.next(), catch: () => reasons.syntax })
    const { done, value } = yield* Effect.fromResult(step)
    if (done === true) return value
    yield* nextTurn
  }
})

const asRecord = (value: unknown): Result.Result<JsonRecord, JsonFault> =>
  isRecord(value) ? Result.succeed(value) : Result.fail(reasons.object)

/** Bytes in which the key of a member is looked for. */
const keyBytesMax = 256

/** The key of the member that begins at an offset, to be named in a refusal. */
const memberAt = (bytes: Uint8Array, offset: number): string => {
  const text = new TextDecoder().decode(bytes.subarray(offset, offset + keyBytesMax))
  const start = text.indexOf('"') + 1
  const end = text.indexOf('"', start)
  return start === 0 || end < 0 ? "" : E164.quotable(text.slice(start, end))
}

const parseScanned = (bytes: Uint8Array, scan: JsonScan): Result.Result<unknown, JsonFault> =>
  Result.flatMap(decode(bytes), (text) => parseText(text, scan.hasEscapedKey))

/** The field that brings a body to more names than it may have. The list that carries the contacts has a bound of its own. */
const namesExcess = (bytes: Uint8Array, scan: JsonScan, carrier: JsonList | undefined): JsonExcess | null => {
  if (scan.crowdedMember !== null) return tooManyNames(memberAt(bytes, scan.crowdedMember))
  let { names } = scan
  for (const list of scan.lists) {
    if (list === carrier) continue
    names += list.names
    if (names > limits.jsonNames) return tooManyNames(memberAt(bytes, list.member))
  }
  return null
}

/** Looks through JSON of any kind before it is parsed, because what is parsed is walked recursively afterwards. */
const scanned = (bytes: Uint8Array): Result.Result<JsonScan, JsonFault> => {
  const scan = new JsonScan(bytes, { ...bounds, pieceBytes: Infinity })
  scan.advance(Infinity)
  if (scan.isTooDeep) return Result.fail(reasons.depth)
  if (scan.isTooWide || scan.allValues > limits.jsonValues)
    return Result.fail(tooManyValues(memberAt(bytes, scan.member)))
  const crowded = namesExcess(bytes, scan, undefined)
  return crowded === null ? Result.succeed(scan) : Result.fail(crowded)
}

const readJson = (bytes: Uint8Array): Result.Result<unknown, JsonFault> =>
  Result.flatMap(scanned(bytes), (scan) => parseScanned(bytes, scan))

/**
 * Reads the fields of one form that are JSON of any kind, one after the other. All of them together may have as many values and names as a body
 * of JSON. It is others' turn before each field.
 */
export class JsonFields {
  #values = 0
  #names = 0

  readonly read = Effect.fnUntraced({ self: this }, function* (bytes: Uint8Array): Effect.fn.Return<
    unknown,
    JsonFault
  > {
    yield* nextTurn
    const scan = yield* Effect.fromResult(scanned(bytes))
    this.#values += scan.allValues
    this.#names += scan.allNames
    if (this.#values > limits.jsonValues) return yield* Effect.fail(tooManyValues(""))
    if (this.#names > limits.jsonNames) return yield* Effect.fail(tooManyNames(""))
    return yield* parseInTurns(yield* Effect.fromResult(decode(bytes)), scan.hasEscapedKey)
  })
}

const tooWide = (bytes: Uint8Array, scan: JsonScan): JsonExcess => {
  const field = memberAt(bytes, scan.member)
  return scan.values > limits.jsonValues
    ? tooManyValues(field)
    : excess(field, `must have at most ${counted(limits.jsonContactValues)} values`)
}

/** What the lists of the first level have too much of: all of them together but the one that carries the contacts, and that one. */
const listExcess = (bytes: Uint8Array, scan: JsonScan, carrier: JsonList | undefined): JsonExcess | null => {
  let { values } = scan
  for (const list of scan.lists) {
    const field = memberAt(bytes, list.member)
    if (list !== carrier) {
      values += list.values
      if (values > limits.jsonValues) return tooManyValues(field)
    } else if (list.elements > limits.contactsPerRequest) {
      return excess(field, `must have at most ${limits.contactsPerRequest} contacts`)
    } else if (list.crowded !== null) {
      return excess(`${field}[${list.crowded}]`, `must have at most ${limits.contactValues} values`)
    } else if (list.oversize !== null) {
      return excess(`${field}[${list.oversize}]`, `must take at most ${limits.contactBytes} bytes of JSON`)
    }
  }
  return null
}

/** The document without the contents of the lists of its first level: each holds nothing but its own number. */
const outlineOf = (bytes: Uint8Array, lists: ReadonlyArray<JsonList>): Result.Result<string, JsonFault> =>
  Result.gen(function* () {
    let outline = ""
    let from = 0
    for (const [nth, { end, start }] of lists.entries()) {
      outline += `${yield* decode(bytes.subarray(from, start), from === 0 ? utf8 : utf8Inside)}${nth}`
      from = end
    }
    return outline + (yield* decode(bytes.subarray(from), from === 0 ? utf8 : utf8Inside))
  })

/** Adds the keys of a value and of all that it holds. */
const addKeys = (value: unknown, keys: Set<string>): void => {
  if (Array.isArray(value)) for (const element of value) addKeys(element, keys)
  else if (isRecord(value)) {
    for (const [key, held] of Object.entries(value)) {
      keys.add(key)
      addKeys(held, keys)
    }
  }
}

/** The elements of a list; null where it is broken. The keys in the carrier's are counted piece by piece: each is memory of its own. */
const readList = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  list: JsonList,
  carrier: JsonList | undefined,
  hasEscapedKey: boolean,
): Effect.fn.Return<ReadonlyArray<unknown> | null, JsonFault> {
  const elements: Array<unknown> = []
  const keys = new Set<string>()
  for (const [start, end] of piecesOf(list)) {
    yield* nextTurn
    const text = yield* Effect.fromResult(decode(bytes.subarray(start, end), utf8Inside))
    const piece = yield* Effect.result(parseInTurns(`[${text}]`, hasEscapedKey))
    if (Result.isFailure(piece) || !Array.isArray(piece.success)) return null
    if (piece.success.length === 0 && list.cuts.length > 0) return null
    for (const element of piece.success) elements.push(element)
    if (list !== carrier) continue
    addKeys(piece.success, keys)
    if (keys.size > limits.jsonContactKeys) {
      const reason = `must have at most ${limits.jsonContactKeys} different keys in all contacts together`
      return yield* Effect.fail(excess(memberAt(bytes, list.member), reason))
    }
  }
  return elements
})

/**
 * Reads a JSON object in pieces of about so many bytes, so that nobody else waits long for a large one. The lists of its first level
 * are parsed piece by piece; the outline that is left once their contents are taken out is parsed whole. Only the list `carrier` may
 * be large.
 */
export const readJsonPieces = Effect.fnUntraced(function* (
  bytes: Uint8Array,
  carrier: string | null,
  size = pieceBytes,
): Effect.fn.Return<JsonRecord, JsonFault> {
  const scan = new JsonScan(bytes, { ...bounds, pieceBytes: Math.min(size, parsedBytes) })
  while (scan.advance(size)) yield* nextTurn
  if (scan.isTooDeep) return yield* Effect.fail(reasons.depth)
  if (scan.isTooWide) return yield* Effect.fail(tooWide(bytes, scan))
  const outlineBytes = scan.lists.reduce((left, { end, start }) => left - (end - start), bytes.length)
  if (outlineBytes > limits.bodyBytes) return yield* Effect.fail(oversize)
  if (scan.crowdedMember !== null) return yield* Effect.fail(tooManyNames(memberAt(bytes, scan.crowdedMember)))
  yield* nextTurn
  const outline = yield* Effect.fromResult(outlineOf(bytes, scan.lists))
  const record = yield* Effect.fromResult(asRecord(yield* parseInTurns(outline, scan.hasEscapedKey)))
  const listOf = (held: unknown) => (Array.isArray(held) ? scan.lists[Number(held[0])] : undefined)
  const carried = carrier === null ? undefined : listOf(record[carrier])
  if (bytes.length - (carried === undefined ? 0 : carried.end - carried.start) > limits.bodyBytes) {
    return yield* Effect.fail(oversize)
  }
  const found = listExcess(bytes, scan, carried) ?? namesExcess(bytes, scan, carried)
  if (found !== null) return yield* Effect.fail(found)
  const lists = new Map<JsonList | undefined, ReadonlyArray<unknown>>()
  for (const list of scan.lists) {
    const elements = yield* readList(bytes, list, carried, scan.hasEscapedKey)
    if (elements === null) return yield* Effect.fail(reasons.syntax)
    lists.set(list, elements)
  }
  if (scan.isBroken) return yield* Effect.fail(reasons.syntax)
  return Object.fromEntries(Object.entries(record).map(([key, held]) => [key, lists.get(listOf(held)) ?? held]))
})

/**
 * Reads the body of a request as a JSON object, or says why it is malformed (1000, decisions "Request pipeline" 4) or has too much in it.
 * An empty body is malformed JSON; where a body is optional the caller looks first. Only the list `carrier` may be large.
 */
export const readJsonObject = (
  bytes: Uint8Array,
  carrier: string | null = null,
): Effect.Effect<JsonRecord, JsonFault> =>
  bytes.length > pieceBytes || (carrier !== null && bytes.length > limits.contactValues)
    ? readJsonPieces(bytes, carrier)
    : Effect.fromResult(Result.flatMap(readJson(bytes), asRecord))

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)
