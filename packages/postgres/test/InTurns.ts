/** Counts what happens in each turn of the event loop, from the first turn to the last that something happens in. */
export class InTurns {
  /** The most that happened in one turn. */
  most = 0
  #now = 0
  #isOver = false

  constructor() {
    const turn = () => {
      this.#now = 0
      if (!this.#isOver) setImmediate(turn)
    }
    setImmediate(turn)
  }

  count(): void {
    this.#now += 1
    this.most = Math.max(this.most, this.#now)
  }

  stop(): void {
    this.#isOver = true
  }
}

/** Holds everybody up for so many milliseconds, as somebody does who writes a large answer. */
export const beBusy = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}
