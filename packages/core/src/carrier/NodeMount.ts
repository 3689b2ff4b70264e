import { type Pipelined, Pipelines } from "../Pipelines.ts"
import type { CallbackHandler } from "./Callbacks.ts"
import { holding } from "./HeldRequests.ts"
import { nextTurn, Turns } from "./Turns.ts"

/** What a mount needs of a request of `node:http`. */
export interface NodeRequest extends Pipelined {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Whether all of it has come. */
  readonly complete: boolean
  readonly readableEnded: boolean
  readonly destroyed: boolean
  /** All that has come of its body and was not taken yet. */
  read(): unknown
  on(event: "readable" | "end" | "close", listener: () => void): unknown
  on(event: "data", listener: (piece: Uint8Array) => void): unknown
  off(event: "readable" | "end" | "close", listener: () => void): unknown
  resume(): unknown
  destroy(): unknown
}

/** What a mount needs of a response of `node:http`. */
export interface NodeResponse {
  readonly destroyed: boolean
  writeHead(status: number, headers?: Record<string, string>): this
  write(piece: Uint8Array): boolean
  end(): unknown
  destroy(): unknown
  once(event: "close" | "drain" | "error", listener: () => void): unknown
  emit(event: "close"): unknown
  off(event: "close" | "drain", listener: () => void): unknown
}

/** Handles a request of `node:http`; what is not its own goes to `next`, or is answered 404. */
export type NodeMount = (request: NodeRequest, response: NodeResponse, next?: () => void) => void

/** Express cuts the path of a mount off `url` and keeps it in `originalUrl`. */
const targetOf = (request: NodeRequest): string =>
  "originalUrl" in request && typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "/")

/**
 * The body of a request, of which nothing is taken before it is read. All that comes in a turn of the event loop is one piece, in however many
 * the client sent it: sixty thousand bytes that come one by one are no sixty thousand pieces. One that is read no further leaves the connection
 * as it is: it carries the answer.
 */
const bodyOf = (request: NodeRequest): ReadableStream<Uint8Array> => {
  const events = ["readable", "end", "close"] as const
  let wake = () => {}
  let [isHeard, isLeft] = [false, false]
  /** Before anybody listened it may have ended. */
  let hasCome = true
  const come = () => {
    hasCome = true
    wake()
  }
  const cancel = () => {
    isLeft = true
    for (const event of events) request.off(event, come)
    come()
  }
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (!isHeard) for (const event of events) request.on(event, come)
    isHeard = true
    for (;;) {
      if (!hasCome) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      await nextTurn()
      if (isLeft) return undefined
      hasCome = false
      const piece = request.read()
      if (piece instanceof Uint8Array) return controller.enqueue(piece)
      if (request.readableEnded) return controller.close()
      if (request.destroyed) return controller.error(new Error("The client has gone."))
    }
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}

/** Bytes of a body that nobody wants which are thrown away to keep the connection usable. */
const drainedBytesMax = 1024 * 1024

const isTooMuch = ({ headers }: NodeRequest): boolean => Number(headers["content-length"]) > drainedBytesMax

/** What is left of a body when its request is answered is thrown away; where that is too much, the connection ends. */
const leaveUnread = (request: NodeRequest): void => {
  if (request.complete) return
  let thrownAway = 0
  request.on("data", (piece) => {
    thrownAway += piece.length
    if (thrownAway > drainedBytesMax) request.destroy()
  })
  request.resume()
}

/** What `fetch` has no request for. */
const unknownMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"])

const webRequest = (request: NodeRequest, target: string, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string") headers.set(name, value)
  }
  const method = request.method ?? "GET"
  // The host of the request is not asked for: signatures are checked over the public address.
  const url = `http://callbacks.invalid${target}`
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal })
  return new Request(url, { method, headers, signal, body: bodyOf(request), duplex: "half" })
}

/** Waits until more can be written, or the connection is gone. */
const writable = (response: NodeResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      response.off("drain", done)
      response.off("close", done)
      resolve()
    }
    response.once("drain", done)
    response.once("close", done)
  })

const send = async (response: NodeResponse, { body, headers, status }: Response, isLast: boolean): Promise<void> => {
  response.writeHead(status, { ...Object.fromEntries(headers), ...(isLast ? { connection: "close" } : {}) })
  const reader = body?.getReader()
  // A body that fails has told so where it is read.
  response.once("close", () => void reader?.cancel().catch(() => undefined))
  for (;;) {
    const piece = await reader?.read()
    if (response.destroyed) return
    if (piece === undefined || piece.done) break
    if (!response.write(piece.value)) await writable(response)
  }
  response.end()
}

/** What a request counts for among what is taken up in a turn of the event loop, before anything of its body is read. */
const headBytes = 2 * 1024

/**
 * Mounts a handler of `Request` and `Response` on `node:http`, or on what speaks its language (Express, Connect), beside the API: `path` is
 * that of the public address as it arrives here, such as `/twilio`. Mount it before anything that reads bodies. A client that goes away aborts
 * the signal of its request.
 */
export const mountOnNode = (handle: CallbackHandler, path: string): NodeMount => {
  const prefix = path.endsWith("/") ? path : `${path}/`
  const turns = new Turns()
  const pipelines = new Pipelines()
  return (request, response, next) => {
    const target = targetOf(request)
    if (!target.startsWith(prefix)) {
      if (next !== undefined) return next()
      leaveUnread(request)
      return void response.writeHead(404).end()
    }
    if (unknownMethods.has(request.method ?? "GET")) {
      leaveUnread(request)
      return void response.writeHead(405).end()
    }
    pipelines.enter(request, response)
    const gone = new AbortController()
    response.once("close", () => gone.abort())
    response.once("error", () => gone.abort())
    const answered = async () => {
      await turns.next(headBytes)
      const answer = await holding(webRequest(request, target, gone.signal), handle)
      const isLast = !request.complete && isTooMuch(request)
      leaveUnread(request)
      await send(response, answer, isLast)
    }
    answered().catch(() => response.destroy())
  }
}
