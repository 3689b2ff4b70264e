/**
 * Sends a large body in pieces and listens between them. A server may refuse an upload by its head, or when it has had enough, and close the
 * connection while the rest is still on its way (RFC 9110, 10.1.1 and 15.5.14). A client that only writes then finds its connection broken, and
 * never reads the answer that had come.
 */
import { type IncomingMessage, request as plain } from "node:http"
import { request as secure } from "node:https"
import { Readable } from "node:stream"
import { setImmediate, setTimeout } from "node:timers/promises"
import { Broken, isDropped } from "./Trouble.ts"

/** A request with a body that is sent in pieces. */
export interface Upload {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Bytes that are sent between two moments of listening. A body of no more than one piece needs no care: it is written at once. */
export const pieceBytes = 256 * 1024

/** How long is listened, in milliseconds: after the head, for a server that refuses by the head alone, and between two pieces. */
interface Patience {
  readonly afterHeadMs: number
  readonly betweenMs: number
}

/** Each try listens longer than the one before. */
const tries: ReadonlyArray<Patience> = [
  { afterHeadMs: 50, betweenMs: 1 },
  { afterHeadMs: 500, betweenMs: 5 },
  { afterHeadMs: 5_000, betweenMs: 20 },
]

const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

const responseOf = (answer: IncomingMessage): Response => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const status = answer.statusCode ?? 0
  if (!bodiless.has(status)) return new Response(Readable.toWeb(answer), { status, headers })
  answer.resume()
  return new Response(null, { status, headers })
}

/** Sends a request once; the answer ends the sending, whenever it comes. */
const once = async (upload: Upload, patience: Patience, signal: AbortSignal): Promise<Response> => {
  const { body, method, url } = upload
  const open = new URL(url).protocol === "https:" ? secure : plain
  const headers = { "content-length": String(body.byteLength), ...upload.headers }
  const sending = open(url, { method, headers, signal, agent: false })
  const { promise: answer, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  // Goes on hearing after the answer: what becomes of the rest of the body is nobody's concern then.
  sending.on("error", reject)
  sending.on("response", (came) => {
    came.once("close", () => sending.destroy())
    resolve(came)
  })
  const over = new AbortController()
  // A timer comes before what has arrived meanwhile, an immediate after it.
  const listened = (ms: number) => setTimeout(ms, undefined, { signal: over.signal }).then(() => setImmediate(false))
  const isAnswered = (ms: number) => Promise.race([answer.then(() => true), listened(ms)])
  let sent = 0
  try {
    sending.flushHeaders()
    let heard = await isAnswered(patience.afterHeadMs)
    while (!heard && sent < body.byteLength) {
      const piece = body.subarray(sent, sent + pieceBytes)
      const { promise: written, resolve: write } = Promise.withResolvers<void>()
      sending.write(piece, () => write())
      await Promise.race([answer, written])
      sent += piece.byteLength
      heard = await isAnswered(patience.betweenMs)
    }
    if (!heard) sending.end()
    return responseOf(await answer)
  } catch (error) {
    sending.destroy()
    throw isDropped(error) && sent < body.byteLength ? new Broken(sent, body.byteLength, error) : error
  } finally {
    over.abort()
  }
}

/**
 * The answer to an upload. Where the connection broke under it, it is sent again, and the server gets more time to answer: nobody has
 * carried out a request whose end never came.
 */
export const upload = async (request: Upload, signal: AbortSignal): Promise<Response> => {
  let broken: unknown
  for (const patience of tries) {
    try {
      return await once(request, patience, signal)
    } catch (error) {
      if (!(error instanceof Broken) || signal.aborted) throw error
      broken = error
    }
  }
  throw broken
}
