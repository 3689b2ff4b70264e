import { Hash } from "@carillon/core/domain"
import { beforeEach } from "vitest"
import { seed } from "./seed.ts"

/** What a test draws by itself; all of it follows from the seed and the test's name. */
export interface Dice {
  /** From 0 to 1, without 1. */
  readonly unit: () => number
  /** A whole number from the least to the most. */
  readonly between: (least: number, most: number) => number
  readonly oneOf: <A>(list: ReadonlyArray<A>) => A
}

/** What a test that has failed says of its dice. Where processes and fibers race, the draws are the same again and the moments are not. */
export const howToRepeat = (test: string, file: string, drawn: number): string =>
  `"${test}" has drawn ${drawn} times. The same draws again: CARILLON_SEED=${seed} npm test -- ${file}`

/** Dice for the tests of a file, which asks for them where it is loaded. Each test draws from the beginning, and says how to repeat it if it fails. */
export const fileDice = (): Dice => {
  let test = ""
  let drawn = 0
  beforeEach(({ onTestFailed, task }) => {
    test = task.name
    drawn = 0
    // The test's own output, which is shown with its failure.
    onTestFailed(() => console.error(howToRepeat(test, task.file.name, drawn)))
  })
  const unit = () => Hash.unit(seed, test, drawn++)
  return {
    unit,
    between: (least, most) => least + Math.floor(unit() * (most - least + 1)),
    oneOf: (list) => {
      const one = list[Math.floor(unit() * list.length)]
      if (one === undefined) throw new Error("Of none, none can be drawn.")
      return one
    },
  }
}
