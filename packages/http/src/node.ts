import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { limits } from "@carillon/core"
import { Pipelines } from "@carillon/core/ports"
import { countOf } from "./AnswerPieces.ts"
import { BodyBytes } from "./BodyBytes.ts"
import { atDoor, nobody, openDoor } from "./Door.ts"
import {
  type Body,
  type BodyTerms,
  type EdgeHandler,
  type EdgeRequest,
  isPublicPath,
  type LateBody,
  splitTarget,
} from "./Edge.ts"
import { answerOf, type Fallback, fallbackBusy, type PageResponse, plainNotFound } from "./Fallback.ts"
import { bodyIsGone, checkedPrefix, routedTarget } from "./Mounting.ts"
import { PageRoom } from "./PageRoom.ts"
import { envelope, refusal } from "./Refusal.ts"
import { nextTurn } from "./Turns.ts"

export { closeServer } from "./CloseServer.ts"

/** Handles a request of `node:http`; as middleware, it passes on what is not its own. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void

/** How a Node mount is set up. */
export interface NodeOptions {
  /** Answers what is not under `/v2`, in its turn at the door of all who name no key; null leaves it to `next`, or to a plain 404. */
  readonly fallback?: Fallback
  /** The path before `/v2`, such as `/voice`, where the API is not to be at the root. The fallback is asked for what is behind it. */
  readonly prefix?: string
}

/**
 * Mounts the API on `node:http`, and as middleware on what speaks its language (Express, Connect, Fastify's hooks), also under
 * `/v2` itself. Mount it before anything that reads bodies: it throws where one was read. A client that goes away does not stop what its request has begun, but it waits for no line.
 */
export const nodeListener = (handle: EdgeHandler, options: NodeOptions = {}): NodeListener => {
  const { fallback } = options
  const prefix = checkedPrefix(options.prefix ?? "")
  const notFound = plainNotFound(prefix)
  const door = openDoor()
  const take = atDoor(handle, door)
  const room = new PageRoom()
  const pipelines = new Pipelines()
  return (request, response, next) => {
    pipelines.enter(request, response)
    const header = (name: string) => headerOf(request.rawHeaders, name)
    const behind = routedTarget(request, prefix)
    const edge = (body: EdgeRequest["body"]): EdgeRequest => ({
      method: request.method ?? "GET",
      target: behind ?? "/",
      header,
      body,
      whenGone: (listener) => whenGone(response, listener),
      whenSent: (listener) => whenSent(response, listener),
    })
    const announced = lengthOf(header("content-length"))
    const hasBody = announced !== null || header("transfer-encoding") !== null
    if (behind === null || !isPublicPath(splitTarget(behind).path)) {
      const sendAside = (page: PageResponse) => {
        if (hasBody) leaveUnread(request, response, announced)
        sendPage(room, response, page)
      }
      const isAsked = behind !== null && fallback !== undefined
      if (!isAsked && next !== undefined) return next()
      return door.enter(nobody, () => {
        const answer = isAsked ? answerOf(fallback, edge(null)) : null
        if (answer === null) {
          if (next === undefined) sendAside(notFound)
          else next()
        } else if (answer instanceof Promise) {
          void answer.then((later) => door.enter(nobody, () => sendAside(later)))
        } else sendAside(answer)
      })
    }
    if (!hasBody) {
      take(edge(null), (answer) => send(response, answer))
      return
    }
    if (request.readableEnded) throw new Error(bodyIsGone)
    const lateBody: LateBody = (terms, read) => readBody(request, announced, terms, read)
    take({ ...edge(null), lateBody }, (answer) => {
      leaveUnread(request, response, announced)
      send(response, answer)
    })
  }
}

/**
 * A server with nothing but the API and its fallback, which answers with the error envelope also where Node would give up on
 * a request by itself.
 */
export const nodeServer = (handle: EdgeHandler, options: NodeOptions = {}): Server => {
  const listener = nodeListener(handle, options)
  return createServer({ requireHostHeader: false }, listener)
    .on("checkExpectation", listener)
    .on("clientError", refuseUnreadable(handle))
}

/** Bytes of a body that nobody wants which are thrown away to keep the connection usable. */
const drainedBytesMax = 64 * limits.bodyBytes

const lengthOf = (header: string | null): number | null => (header === null ? null : Number(header))

/** Takes a body as its bytes come. One that is refused or that breaks off is let go at once. */
const readBody = (
  request: IncomingMessage,
  announced: number | null,
  terms: BodyTerms,
  read: (body: Body) => void,
): void => {
  const bytes = new BodyBytes(terms, announced)
  let isSettled = false
  const settle = (body: Body) => {
    isSettled = true
    request.off("data", collect).off("end", finish).off("close", breakOff)
    read(body)
  }
  const push = (chunk: Uint8Array) => {
    const refused = isSettled ? null : bytes.push(chunk)
    if (refused !== null) settle(refused)
  }
  const collect = (chunk: Uint8Array) => {
    const turn = bytes.turnOf(chunk)
    if (turn === null) return push(chunk)
    // Unless it waits, Node reads up to two megabytes of each connection in one turn of the event loop.
    request.pause()
    turn(() => {
      push(chunk)
      request.resume()
    })
  }
  const finish = () => settle(bytes.finish())
  const breakOff = () => settle("broken")
  if (request.destroyed) return read("broken")
  request.on("data", collect).on("end", finish).on("close", breakOff)
}

/**
 * What is left of a body when its request is answered is thrown away, so that it is not taken for the next request; where that would be
 * too much, the connection is not used again.
 */
const leaveUnread = (request: IncomingMessage, response: ServerResponse, announced: number | null): void => {
  if (request.complete) return
  if (announced !== null && announced > drainedBytesMax) response.setHeader("Connection", "close")
  let thrownAway = 0
  request
    .on("data", (chunk: Uint8Array) => {
      thrownAway += chunk.length
      if (thrownAway > drainedBytesMax) return void request.destroy()
      request.pause()
      nextTurn(() => request.resume())
    })
    .on("error", () => {})
    .resume()
}

const headerOf = (rawHeaders: ReadonlyArray<string>, name: string): string | null => {
  let found: string | null = null
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const key = rawHeaders[i]
    if (key === undefined || key.length !== name.length || key.toLowerCase() !== name) continue
    const value = rawHeaders[i + 1] ?? ""
    found = found === null ? value : `${found}, ${value}`
  }
  return found
}

/** A response that is over without having been sent has nobody to read it. */
const whenGone = (response: ServerResponse, listener: () => void): (() => void) => {
  const closed = () => {
    if (!response.writableFinished) listener()
  }
  if (response.destroyed) closed()
  else response.once("close", closed)
  return () => response.off("close", closed)
}

/** `close` comes once the last byte was handed to the network, or the connection ended before. */
const whenSent = (response: ServerResponse, listener: () => void): void => {
  if (response.destroyed) listener()
  else response.once("close", listener)
}

/** Sends what a fallback answers, where there is room for it until the network has taken it. */
const sendPage = (room: PageRoom, response: ServerResponse, page: PageResponse): void => {
  const body = typeof page.body === "string" ? Buffer.from(page.body) : page.body
  const hasRoom = body === null || room.enter(body, (listener) => whenSent(response, listener))
  send(response, hasRoom ? { ...page, body } : fallbackBusy)
}

const notModified = 304

/** A text that is longer is made bytes before it is sent: to count its bytes first and then to write them takes twice as long. */
const briefCharacters = 16 * 1024

const send = (response: ServerResponse, answer: PageResponse): void => {
  if (response.destroyed) return
  const { headers, pieces, status } = answer
  if (pieces !== undefined) {
    response.writeHead(status, { ...headers, "Content-Length": countOf(pieces) })
    // Together they are one call of the system, as one body would be.
    response.cork()
    for (const piece of pieces.bytes) response.write(piece)
    return void response.end()
  }
  const told = answer.body
  const body = typeof told === "string" && told.length > briefCharacters ? Buffer.from(told) : told
  const length = body === null ? 0 : Buffer.byteLength(body)
  // It would say of how many bytes the page is.
  response.writeHead(status, status === notModified ? headers : { ...headers, "Content-Length": length })
  if (body === null) response.end()
  else response.end(body)
}

const unreadable = envelope(refusal(1000, "The request is not valid HTTP."))

/**
 * Answers `clientError` of `node:http`, what cannot be read as a request, with the error envelope and the headers of any answer
 * to nobody in particular.
 */
export const refuseUnreadable = (handle: EdgeHandler): ((error: Error, socket: Duplex) => void) => {
  const take = atDoor(handle)
  let nth = 0
  return (_error, socket) => {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    // An id of its own: the ids of requests do not depend on the noise between them.
    const id = `unreadable-${nth++}`
    const header = (name: string) => (name === "x-request-id" ? id : null)
    take({ method: "GET", target: "/v2", header, body: null }, ({ headers }) => {
      const sent = { ...headers, "Content-Length": Buffer.byteLength(unreadable), Connection: "close" }
      const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join("")}\r\n${unreadable}`)
    })
  }
}
