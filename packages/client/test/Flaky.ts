import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Simulator } from "@carillon/simulator"

/**
 * What becomes of a request on its way. `pass`: it is answered; `lose`: it is done, and the answer is lost; `drop`: it never arrives;
 * `hang`: nor does an answer; an answer: somebody on the way says so, and it does not arrive.
 */
export type Fate =
  | "pass"
  | "lose"
  | "drop"
  | "hang"
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** A request as it was sent. */
export interface Sent {
  readonly what: string
  readonly idempotencyKey: string | null
}

/** A simulator behind a network that does what it is told to the next requests, and nothing to those after them. */
export interface Flaky extends AsyncDisposable {
  readonly simulator: Simulator
  readonly sent: Array<Sent>
  readonly fates: Array<Fate>
  readonly fetch: (request: Request) => Promise<Response>
  /** The same on a socket. */
  readonly listen: () => Promise<string>
}

/** Starts one. */
export const flaky = async (...fates: Array<Fate>): Promise<Flaky> => {
  const simulator = await Simulator.start({ seed: 1, clock: "manual" })
  const sent: Array<Sent> = []
  const closing: Array<() => void> = []

  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    sent.push({ what: `${request.method} ${pathname}`, idempotencyKey: request.headers.get("idempotency-key") })
    const fate = fates.shift() ?? "pass"
    if (fate === "drop") throw new TypeError("The connection was refused.")
    if (fate === "hang") {
      return new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))
    }
    if (typeof fate === "object") {
      return new Response(fate.body ?? "", {
        status: fate.status,
        ...(fate.headers === undefined ? {} : { headers: fate.headers }),
      })
    }
    const response = await simulator.fetch(request)
    if (fate === "lose") throw new TypeError("The connection broke.")
    return response
  }

  const listen = async (): Promise<string> => {
    const server = createServer((incoming, outgoing) => {
      const chunks: Array<Uint8Array<ArrayBuffer>> = []
      incoming.on("data", (chunk: Buffer<ArrayBuffer>) => chunks.push(chunk))
      incoming.on("end", () => {
        const headers = new Headers()
        for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
        const { method = "GET", url = "/" } = incoming
        const body = chunks.length === 0 ? null : new Blob(chunks)
        fetch(new Request(`http://localhost${url}`, { method, headers, body })).then(
          async (response) => {
            const bytes = new Uint8Array(await response.arrayBuffer())
            outgoing.writeHead(response.status, [...response.headers].flat()).end(bytes)
          },
          () => incoming.socket.destroy(),
        )
      })
    }).listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  const close = async () => {
    for (const each of closing) each()
    await simulator.close()
  }
  return { simulator, sent, fates, fetch, listen, [Symbol.asyncDispose]: close }
}
