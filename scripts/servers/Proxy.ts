import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"

/** A line to a server that can be cut, held up, or made to swallow what is said. */
export class Proxy {
  readonly #server: Server
  readonly #pairs = new Set<readonly [Socket, Socket]>()
  /** Whether connections are refused. */
  isCut = false
  /** By how much each piece is late, in milliseconds, in both directions. */
  delayMs = 0
  /** Whether answers get lost on the way, while the questions arrive. */
  swallowsAnswers = false
  /** Where connections go that are opened from now on; the others stay where they are. */
  target: number

  private constructor(target: number) {
    this.target = target
    this.#server = createServer((near) => {
      if (this.isCut) {
        near.destroy()
        return
      }
      const far = connect(this.target, "127.0.0.1")
      const pair = [near, far] as const
      this.#pairs.add(pair)
      const end = () => {
        this.#pairs.delete(pair)
        near.destroy()
        far.destroy()
      }
      for (const socket of pair) socket.on("error", end).on("close", end)
      this.#pass(near, far, () => false)
      this.#pass(far, near, () => this.swallowsAnswers)
    })
  }

  static async open(target: number): Promise<Proxy> {
    const proxy = new Proxy(target)
    proxy.#server.listen(0, "127.0.0.1")
    await once(proxy.#server, "listening")
    return proxy
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    return address.port
  }

  /** The line to a Redis. */
  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  /** Breaks every connection; those that follow are refused until the line is mended. */
  cut(): void {
    this.isCut = true
    this.breakAll()
  }

  mend(): void {
    this.isCut = false
    this.delayMs = 0
    this.swallowsAnswers = false
  }

  breakAll(): void {
    for (const [near, far] of this.#pairs) {
      near.destroy()
      far.destroy()
    }
  }

  async close(): Promise<void> {
    this.#server.close()
    this.breakAll()
    await once(this.#server, "close")
  }

  #pass(from: Socket, to: Socket, isLost: () => boolean): void {
    let last = Promise.resolve()
    from.on("data", (piece: Buffer) => {
      if (isLost()) return
      // Pieces keep their order, also where the delay changes.
      const late = this.delayMs > 0 ? new Promise<void>((done) => setTimeout(done, this.delayMs)) : undefined
      if (late === undefined && !this.#isBehind(from)) {
        to.write(piece)
        return
      }
      this.#behind.set(from, (this.#behind.get(from) ?? 0) + 1)
      last = Promise.all([last, late]).then(() => {
        this.#behind.set(from, (this.#behind.get(from) ?? 1) - 1)
        if (!to.destroyed) to.write(piece)
      })
    })
  }

  readonly #behind = new WeakMap<Socket, number>()

  #isBehind(socket: Socket): boolean {
    return (this.#behind.get(socket) ?? 0) > 0
  }
}
