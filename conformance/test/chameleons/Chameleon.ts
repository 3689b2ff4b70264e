import { isObject, type JsonObject, parseJson } from "../../src/http/Json.ts"
import type { Fetch } from "../../src/http/Wire.ts"

/** A request and its answer as a chameleon sees them; the path is that under the root of the server. */
export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly status: number
}

/** An answer whose parts may be replaced. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; undefined where there is none, or none that is JSON. */
  readonly json: unknown
}

/** A conforming variation: what the server under test does otherwise than ours, and the words that allow it. */
export interface Chameleon {
  readonly id: string
  /** The words of the specification, verbatim, that allow it or leave it open. */
  readonly allows: string
  /** Changes a request on its way to the server. */
  readonly request?: (body: JsonObject, seen: Omit<Seen, "status">) => JsonObject
  /** Headers of requests that the server does not know. */
  readonly ignores?: string
  /** Changes an answer on its way back. */
  readonly reply?: (reply: Reply, seen: Seen) => Reply
  /** Writes the JSON of a body in another way. */
  readonly write?: (text: string) => string
}

/** A chameleon that changes the bodies of successful answers to one method and path. */
export const body =
  (method: string, path: RegExp, change: (json: JsonObject, seen: Seen) => JsonObject) =>
  (reply: Reply, seen: Seen): Reply =>
    (method === "*" || method === seen.method) && path.test(seen.path) && reply.status < 300 && isObject(reply.json)
      ? { ...reply, json: change(reply.json, seen) }
      : reply

/** Changes the rows of a list, or the one resource that an answer is. */
export const rows =
  (change: (row: JsonObject) => JsonObject) =>
  (json: JsonObject): JsonObject =>
    Array.isArray(json["data"])
      ? { ...json, data: json["data"].map((row: unknown) => (isObject(row) ? change(row) : row)) }
      : change(json)

/** The object with other values for those of these members that it has. */
export const having = (json: JsonObject, others: JsonObject): JsonObject => ({
  ...json,
  ...Object.fromEntries(Object.entries(others).filter(([name]) => name in json)),
})

/** The object under other names. */
export const renamed =
  (name: (old: string) => string) =>
  (json: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(json).map(([old, value]) => [name(old), value]))

/** Every value in a JSON value, changed from the leaves up. */
export const deep = (value: unknown, change: (value: unknown, name: string) => unknown, name = ""): unknown => {
  if (Array.isArray(value)) {
    return change(
      value.map((item: unknown) => deep(item, change, name)),
      name,
    )
  }
  if (!isObject(value)) return change(value, name)
  const inner = Object.entries(value).map(([key, child]) => [key, deep(child, change, key)])
  return change(Object.fromEntries(inner), name)
}

const isJson = (headers: Headers): boolean => (headers.get("content-type") ?? "").startsWith("application/json")

const requestOf = async (chameleon: Chameleon, request: Request): Promise<Request> => {
  const { ignores, request: change } = chameleon
  if (ignores === undefined && change === undefined) return request
  const headers = new Headers(request.headers)
  if (ignores !== undefined) headers.delete(ignores)
  if (change === undefined || !isJson(request.headers))
    return ignores === undefined ? request : new Request(request, { headers })
  const bytes = await request.arrayBuffer()
  const json = parseJson(new TextDecoder().decode(bytes))
  const { pathname, searchParams } = new URL(request.url)
  const sent =
    isObject(json) && "calling_guard" in json
      ? JSON.stringify(change(json, { method: request.method, path: pathname, query: searchParams }))
      : bytes
  return new Request(request.url, { method: request.method, headers, body: sent, signal: request.signal })
}

/** The server as these chameleons show it, each over those before it. */
export const wearing = (worn: ReadonlyArray<Chameleon>, fetch: Fetch): Fetch => {
  const changed = (given: Reply, seen: Omit<Seen, "status">): Reply =>
    worn.reduce((reply, each) => each.reply?.(reply, { ...seen, status: reply.status }) ?? reply, given)
  const written = (json: unknown): string =>
    worn.reduce((text, each) => each.write?.(text) ?? text, JSON.stringify(json))
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    const { method } = request
    let asked = request
    for (const each of worn.toReversed()) asked = await requestOf(each, asked)
    const response = await fetch(asked)
    const isInbox = pathname.startsWith("/_sim/inbox/") && method === "GET"
    if (!pathname.startsWith("/v2") && !isInbox) return response
    const text = await response.text()
    const given: Reply = { status: response.status, headers: new Headers(response.headers), json: parseJson(text) }
    const { headers, json, status } = changed(given, { method, path: pathname, query: searchParams })
    headers.delete("content-length")
    const sent = json === undefined ? text : written(json)
    return new Response(sent === "" ? null : sent, { status, headers })
  }
}
