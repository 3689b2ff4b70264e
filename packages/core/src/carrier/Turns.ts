import { Effect } from "effect"

/** Waits for the next turn of the event loop. */
export const nextTurn = (): Promise<void> => Effect.runPromise(Effect.yieldNow)

/** Bytes that are judged in one turn of the event loop: to check a signature takes some milliseconds for 64 KiB of them. */
const turnBytes = 16 * 1024

/** Lets on what has come, in its order, so many bytes in a turn of the event loop; the rest waits for the turns after that. */
export class Turns {
  readonly #waiting: Array<{ readonly bytes: number; readonly goOn: () => void }> = []
  #left = turnBytes
  #isWatched = false

  next(bytes: number): Promise<void> {
    return new Promise((goOn) => {
      this.#waiting.push({ bytes, goOn })
      this.#letOn()
    })
  }

  #letOn(): void {
    while (this.#left > 0) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#left -= next.bytes
      this.#watch()
      next.goOn()
    }
  }

  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    void nextTurn().then(() => {
      this.#isWatched = false
      this.#left = turnBytes
      this.#letOn()
    })
  }
}
