import type { Reporter } from "vitest/node"

/** Begins the title of a test that needs what this machine has not, or the reason that it gives. */
const mark = "cannot be run: "

/** A test that was skipped. */
interface Skipped {
  readonly file: string
  readonly title: string
  readonly reason?: string | undefined
}

/** The last lines of a run, and whether it has failed because of them. */
interface Closing {
  readonly lines: ReadonlyArray<string>
  readonly isFailure: boolean
}

const lineOf = ({ file, reason = "", title }: Skipped): string =>
  `NOT TESTED  ${file} ${title}${reason === "" ? "" : `: ${reason}`}`

/**
 * What a run tells of what was skipped. `mayBeMissing` is null where any part may be, as on the machine of whoever works on this: the tests
 * that say what they need are named, and the run is green. Otherwise it names the one part that may be: every other test that was skipped has
 * failed, also one that does not say why.
 */
export const closingOf = (skipped: ReadonlyArray<Skipped>, mayBeMissing: string | null): Closing => {
  const isAllowed = ({ title }: Skipped): boolean =>
    mayBeMissing === null || (mayBeMissing !== "" && title.startsWith(mark) && title.includes(mayBeMissing))
  const isToldOf = (one: Skipped): boolean =>
    !isAllowed(one) || one.title.startsWith(mark) || one.reason?.startsWith(mark) === true
  const told = skipped.filter(isToldOf)
  if (told.length === 0) return { lines: [], isFailure: false }
  const failed = told.filter((one) => !isAllowed(one)).length
  const last =
    failed === 0
      ? `${told.length} NOT TESTED: what they need is not here. CONTRIBUTING.md, "What tests need".`
      : `${failed} NOT TESTED, and that is a failure: CARILLON_MAY_BE_MISSING does not name what they need.`
  return { lines: [...told.map(lineOf), last], isFailure: failed > 0 }
}

/** What a test needs and this machine has not is told again at the very end, where it cannot be overlooked. */
export const notTested: Reporter = {
  onTestRunEnd: (modules) => {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test): Skipped => {
        const result = test.result()
        const reason = result.state === "skipped" ? result.note : undefined
        return { file: module.relativeModuleId, title: test.name, reason }
      }),
    )
    const { isFailure, lines } = closingOf(skipped, process.env["CARILLON_MAY_BE_MISSING"] ?? null)
    if (lines.length > 0) console.log(`\n${lines.join("\n\n")}`)
    if (isFailure) process.exitCode = 1
  },
}
