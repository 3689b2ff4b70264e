/** What ends a process in the middle of its work: it burns down with each step that the process takes towards its stores and its carrier. */
export class Fuse {
  readonly #burnt: () => void
  #left = Infinity
  #isBurnt = false

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

  /** Ends the process after so many steps; after none, at once. */
  light(steps: number): void {
    this.#left = steps
    if (steps === 0) this.step()
  }

  /** Takes a step. Returns whether there is a process no more. */
  step(): boolean {
    if (!this.#isBurnt && this.#left-- <= 0) {
      this.#isBurnt = true
      this.#burnt()
    }
    return this.#isBurnt
  }
}
