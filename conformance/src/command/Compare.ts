import type { AnyClause } from "../clauses/Clause.ts"
import { clauses } from "../clauses/Clauses.ts"
import { extensionClauses } from "../clauses/Extensions.ts"
import { differenceOf, differenceText } from "../report/Diff.ts"
import { matrixHtml, matrixText } from "../report/Matrix.ts"
import { type PastReport, readPast } from "../report/Past.ts"
import type { Console } from "./Console.ts"
import { exit } from "./Exit.ts"
import { Usage } from "./Usage.ts"

/** The run that a file tells of. */
export const pastIn = async (path: string, console: Pick<Console, "readFile">): Promise<PastReport> => {
  const text = await console.readFile(path).catch(() => {
    throw new Usage(`cannot read ${path}`)
  })
  const past = readPast(path, text)
  if (past === undefined) throw new Usage(`${path} is no JSON report of a run`)
  return past
}

/** Prints what changed from one run to another; 1 where something fails that held or was not executed. */
export const diff = async (
  args: { readonly before: string; readonly after: string },
  console: Console,
): Promise<number> => {
  const before = await pastIn(args.before, console)
  const after = await pastIn(args.after, console)
  console.out(differenceText(before, after))
  const { broken, newFailures } = differenceOf(before, after)
  return broken.length + newFailures.length === 0 ? exit.holds : exit.fails
}

/** Prints several runs side by side, and writes the page where one is asked for. */
export const matrix = async (
  args: { readonly files: ReadonlyArray<string>; readonly html: string | undefined },
  console: Console,
): Promise<number> => {
  const reports: Array<PastReport> = []
  for (const file of args.files) reports.push(await pastIn(file, console))
  // Where one run did not ask for extensions, they do not differ in them.
  const compared: ReadonlyArray<AnyClause> = reports.every(({ asksExtensions }) => asksExtensions)
    ? [...clauses, ...extensionClauses]
    : clauses
  console.out(matrixText(reports, compared))
  if (args.html !== undefined) await console.writeFile(args.html, matrixHtml(reports, compared))
  return exit.holds
}
