/** What strikes a process in the middle of its work: it burns down with each step that the process takes towards its stores and its carrier. */
export class Fuse {
  readonly #burnt: () => void
  #left = Infinity
  #isBurnt = false
  #pause: (() => void) | null = null

  /** `burnt` is called once, at the moment at which the process ends. */
  constructor(burnt: () => void) {
    this.#burnt = burnt
  }

  get isBurnt(): boolean {
    return this.#isBurnt
  }

  get isLit(): boolean {
    return this.#left !== Infinity
  }

  /** Ends the process after so many steps, or pauses it; after none, at once. */
  light(steps: number, pause: (() => void) | null = null): void {
    this.#left = steps
    this.#pause = pause
    if (steps === 0) this.step()
  }

  /** Takes a step. Returns whether there is a process no more. */
  step(): boolean {
    if (!this.#isBurnt && this.#left-- <= 0) {
      if (this.#pause !== null) {
        this.#left = Infinity
        this.#pause()
      } else {
        this.#isBurnt = true
        this.#burnt()
      }
    }
    return this.#isBurnt
  }
}
