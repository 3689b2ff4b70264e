import { parseArgs } from "node:util"
import { Timestamp } from "@carillon/core/domain"
import { JournalError, readJournal } from "../journal/Journal.ts"
import { replayReport } from "../journal/ReplayReport.ts"
import { FlagError } from "./Flags.ts"

/** What the command came to: what to print, and what the process ends with. */
export interface ReplayResult {
  readonly text: string
  readonly exitCode: 0 | 1
}

/** Violations that are printed. */
const shownViolations = 10

const fileOf = (args: ReadonlyArray<string>): { readonly file: string; readonly isChecked: boolean } => {
  try {
    const options = { "check-determinism": { type: "boolean" } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    const [file, ...more] = positionals
    if (file === undefined || more.length > 0) throw new FlagError("replay: needs the file of one journal")
    return { file, isChecked: values["check-determinism"] === true }
  } catch (error) {
    throw error instanceof FlagError ? error : new FlagError(`replay: ${String(error)}`)
  }
}

/**
 * `replay FILE`: lives a journal through again and says what came of it. With `--check-determinism` it does so twice and compares.
 * Throws a `FlagError` or a `JournalError`.
 */
export const replayCommand = async (
  args: ReadonlyArray<string>,
  readFile: (file: string) => string,
): Promise<ReplayResult> => {
  const { file, isChecked } = fileOf(args)
  const journal = readJournal(reading(file, readFile))
  const report = await replayReport(journal)
  const violations = report.violations.map(({ at, detail, name }) => `${name} at ${Timestamp.formatUtc(at)}: ${detail}`)
  const lines = [
    `${report.inputs} inputs, ${report.events} events, ${Timestamp.formatUtc(report.now)}`,
    `hash ${report.hash}`,
    `${violations.length} violations`,
    ...violations.slice(0, shownViolations).map((violation) => `  ${violation}`),
  ]
  const isSame = !isChecked || (await replayReport(journal)).hash === report.hash
  if (isChecked) lines.push(isSame ? "The second run did the same." : "The second run did something else.")
  return { text: `${lines.join("\n")}\n`, exitCode: isSame && violations.length === 0 ? 0 : 1 }
}

const reading = (file: string, readFile: (file: string) => string): string => {
  try {
    return readFile(file)
  } catch {
    throw new JournalError(`'${file}' cannot be read`)
  }
}
