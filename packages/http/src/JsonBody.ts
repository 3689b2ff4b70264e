import { limits } from "@carillon/core"
import { Result } from "effect"

/** A JSON object as it came out of the parser. */
export type JsonRecord = Readonly<Record<string, unknown>>

const contentType = /^application\/json\s*(?:;|$)/i

const reasons = {
  contentType: "The request body must be JSON with Content-Type: application/json.",
  encoding: "The request body is not valid UTF-8.",
  depth: `The request body is nested deeper than ${limits.jsonDepth} levels.`,
  syntax: "The request body is not valid JSON.",
  object: "The request body must be a JSON object.",
} as const

const utf8 = new TextDecoder("utf-8", { fatal: true })

/**
 * Reads the body of a request as a JSON object, or says why it is malformed (1000, decisions "Request pipeline" 4).
 * An empty body is malformed JSON; where a body is optional the caller looks first.
 */
export const readJsonObject = (header: string | null, bytes: Uint8Array): Result.Result<JsonRecord, string> => {
  if (header === null || !contentType.test(header)) return Result.fail(reasons.contentType)
  // Before parsing, because what is parsed is walked recursively afterwards.
  if (nestsDeeper(bytes, limits.jsonDepth)) return Result.fail(reasons.depth)
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return Result.fail(reasons.encoding)
  }
  let value: unknown
  try {
    value = parse(text)
  } catch {
    return Result.fail(reasons.syntax)
  }
  return isRecord(value) ? Result.succeed(value) : Result.fail(reasons.object)
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The only key that a copy by assignment would not copy but obey, as it may be spelled in JSON. */
const protoKey = /__proto__|\\u005f/i

const parse = (text: string): unknown =>
  protoKey.test(text)
    ? JSON.parse(text, (key: string, value: unknown) => (key === "__proto__" ? undefined : value))
    : JSON.parse(text)

const quote = 0x22
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Whether brackets outside strings open deeper than so many levels. UTF-8 never hides these bytes inside another character. */
const nestsDeeper = (bytes: Uint8Array, levels: number): boolean => {
  if (bytes.length <= levels) return false
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      for (i++; i < bytes.length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > levels) return true
    } else if (byte === closeBrace || byte === closeBracket) depth--
  }
  return false
}
