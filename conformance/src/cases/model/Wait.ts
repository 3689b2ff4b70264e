import type fc from "fast-check"
import type { Trial } from "../../trial/Trial.ts"

/** What a model is compared with by all who wait in it. */
interface Timed {
  readonly trial: Trial
}

/** Lets time pass, and looks whether all has come about that should have. */
export class Wait<Model extends object, Real extends Timed> implements fc.AsyncCommand<Model, Real> {
  readonly #ms: number
  readonly #look: (model: Model, real: Real) => Promise<void>

  constructor(ms: number, look: (model: Model, real: Real) => Promise<void>) {
    this.#ms = ms
    this.#look = look
  }

  check = () => true

  async run(model: Model, real: Real): Promise<void> {
    await real.trial.clock.advance(this.#ms)
    await this.#look(model, real)
  }

  toString = () => `wait ${this.#ms} ms`
}
