import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"

/** How the vendor is just now, as the engines meet it. */
export type Weather = "well" | "away" | "slow" | "revoked"

/** What becomes of the vendor's callbacks: a proxy in between may change their address, or let none through. */
export type Passage = "well" | "changed" | "lost"

const slowMs = 6_000
/** Nobody listens there. */
const nowhere = "http://127.0.0.1:9/"

interface Listening {
  readonly port: number
  readonly close: () => void
}

/** A server of this machine; what its handler throws breaks the connection. */
export const listening = async (
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> => {
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("It listens at no port.")
  const close = () => {
    server.close().closeAllConnections()
  }
  return { port: address.port, close }
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer<ArrayBuffer>> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Twilio's stand-in behind a line that has weather. It calls back to this port, whatever the public address says. */
export class Vendor {
  weather: Weather = "well"
  readonly #way: { callbacks: Passage }
  readonly #standIn: Awaited<ReturnType<typeof startTwilioStandIn>>
  #line: Listening | null = null

  private constructor(standIn: Awaited<ReturnType<typeof startTwilioStandIn>>, way: { callbacks: Passage }) {
    this.#standIn = standIn
    this.#way = way
  }

  set callbacks(passage: Passage) {
    this.#way.callbacks = passage
  }

  static async open(callbackPort: number): Promise<Vendor> {
    const way: { callbacks: Passage } = { callbacks: "well" }
    const standIn = await startTwilioStandIn({
      callsPerSecond: 1_000,
      eventsAfterMs: 1_000,
      reach: ({ pathname, search }) => {
        if (way.callbacks === "lost") return new URL(nowhere)
        const query = way.callbacks === "changed" ? "?by=proxy" : search
        return new URL(`http://127.0.0.1:${callbackPort}${pathname}${query}`)
      },
      script: ({ nth }) => ({
        outcome: nth % 5 === 4 ? "no-answer" : "completed",
        setup_s: 0.05,
        ring_s: 0.5,
        talk_s: 2 + (nth % 4),
        priced_after_s: 0.5,
        price: 0.014,
      }),
    })
    const vendor = new Vendor(standIn, way)
    vendor.#line = await listening((request, response) => vendor.#pass(request, response))
    return vendor
  }

  get url(): string {
    return `http://127.0.0.1:${this.#line?.port}`
  }

  get accountSid(): string {
    return this.#standIn.accountSid
  }

  get authToken(): string {
    return this.#standIn.authToken
  }

  /** How many legs live just now. */
  get legs(): number {
    return this.#standIn.calls().filter(({ endedAt }) => endedAt === null).length
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request)
    if (this.weather === "away") return void request.socket.destroy()
    if (this.weather === "revoked") {
      return void response.writeHead(401, { "content-type": "application/json" }).end(`{"code":20003,"status":401}`)
    }
    if (this.weather === "slow") await sleep(slowMs)
    const { authorization = "", "content-type": type } = request.headers
    const answer = await fetch(`${this.#standIn.url}${request.url}`, {
      method: request.method ?? "GET",
      headers: { authorization, ...(type === undefined ? {} : { "content-type": type }) },
      ...(request.method === "GET" ? {} : { body }),
    })
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" })
    response.end(Buffer.from(await answer.arrayBuffer()))
  }

  async close(): Promise<void> {
    this.#line?.close()
    await this.#standIn.close()
  }
}
