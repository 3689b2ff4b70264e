import * as http from "node:http"
import * as https from "node:https"
import type { Socket } from "node:net"
import { AllowedDestinations } from "@carillon/core"
import {
  type Destination,
  mayConnect,
  type WebhookAnswer,
  type WebhookRequest,
  WebhookTransport,
} from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { publicResolver, type Resolve, resolverFor } from "./NameLookup.ts"

export type { Resolve } from "./NameLookup.ts"

/** How the transport of a Node process is set up. */
export interface NodeWebhookOptions {
  /**
   * Default: the name servers of the machine, asked without its hosts file, search domains and threads, for at most five seconds; only names
   * in `AllowedDestinations` are looked up as the operating system does.
   */
  readonly resolve?: Resolve
}

/** Bytes of an answer that are read and thrown away to keep the connection usable. */
const drainedBytesMax = 64 * 1024

/** Connections that are kept open between deliveries, for all endpoints together, and for how long. */
const idleConnections = 256
const idleMs = 15_000

const failed = (error_class: "dns_error" | "timeout" | "connect_error" | "tls_error"): WebhookAnswer => ({
  _tag: "Failed",
  error_class,
})

const tlsFault = /^(?:ERR_TLS|ERR_SSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/

const codeOf = (error: unknown): string => {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : ""
  return typeof code === "string" ? code : ""
}

/** An address as the peer reports it: an IPv4 connection over an IPv6 socket shows its mapped form. */
const plainAddress = (address: string | undefined): string => (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "")

/** Destroys the connection unless its other end is the checked address. */
const holdToPeer = (socket: Socket, address: string): void => {
  const check = () => {
    if (plainAddress(socket.remoteAddress) !== plainAddress(address)) socket.destroy(new Error("The peer is another."))
  }
  if (socket.connecting) socket.once("connect", check)
  else check()
}

class Sender {
  readonly #resolve: (destination: Destination) => Resolve
  readonly #allowed: ReadonlyArray<string>
  // Agents of our own: the global one may be told by the environment to go through a proxy, which would undo the pinning.
  readonly #plain = new http.Agent({ keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs })
  readonly #secure = new https.Agent({ keepAlive: true, maxFreeSockets: idleConnections, timeout: idleMs })

  constructor(resolve: Resolve | undefined, allowed: ReadonlyArray<string>) {
    const resolvePublic = publicResolver()
    this.#resolve = (destination) => resolve ?? resolverFor(destination, allowed, resolvePublic)
    this.#allowed = allowed
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }

  /** Sends one request; `done` is called once, within the deadline. Returns how to give up. */
  send(request: WebhookRequest, done: (answer: WebhookAnswer) => void): () => void {
    const abort = new AbortController()
    let open = true
    const finish = (answer: WebhookAnswer) => {
      if (!open) return
      open = false
      done(answer)
    }
    const deadline = setTimeout(() => {
      finish(failed("timeout"))
      abort.abort()
    }, request.timeoutMs)
    const over = () => clearTimeout(deadline)
    const give = (answer: WebhookAnswer) => {
      over()
      finish(answer)
    }
    this.#pin(request.destination, abort.signal).then(
      (address) => {
        if (!open) return
        if (typeof address === "string") this.#exchange(request, address, abort.signal, { finish, give, over }, true)
        else give(address)
      },
      () => give(failed("dns_error")),
    )
    return () => {
      open = false
      over()
      abort.abort()
    }
  }

  /** The one address that is connected to; none where any of the host's addresses is refused. */
  async #pin(destination: Destination, signal: AbortSignal): Promise<string | WebhookAnswer> {
    const { hostname, literal } = destination
    const addresses = literal ? [hostname] : await this.#resolve(destination)(hostname, signal)
    if (addresses.some((address) => !mayConnect(destination, address, this.#allowed))) return { _tag: "Refused" }
    return addresses[0] ?? failed("dns_error")
  }

  #exchange(
    request: WebhookRequest,
    address: string,
    signal: AbortSignal,
    end: {
      readonly finish: (answer: WebhookAnswer) => void
      readonly give: (answer: WebhookAnswer) => void
      readonly over: () => void
    },
    reuse: boolean,
  ): void {
    const { body, destination, headers, method } = request
    const agent = destination.secure ? this.#secure : this.#plain
    const options: https.RequestOptions = {
      // The connection is made, and kept, by address: no name is looked up again.
      host: address,
      port: destination.port,
      path: destination.target,
      method,
      agent: reuse ? agent : false,
      headers: ["Host", destination.host, "Content-Length", String(Buffer.byteLength(body)), ...headers.flat()],
      ...(destination.secure && !destination.literal ? { servername: destination.hostname } : {}),
    }
    const outgoing = destination.secure ? https.request(options) : http.request(options)
    const giveUp = () => {
      // Deno sends what is destroyed on a kept connection once more, on a new one and without an end (denoland/deno#36786).
      outgoing.reusedSocket = false
      outgoing.destroy()
    }
    signal.addEventListener("abort", giveUp, { once: true })
    outgoing.once("socket", (socket) => holdToPeer(socket, address))
    outgoing.once("response", (response) => {
      end.finish({ _tag: "Answered", http_status: response.statusCode ?? 0 })
      let read = 0
      response.on("data", (chunk: Buffer) => {
        read += chunk.length
        if (read > drainedBytesMax) response.destroy()
      })
      // The deadline goes on for an answer that never ends; its status has been told already.
      response.once("close", end.over).on("error", () => {})
    })
    // Nobody asked for another protocol, so the answer ends here.
    outgoing.once("upgrade", (response, socket) => {
      socket.destroy()
      end.give({ _tag: "Answered", http_status: response.statusCode ?? 0 })
    })
    outgoing.once("error", (error) => {
      const code = codeOf(error)
      // The endpoint closed a kept connection as the request was written: nothing of it was read.
      if (outgoing.reusedSocket && reuse && code === "ECONNRESET" && !signal.aborted) {
        return this.#exchange(request, address, signal, end, false)
      }
      end.give(failed(tlsFault.test(code) ? "tls_error" : "connect_error"))
    })
    outgoing.end(body)
  }
}

/**
 * Sends webhooks from a Node process, as `WebhookTransport` demands: one look-up, every address judged, the checked one pinned for the
 * connection and checked again on it, no redirects, no proxies, one deadline over all, nothing kept of the answer.
 */
export const nodeWebhookTransport = (options: NodeWebhookOptions = {}): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const allowed = yield* AllowedDestinations
      const sender = yield* Effect.acquireRelease(
        Effect.sync(() => new Sender(options.resolve, allowed)),
        (opened) => Effect.sync(() => opened.close()),
      )
      return WebhookTransport.of({
        send: (request) =>
          Effect.callback<WebhookAnswer>((resume) => {
            const giveUp = sender.send(request, (answer) => resume(Effect.succeed(answer)))
            return Effect.sync(giveUp)
          }),
      })
    }),
  )
