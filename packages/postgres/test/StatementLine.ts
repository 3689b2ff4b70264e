import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"

/** The types of messages that end a statement: a simple query, and the sync of an extended one. */
const ends = new Set(["Q", "S"].map((letter) => letter.charCodeAt(0)))
const readyForQuery = "Z".charCodeAt(0)
const lengthBytes = 4

/** Cuts what flows in one direction into messages of PostgreSQL's protocol. */
class Messages {
  #rest: Buffer = Buffer.alloc(0)
  /** The first message of a client has no type. */
  #isTyped: boolean

  constructor(isTyped: boolean) {
    this.#isTyped = isTyped
  }

  *read(piece: Buffer): Iterable<{ readonly type: number; readonly bytes: Buffer }> {
    this.#rest = Buffer.concat([this.#rest, piece])
    for (;;) {
      const header = this.#isTyped ? 1 : 0
      if (this.#rest.length < header + lengthBytes) return
      const end = header + this.#rest.readUInt32BE(header)
      if (this.#rest.length < end) return
      const bytes = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      const type = this.#isTyped ? (bytes[0] ?? 0) : 0
      this.#isTyped = true
      yield { type, bytes }
    }
  }
}

/** What gets lost with the connection: a statement before it arrives, or its answer after it was carried out. */
export type Loss = "statement" | "answer"

/** A line to a PostgreSQL server that breaks at a statement, once. */
export class StatementLine {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Statements that were sent on. */
  statements = 0
  #at = Infinity
  #loss: Loss = "statement"
  /** How often it broke. */
  breaks = 0

  private constructor(target: number) {
    this.#server = createServer((near) => {
      const far = connect(target, "127.0.0.1")
      for (const socket of [near, far]) {
        // Messages are passed on one by one, and none is to wait for the next.
        socket.setNoDelay(true)
        this.#sockets.add(socket)
        socket.on("error", () => undefined)
        socket.on("close", () => {
          this.#sockets.delete(socket)
          near.destroy()
          far.destroy()
        })
      }
      const asked = new Messages(false)
      const answered = new Messages(true)
      let isLost = false
      /** Statements that were sent on and are not answered yet: several may be on their way, and the last of them is the lost one. */
      let open = 0
      near.on("data", (piece: Buffer) => {
        for (const { bytes, type } of asked.read(piece)) {
          if (isLost) return
          const isEnd = ends.has(type)
          const isLast = isEnd && ++this.statements === this.#at
          if (isLast && this.#loss === "statement") return this.#break(near)
          if (isLast) isLost = true
          if (isEnd) open += 1
          far.write(bytes)
        }
      })
      far.on("data", (piece: Buffer) => {
        for (const { bytes, type } of answered.read(piece)) {
          const isOfLost = isLost && open === 1
          if (!isOfLost) near.write(bytes)
          if (type !== readyForQuery || open === 0) continue
          open -= 1
          if (isOfLost) this.#break(near)
        }
      })
    })
  }

  static async open(target: number): Promise<StatementLine> {
    const line = new StatementLine(target)
    line.#server.listen(0, "127.0.0.1")
    await once(line.#server, "listening")
    return line
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    return address.port
  }

  /** Breaks at the nth statement from now on, from 1. */
  breakAt(nth: number, loss: Loss): void {
    this.#at = this.statements + nth
    this.#loss = loss
  }

  async close(): Promise<void> {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await once(this.#server, "close")
  }

  #break(near: Socket): void {
    this.breaks += 1
    this.#at = Infinity
    near.destroy()
  }
}
