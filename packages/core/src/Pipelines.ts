/** What is needed of a connection of `node:http`. */
interface Connection {
  on(event: "resume", listener: () => void): unknown
  once(event: "close", listener: () => void): unknown
  off(event: "resume", listener: () => void): unknown
  pause(): unknown
  resume(): unknown
}

/** What is needed of a request of `node:http`. */
export interface Pipelined {
  readonly httpVersionMajor: number
  readonly socket: Connection
}

/** What is needed of a response of `node:http`. */
interface Answering {
  once(event: "close", over: () => void): unknown
  emit(event: "close"): unknown
  destroy(): unknown
}

interface Waiting {
  readonly responses: Set<Answering>
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
  enter({ httpVersionMajor, socket }: Pipelined, response: Answering): void {
    if (httpVersionMajor !== 1) return
    const waiting = this.#waiting.get(socket) ?? this.#begin(socket)
    const { hold, responses } = waiting
    responses.add(response)
    if (responses.size === waitingMax + 1) {
      socket.on("resume", hold)
      socket.pause()
    }
    response.once("close", () => {
      responses.delete(response)
      if (responses.size !== waitingMax) return
      socket.off("resume", hold)
      socket.resume()
    })
  }

  #begin(socket: Connection): Waiting {
    const waiting: Waiting = { responses: new Set(), hold: () => void socket.pause() }
    this.#waiting.set(socket, waiting)
    // Node 22 tells the end of a connection to the response whose turn it is, and to none that waits behind it: what they hold would be held for good.
    socket.once("close", () => {
      void Promise.resolve().then(() => {
        for (const response of waiting.responses) {
          response.destroy()
          response.emit("close")
        }
      })
    })
    return waiting
  }
}
