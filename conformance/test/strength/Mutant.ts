import type { SimulatorOptions } from "@carillon/simulator"
import type { JsonObject } from "../../src/http/Json.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { isObject, parseJson } from "../../src/http/Json.ts"

/** What a server keeps its rows and counters in. */
export type StoragePorts = Parameters<NonNullable<SimulatorOptions["decorate"]>>[0]

/** The times of calls that a host may set. */
export type CallTimes = NonNullable<SimulatorOptions["callLimits"]>

/** Everything that one step writes. */
export type Commit = Parameters<StoragePorts["store"]["commit"]>[0]

/** A request on its way to the server; what an override does not replace goes on as it came. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  /** The parsed body; undefined where there is none, or none that is JSON. */
  readonly json: unknown
  /** The request as it came, for a body that is not JSON; one put in its place is sent instead of it. */
  readonly original: Request
}

/** An answer on its way back. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; undefined where there is none, or none that is JSON. */
  readonly json: unknown
  /** The body as text, sent where there is no JSON. */
  readonly text: string
}

/** What a server gets wrong between the wire and the engine. */
export type Override = (asked: Asked, next: (asked: Asked) => Promise<Reply>) => Promise<Reply>

/** What is put in place of a part of a healthy server: in front of its HTTP, or around what it keeps. */
export interface Defect {
  readonly wire?: () => Override
  readonly ports?: (ports: StoragePorts) => StoragePorts
  /** Times of calls that its host set otherwise. */
  readonly times?: CallTimes
}

/** A server that breaks one statement. */
export interface Mutant {
  readonly id: string
  /** The clause that it breaks; it is killed when a check of this clause fails. */
  readonly clause: string
  /** What it does, in one line. */
  readonly breaks: string
  /** True where it shows only when two conditions come together. */
  readonly combined: boolean
  readonly defect: Defect
}

const isJsonType = (headers: Headers): boolean => (headers.get("content-type") ?? "").startsWith("application/json")

/** JSON bodies longer than this are handed on unread. */
const maxReadBytes = 8 * 1024 * 1024

const askedOf = async (request: Request): Promise<Asked> => {
  const { pathname, searchParams } = new URL(request.url)
  const isRead =
    request.body !== null &&
    isJsonType(request.headers) &&
    Number(request.headers.get("content-length") ?? 0) < maxReadBytes
  const json = isRead ? parseJson(await request.clone().text()) : undefined
  return {
    method: request.method,
    path: pathname,
    query: searchParams,
    headers: request.headers,
    json,
    original: request,
  }
}

/** The request as the server gets it: rebuilt only where something of it was replaced. */
const requestOf = (came: Asked, asked: Asked): Request => {
  const { original } = came
  if (asked.original !== original) return asked.original
  const { origin } = new URL(original.url)
  const query = asked.query.toString()
  const url = `${origin}${asked.path}${query === "" ? "" : `?${query}`}`
  const isSame = asked.method === came.method && asked.headers === came.headers && asked.json === came.json
  if (isSame && url === original.url) return original
  if (isSame && asked.path === came.path && query === new URL(original.url).searchParams.toString()) return original
  const headers = new Headers(asked.headers)
  if (asked.json === came.json && asked.method === came.method)
    return new Request(url, new Request(original, { headers }))
  headers.delete("content-length")
  const body = asked.json === undefined ? null : JSON.stringify(asked.json)
  return new Request(url, { method: asked.method, headers, body, signal: original.signal })
}

const replyOf = async (response: Response): Promise<Reply> => {
  const text = await response.text()
  return { status: response.status, headers: new Headers(response.headers), json: parseJson(text), text }
}

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = ({ headers, json, status, text }: Reply): Response => {
  const sent = json === undefined ? text : JSON.stringify(json)
  headers.delete("content-length")
  return new Response(sent === "" || bodiless.has(status) ? null : sent, { status, headers })
}

/** The server with a defect in front of its HTTP. */
export const worn = (defect: Defect, fetch: Fetch): Fetch => {
  if (defect.wire === undefined) return fetch
  const override = defect.wire()
  return async (request) => {
    const came = await askedOf(request)
    return responseOf(await override(came, async (asked) => replyOf(await fetch(requestOf(came, asked)))))
  }
}

/** An object as JSON has it; empty where there is none. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
