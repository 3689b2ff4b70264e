import { Effect, type Exit } from "effect"

/**
 * Uses of stores, one at a time: the next one begins once whatever came of the one before has gone on as far as it can. So what comes of them follows
 * from their order alone, however long each of them takes, and a world does the same on stores that answer at once and on those that do not.
 */
export class OneAtATime {
  readonly #uses: Array<() => Promise<void>> = []
  #isUsed = false
  /** Lets whoever has an answer go on. */
  goOn: () => void = () => {}

  readonly use = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptible(
      Effect.callback((resume) => {
        this.#uses.push(async () => {
          const exit: Exit.Exit<A, E> = await Effect.runPromiseExit(use)
          resume(exit)
          this.goOn()
        })
        if (!this.#isUsed) void this.#run()
      }),
    )

  async #run(): Promise<void> {
    this.#isUsed = true
    // Whoever asks now goes on first, and so do those beside him.
    await Promise.resolve()
    for (let use = this.#uses.shift(); use !== undefined; use = this.#uses.shift()) await use()
    this.#isUsed = false
  }
}
