import { everyKind, type StepRead, type StepSource, stepSources } from "../steps/StepSources.ts"
import { table } from "./Table.ts"

const linesOf = (lines: ReadonlyArray<string>): string => (lines.length === 0 ? "–" : [...new Set(lines)].join("; "))

/** What a commit expects, or is held by the row that it writes. */
const isHeld = ({ glance, how }: StepRead): boolean => glance === null && how !== "ask"

const named = (kind: string): string => (kind === everyKind ? kind : `\`${kind}\``)

const thing = ({ how, of }: StepRead): string => (how === "row" || how === "byKey" ? named(of) : of)

const oldThing = (read: StepRead): ReadonlyArray<string> =>
  read.glance === null ? [] : [`${thing(read)}: ${read.glance.because} (*${read.glance.reason}*)`]

const moduleOf = ({ path }: StepSource): string => path.replace("core/src/", "").replace(/\.ts$/, "")

const row = (step: StepSource): ReadonlyArray<string> => [
  named(step.name),
  named(moduleOf(step)),
  linesOf(step.reads.filter(isHeld).map(thing)),
  linesOf([...step.writes].map(named)),
  linesOf(step.reads.flatMap(oldThing)),
]

/** The page of the steps: what each of them rests on, and what of what it reads may be old. */
export const stepsPage = (): string => `# Steps

Every step, as its module says it. What the commit of each rests on is what it reads, but for what may be old. Why that may be is said where it is read: by one of the four reasons of [what commits rest on](what-commits-rest-on.md). \`npm run node -- scripts/pages.ts\` writes this page.

A row that is read and written is expected by its own change; a set is expected by its guard; who joins a set raises its guard, as the row's description says (\`joins\`).

${table(["step", "in", "rests on", "writes", "may be old"], stepSources().map(row))}`
