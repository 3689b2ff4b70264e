import { cases } from "../../src/cases/Cases.ts"
import { ambientCaseId } from "../../src/run/Report.ts"
import { set202611 } from "../../src/requirements/Set202611.ts"

/** The frozen sets, the oldest first, with what was new in each. */
const sets = [{ name: "2026-11", what: "The first set: everything that the suite asked.", set: set202611 }]

const heading = `# Which requirements came when

A run with \`--requirements NAME\` fails only for what stands in the set of that name. What came later is a note there. Sets are frozen: they are never changed. (Written by \`conformance/test/requirements/freeze.ts changelog\`. Checks that were added to a case of a set are newer than the set, too; the report names them.)
`

const bullet = (id: string, title: string): string => `- \`${id}\`: ${title}`

/** Which cases came after which set, the newest first. */
export const changelog = (): string => {
  const newest = sets.at(-1)
  const later = cases.filter(({ id }) => newest?.set[id] === undefined)
  const frozen = sets.toReversed().map(({ name, set, what }) => {
    const count = Object.keys(set).length - 1
    const rules = set[ambientCaseId]?.split(" ").length ?? 0
    return `## ${name}\n\n${what} ${count} cases, and ${rules} rules that every answer of every case is held to.\n`
  })
  const title = `## In no set yet\n\n${later.length} cases are newer than ${newest?.name ?? "any set"}.\n`
  return [heading, title, `${later.map((each) => bullet(each.id, each.title)).join("\n")}\n`, ...frozen].join("\n")
}
