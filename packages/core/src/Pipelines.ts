/** What is needed of a connection of `node:http`. */
interface Connection {
  on(event: "resume", listener: () => void): unknown
  off(event: "resume", listener: () => void): unknown
  pause(): unknown
  resume(): unknown
}

/** What is needed of a request of `node:http`. */
export interface Pipelined {
  readonly httpVersionMajor: number
  readonly socket: Connection
}

interface Waiting {
  requests: number
  /** Node goes on with a connection at the end of each request. */
  readonly hold: () => void
}

/** Requests that a client has sent without waiting for an answer, beyond which no more is read of its connection. */
const waitingMax = 16

/**
 * The requests of each connection that wait for their answer. A client may send thousands in a row, of which Node takes up to two megabytes in
 * one turn of the event loop; with this it is what Node has read already, 64 KiB, and the rest is read as answers go out.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Connection, Waiting>()

  /** Counts a request until its response is over. HTTP/2 bounds its own. */
  enter({ httpVersionMajor, socket }: Pipelined, response: { once(event: "close", over: () => void): unknown }): void {
    if (httpVersionMajor !== 1) return
    const waiting = this.#waiting.get(socket) ?? { requests: 0, hold: () => void socket.pause() }
    this.#waiting.set(socket, waiting)
    waiting.requests += 1
    if (waiting.requests === waitingMax + 1) {
      socket.on("resume", waiting.hold)
      socket.pause()
    }
    response.once("close", () => {
      waiting.requests -= 1
      if (waiting.requests !== waitingMax) return
      socket.off("resume", waiting.hold)
      socket.resume()
    })
  }
}
