import { Duplex } from "node:stream"

/** What of a PGlite instance is needed to speak the wire protocol with it. */
export interface WireDatabase {
  readonly execProtocolRawStream: (
    message: Uint8Array,
    options: { readonly onRawData: (data: Uint8Array) => void },
  ) => Promise<void>
  readonly exec: (query: string) => Promise<unknown>
}

const lengthBytes = 4
const terminate = 0x58

/** The whole messages at the start of the bytes: how long they are together. The first of a session has no type. */
const wholeMessages = (bytes: Buffer, isGreeted: boolean): number => {
  let end = 0
  let typed = isGreeted
  for (;;) {
    const header = typed ? 1 : 0
    if (bytes.length < end + header + lengthBytes) return end
    const next = end + header + bytes.readUInt32BE(end + header)
    if (bytes.length < next) return end
    end = next
    typed = true
  }
}

/**
 * One session with PGlite as a stream of the wire protocol. PGlite has a single backend that is never replaced, so a new session
 * begins by forgetting what the one before left there: an open transaction, prepared statements.
 */
export class PgliteStream extends Duplex {
  readonly #database: WireDatabase
  #pending: Buffer = Buffer.alloc(0)
  #isGreeted = false

  constructor(database: WireDatabase) {
    super()
    this.#database = database
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk])
    const length = wholeMessages(this.#pending, this.#isGreeted)
    if (length === 0) return done()
    const messages = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    this.#run(messages).then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.push(null)
    done()
  }

  async #run(messages: Buffer): Promise<void> {
    if (!this.#isGreeted) {
      this.#isGreeted = true
      await this.#database.exec("rollback")
      await this.#database.exec("discard all")
    } else if (messages[0] === terminate) return
    await this.#database.execProtocolRawStream(messages, {
      // PGlite reuses its buffer.
      onRawData: (data) => this.push(Buffer.from(data)),
    })
  }
}
