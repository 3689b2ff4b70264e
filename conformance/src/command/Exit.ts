import type { RunOutcome } from "../run/Report.ts"

/** What the process says with its exit status. */
export const exit = { holds: 0, fails: 1, usage: 2, unreachable: 3, harness: 4, interrupted: 130 } as const

/** The exit status of a finished run. */
export const exitOf = (outcome: RunOutcome): number => {
  switch (outcome) {
    case "holds":
      return exit.holds
    case "fails":
      return exit.fails
    case "nothing-ran":
      return exit.unreachable
    case "harness-fault":
      return exit.harness
  }
}
