import { Effect, Option } from "effect"
import { GrowingBytes } from "../GrowingBytes.ts"
import { limits } from "../Limits.ts"
import { Turns } from "./Turns.ts"

/** Why the body of a callback was not taken: it is too long, or there was no room or no time for it, so that it comes again. */
export type UntakenBody = 413 | 503

/** Reads the body of a callback, of so many bytes at most. Ask for it once all that its head tells was judged: anybody may send one. */
export type ReadsBody = (bytesMax: number) => Promise<Uint8Array<ArrayBuffer> | UntakenBody>

/** Bodies that are so short need no room: what stands before the process bounds how many connections there are. So no stranger takes theirs. */
const briefBytes = 16 * 1024

/** Reads until the end, or until nobody waits for it any more. */
const readAll = async (
  body: ReadableStream<Uint8Array>,
  bytes: GrowingBytes<503>,
  gone: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | UntakenBody> => {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => undefined)
  gone.addEventListener("abort", leave)
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes.finish()
    const refused = bytes.push(value)
    if (refused === null) continue
    leave()
    return refused === "oversize" ? 413 : refused
  }
}

/**
 * The bodies of the callbacks of one carrier, which anybody may send who knows its address: so many bytes of them at once, so long for each, and
 * a few of them judged in a turn of the event loop.
 */
export class CallbackBodies {
  readonly #turns = new Turns()
  #held = 0

  /** Answers a callback, and gives back what its body held. */
  async within<A>(request: Request, answer: (body: ReadsBody) => Promise<A>): Promise<A> {
    let size = 0
    let own = 0
    const take = (bytes: number): 503 | null => {
      const more = Math.max(0, size + bytes - briefBytes) - own
      if (this.#held + more > limits.callbackBytes) return 503
      size += bytes
      own += more
      this.#held += more
      return null
    }
    try {
      return await answer((bytesMax) => this.#read(request, bytesMax, take))
    } finally {
      this.#held -= own
    }
  }

  async #read({ body, headers }: Request, maxBytes: number, take: (bytes: number) => 503 | null) {
    if (Number(headers.get("content-length")) > maxBytes) return 413
    if (body === null) return new Uint8Array()
    const bytes = new GrowingBytes<503>({ maxBytes, take }, briefBytes)
    const all = Effect.promise((gone) => readAll(body, bytes, gone))
    // In the machine's own time: whoever sends has no other.
    const read = Option.getOrElse(
      await Effect.runPromise(Effect.timeoutOption(all, limits.callbackBodyMs)),
      () => 503 as const,
    )
    if (typeof read !== "number") await this.#turns.next(read.length)
    return read
  }
}
