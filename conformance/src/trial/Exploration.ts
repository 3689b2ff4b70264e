import * as fc from "fast-check"
import { ControlFailure } from "../control/Control.ts"
import { NoAnswer } from "../http/Wire.ts"
import { type Cited, Halted } from "../run/Checks.ts"
import type { Trial } from "./Trial.ts"

/** The server contradicts the model on one topic. */
class Contradiction extends Error {
  override readonly name = "Contradiction"
  readonly topic: string

  constructor(topic: string, message: string) {
    super(message)
    this.topic = topic
  }
}

/** What a model is about: the clauses of each topic, which is also the id of its check. */
export type Topics = Readonly<Record<string, Cited>>

/** Random sequences of commands, held against a model. */
export interface Exploration<Model extends object, Real> {
  readonly topics: Topics
  readonly commands: ReadonlyArray<fc.Arbitrary<fc.AsyncCommand<Model, Real>>>
  /** The world before the first command; made anew for every sequence. */
  readonly setup: () => Promise<{ model: Model; real: Real }>
  readonly sequences: number
  readonly maxCommands: number
}

/** Shrinking ends after this much real time with the shortest sequence found so far. */
const shrinkLimitMs = 60_000

const topicOf = (error: unknown): string | undefined => (error instanceof Contradiction ? error.topic : undefined)

/** Runs sequences of commands; a contradiction is shrunk and recorded with the sequence that shows it. */
export const explore = async <Model extends object, Real>(
  trial: Trial,
  { topics, commands, setup, sequences, maxCommands }: Exploration<Model, Real>,
): Promise<void> => {
  const property = fc.asyncProperty(fc.commands([...commands], { maxCommands }), async (sequence) => {
    await fc.asyncModelRun(setup, sequence)
  })
  const details = await fc.check(property, {
    seed: trial.seed,
    numRuns: sequences,
    interruptAfterTimeLimit: shrinkLimitMs,
    markInterruptAsFailure: false,
  })
  const error = details.errorInstance
  const topic = topicOf(error)
  if (error !== null && error !== undefined && topic === undefined) {
    if (error instanceof NoAnswer || error instanceof ControlFailure || error instanceof Halted) throw error
    throw new Error("a sequence of commands failed for a reason that is not about the server", { cause: error })
  }
  for (const [each, clauses] of Object.entries(topics)) {
    const holds = each !== topic
    const got = holds
      ? "so"
      : `${error instanceof Error ? error.message : ""}; shortest sequence: ${fc.stringify(details.counterexample?.[0])}`
    trial.check.that(each, clauses, holds, { expected: "what the model says", got })
  }
}

/** Throws unless the server does as the model says. */
export const expectModel = (topic: string, holds: boolean, what: string): void => {
  if (!holds) throw new Contradiction(topic, what)
}
