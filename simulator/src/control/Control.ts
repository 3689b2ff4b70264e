import { timingSafeEqual } from "node:crypto"
import { unexpectedErrorMessage } from "@carillon/api"
import type { EdgeResponse } from "@carillon/http"
import { dashboardPage, dashboardRead } from "../dashboard/Dashboard.ts"
import { type EventsFrom, eventStream } from "../events/EventStream.ts"
import type { EventHistory } from "../events/EventHistory.ts"
import { readJson } from "./Decode.ts"
import { invalid, notFound, Refusal, unauthorized } from "./Refusal.ts"
import { type ControlAnswer, type ControlRoute, controlRoutes, type Host } from "./Routes.ts"

export type { Host }

/** A request under `/_sim`, read whole. */
export interface RawControlRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly authorization: string | null
  readonly body: Uint8Array
}

interface Compiled extends ControlRoute {
  readonly pattern: RegExp
}

const compiled: ReadonlyArray<Compiled> = controlRoutes.map((route) => ({
  ...route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "([^/]+)")}/?$`),
}))

/** Routes that put another world in the place of the present one, or keep it. */
const replacing: ReadonlySet<string> = new Set(["/_sim/reset", "/_sim/snapshot", "/_sim/restore"])

/** Whether a path belongs to the control surface. */
export const isControlPath = (path: string): boolean => path === "/_sim" || path.startsWith("/_sim/")

const sameText = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const bearer = /^Bearer +(\S+) *$/i

const authorize = (token: string | null, authorization: string | null): void => {
  if (token === null) return
  const given = bearer.exec(authorization ?? "")?.[1]
  if (given === undefined) throw unauthorized("Missing control token. Send Authorization: Bearer <control token>.")
  if (!sameText(given, token)) throw unauthorized("Invalid control token.")
}

const response = ({ status, body, text }: ControlAnswer): EdgeResponse => {
  const answer = (type: string, content: string): EdgeResponse => ({
    status,
    headers: { "Content-Type": type, "Cache-Control": "no-store" },
    body: content,
  })
  if (text !== undefined) return answer(text.type, text.content)
  if (body !== undefined) return answer("application/json", JSON.stringify(body))
  return { status, headers: { "Cache-Control": "no-store" }, body: null }
}

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const dispatch = (host: Host, request: RawControlRequest): ControlAnswer | Promise<ControlAnswer> => {
  const { pathname, searchParams } = new URL(request.target, "http://simulator.test")
  for (const route of compiled) {
    if (route.method !== request.method) continue
    const match = route.pattern.exec(pathname)
    if (match === null) continue
    const { journal, moment } = host.stage.world
    // Looking changes nothing, and what replaces a world is not one of its inputs.
    if (route.method !== "GET" && !replacing.has(route.path)) {
      journal.control(moment, request.method, request.target, request.body)
    }
    const body = route.method === "GET" || route.method === "DELETE" ? undefined : readJson(request.body)
    return route.handle(host, { params: match.slice(1).map(decoded), query: searchParams, body })
  }
  throw notFound("No such resource.")
}

/** The answer to a control request that could not be served. */
export const refused = (error: unknown): EdgeResponse => {
  if (error instanceof Refusal) {
    return response({ status: error.status, body: { error: error.code, message: error.message } })
  }
  console.error(error)
  return response({ status: 500, body: { error: 1500, message: unexpectedErrorMessage } })
}

/** Answers a control request in its turn; every refusal has the error envelope of `/v2`. */
export const control = async (host: Host, request: RawControlRequest): Promise<EdgeResponse> => {
  try {
    authorize(host.controlToken, request.authorization)
    return response(await dispatch(host, request))
  } catch (error) {
    return refused(error)
  }
}

/** Answers the dashboard. It only looks, so it waits for no turn and sees a long advance while it runs. */
export const dashboard = async (
  host: Host,
  { authorization, method, target }: RawControlRequest,
): Promise<EdgeResponse> => {
  const { pathname, searchParams } = new URL(target, "http://simulator.test")
  try {
    if (method !== "GET") throw notFound("No such resource.")
    const page = dashboardPage(pathname)
    if (page !== null) return page
    authorize(host.controlToken, authorization)
    return response({ status: 200, body: await dashboardRead(host.stage, pathname, searchParams) })
  } catch (error) {
    return refused(error)
  }
}

/** Who wants to follow what happens. */
export interface EventsRequest {
  readonly target: string
  readonly authorization: string | null
  /** The header `Last-Event-ID`: a client that comes back goes on after it. */
  readonly lastEventId: string | null
}

/** Whether a request is for the events stream, which is answered without an end. */
export const isEventsRequest = (method: string, path: string): boolean =>
  method === "GET" && /^\/_sim\/events\/?$/.test(path)

const eventsFrom = ({ lastEventId, target }: EventsRequest): EventsFrom => {
  const after = lastEventId ?? new URL(target, "http://simulator.test").searchParams.get("after")
  if (after === null) return 0
  if (after === "latest") return after
  if (!/^\d{1,15}$/.test(after)) throw invalid("after", "must be the number of an event, or latest")
  return Number(after)
}

/** Opens the events stream, or says why not. */
export const openEvents = (
  controlToken: string | null,
  current: () => EventHistory | null,
  request: EventsRequest,
): ReadableStream<Uint8Array> | EdgeResponse => {
  try {
    authorize(controlToken, request.authorization)
    return eventStream(current, eventsFrom(request))
  } catch (error) {
    return refused(error)
  }
}
