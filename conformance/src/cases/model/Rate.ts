import * as fc from "fast-check"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { expectModel, explore } from "../../trial/Exploration.ts"
import type { Trial } from "../../trial/Trial.ts"
import { limitOf, maxMeasuredCeiling, remainingOf } from "../rate/Pace.ts"
import { type Counts, estimate, remaining, retryAfterSeconds, windowMs } from "../rate/Window.ts"

interface Model {
  readonly limit: number
  now: number
  window: number
  counts: Counts
}

interface Real {
  readonly trial: Trial
  readonly client: Client
}

/** Brings the counters of the model to the present window. */
const roll = (model: Model): number => {
  const window = Math.floor(model.now / windowMs)
  if (window === model.window + 1) model.counts = { previous: model.counts.current, current: 0 }
  else if (window > model.window) model.counts = { previous: 0, current: 0 }
  model.window = window
  return model.now % windowMs
}

class Ask implements fc.AsyncCommand<Model, Real> {
  readonly #times: number

  constructor(times: number) {
    this.#times = times
  }

  check = () => true

  async run(model: Model, { client }: Real): Promise<void> {
    const into = roll(model)
    for (let time = 0; time < this.#times; time++) {
      const passes = estimate(model.counts, into) < model.limit
      const answer = await client.get("/v2/calls/exec_unknown")
      const before = JSON.stringify(model.counts)
      expectModel("passes", (answer.status !== 429) === passes, `${answer.status} with ${before}, ${into} ms in`)
      if (passes) model.counts = { ...model.counts, current: model.counts.current + 1 }
      const left = remaining(model.limit, model.counts, into)
      expectModel(
        "remaining",
        remainingOf(answer) === left,
        `remaining ${remainingOf(answer)}, not ${left}, ${into} ms in`,
      )
      if (passes) continue
      const seconds = retryAfterSeconds(model.limit, model.counts, into)
      const told = answer.integerHeader("retry-after")
      expectModel("retry-after", told === seconds, `retry-after ${told}, not ${seconds}, with ${before}, ${into} ms in`)
      break
    }
  }

  toString = () => `ask ${this.#times} times`
}

class Pass implements fc.AsyncCommand<Model, Real> {
  readonly #ms: number

  constructor(ms: number) {
    this.#ms = ms
  }

  check = () => true

  async run(model: Model, { trial }: Real): Promise<void> {
    await trial.clock.advance(this.#ms)
    model.now += this.#ms
  }

  toString = () => `${this.#ms} ms pass`
}

const rate: Case = {
  id: "model/rate",
  title: "Requests and pauses at random are counted as the formula says, to the integer",
  clauses: ["RATE-4", "RATE-5", "RATE-HEADERS-P2", "RATE-HEADERS-P3", "RATE-G1"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { client: probe } = await trial.organization()
    const limit = limitOf(await probe.get("/v2/calls/exec_unknown"))
    if (limit > maxMeasuredCeiling)
      return trial.check.note("not-measured", "RATE-G1", `a ceiling of ${limit} is more than a run sends`)
    await explore<Model, Real>(trial, {
      topics: { passes: ["RATE-4", "RATE-5"], remaining: "RATE-HEADERS-P2", "retry-after": "RATE-HEADERS-P3" },
      commands: [
        fc.integer({ min: 1, max: Math.ceil(limit / 2) }).map((times) => new Ask(times)),
        fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 70_000 })).map((ms) => new Pass(ms)),
      ],
      setup: async () => {
        const { client } = await trial.organization()
        const now = await trial.clock.now()
        const window = Math.floor(now / windowMs)
        return { model: { limit, now, window, counts: { previous: 0, current: 0 } }, real: { trial, client } }
      },
      sequences: 3,
      maxCommands: 20,
    })
  },
}

export const rateModelCases: ReadonlyArray<Case> = [rate]
