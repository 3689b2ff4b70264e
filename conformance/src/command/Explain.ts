import { ambientRules } from "../ambient/Ambient.ts"
import { cases, extensionCases } from "../cases/Cases.ts"
import type { AnyClause } from "../clauses/Clause.ts"
import { clausesByPrefix, findClause } from "../clauses/Clauses.ts"
import { levelOf } from "../run/Capabilities.ts"
import { ambientCaseId } from "../run/Report.ts"
import { matches } from "../run/Selection.ts"
import type { Console } from "./Console.ts"
import { casesByClause } from "./List.ts"
import { Usage } from "./Usage.ts"

const clauseText = (clause: AnyClause): string =>
  `  ${clause.id} (${clause.level}, ${"address" in clause ? clause.address : clause.section})\n    ${clause.quote}\n`

const quoted = (ids: ReadonlyArray<string>): string =>
  ids
    .map((id) => findClause(id))
    .filter((clause) => clause !== undefined)
    .map(clauseText)
    .join("")

/** Prints what a case, an ambient rule or a clause is about. */
export const explain = (id: string, console: Console): void => {
  const named = [...cases, ...extensionCases].filter((each) => matches(id, each.id))
  const rules = ambientRules.filter((rule) => id === ambientCaseId || id === `${ambientCaseId}:${rule.id}`)
  const stated = clausesByPrefix(id)
  if (named.length + rules.length + stated.length === 0) throw new Usage(`no case or clause is called "${id}"`)
  for (const each of named) {
    console.out(`${each.id}: ${each.title}\n  needs ${each.requires.join(", ")} (L${levelOf(each.requires)})\n`)
    console.out(quoted(each.clauses))
  }
  for (const rule of rules) console.out(`${ambientCaseId}:${rule.id}, of every answer\n${quoted(rule.clauses)}`)
  const byClause = casesByClause()
  for (const clause of stated) {
    const about = byClause.get(clause.id) ?? []
    console.out(`${clauseText(clause)}    judged by ${about.length === 0 ? "no case" : about.join(", ")}\n`)
  }
}
