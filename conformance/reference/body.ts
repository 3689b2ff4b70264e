import type { IncomingMessage } from "node:http"
import { malformed, Refusal } from "./errors.ts"
import { Fields, isJson, type Json } from "./fields.ts"

export const mebibyte = 1024 * 1024

/** Deeper nesting is no body of ours, and would end the stack of whoever walks it. */
const maxDepth = 64

const tooLarge = (maxBytes: number) =>
  new Refusal(1000, `The request body is larger than ${maxBytes / mebibyte} MiB.`, { status: 413 })

/** Reads a body whole, up to a size. */
export const readBytes = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes: unknown = chunk
    if (!(bytes instanceof Uint8Array)) continue
    length += bytes.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

const depthOf = (value: unknown): number => {
  let depth = 0
  for (let level: Array<unknown> = [value]; level.length > 0 && depth <= maxDepth; depth++) {
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
    if (level.every((one) => typeof one !== "object" || one === null)) return depth + 1
  }
  return depth
}

const decoder = new TextDecoder("utf-8", { fatal: true })

export const utf8 = (bytes: Uint8Array, what: string): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed(`${what} is not valid UTF-8.`)
  }
}

/** The JSON object of a text. */
export const jsonObject = (text: string): Json => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw malformed("The request body is not valid JSON.")
  }
  if (!isJson(value)) throw malformed("The request body must be a JSON object.")
  if (depthOf(value) > maxDepth) throw malformed("The request body is nested too deeply.")
  return value
}

const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]{1,80}\+)?json\s*(?:;|$)/i.test(type)

/** A JSON body with its media type held; an empty one is refused unless there may be none. */
export const readFields = async (
  request: IncomingMessage,
  { maxBytes = mebibyte, optional = false } = {},
): Promise<Fields> => {
  const type = request.headers["content-type"] ?? ""
  const bytes = await readBytes(request, maxBytes)
  if (bytes.length === 0 && optional) return new Fields({})
  if (!isJsonType(type)) throw malformed("The request body must be sent as application/json.")
  return new Fields(jsonObject(utf8(bytes, "The request body")))
}
