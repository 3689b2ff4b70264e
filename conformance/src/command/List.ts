import { cases, extensionCases } from "../cases/Cases.ts"
import { clauses } from "../clauses/Clauses.ts"
import { extensionClauses } from "../clauses/Extensions.ts"
import { ambientRules } from "../ambient/Ambient.ts"
import { levelOf } from "../run/Capabilities.ts"
import { ambientCaseId } from "../run/Report.ts"
import type { Console } from "./Console.ts"

/** Which cases are about each clause; the ambient rules count as one case. */
export const casesByClause = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  const add = (clause: string, id: string) => {
    const ids = found.get(clause)
    if (ids === undefined) found.set(clause, [id])
    else if (!ids.includes(id)) ids.push(id)
  }
  for (const rule of ambientRules) for (const clause of rule.clauses) add(clause, ambientCaseId)
  for (const each of [...cases, ...extensionCases]) for (const clause of each.clauses) add(clause, each.id)
  return found
}

/** Prints every case, or every clause with the number of cases that are about it; those of extensions only when asked. */
export const list = (args: { readonly clauses: boolean; readonly extensions: boolean }, console: Console): void => {
  if (args.clauses) {
    const byClause = casesByClause()
    for (const { id, level, observable } of args.extensions ? [...clauses, ...extensionClauses] : clauses) {
      console.out(
        `${id.padEnd(24)} ${level.padEnd(args.extensions ? 9 : 8)} ${observable.padEnd(9)} ${byClause.get(id)?.length ?? 0} cases\n`,
      )
    }
    return
  }
  for (const each of args.extensions ? [...cases, ...extensionCases] : cases)
    console.out(`L${levelOf(each.requires)} ${each.id.padEnd(56)} ${each.title}\n`)
}
