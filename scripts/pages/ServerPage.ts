import { variableOf } from "../../packages/server/src/settings/SettingBook.ts"
import { everySetting } from "../../packages/server/src/settings/Settings.ts"
import { table } from "./Table.ts"

const otherwiseOf = (otherwise: string | null): string => {
  if (otherwise === null) return "has to be set"
  return otherwise === "" ? "nothing" : `\`${otherwise}\``
}

const sections = (): ReadonlyArray<string> =>
  everySetting().map(({ book, title }) => {
    const rows = book.settings.map(({ meaning, name, otherwise, takes }) => [
      `\`${name}\``,
      `\`${variableOf(name)}\``,
      takes,
      otherwiseOf(otherwise),
      meaning,
    ])
    return `## ${title}\n\n${table(["In the file", "As a variable", "Takes", "Left out", "Meaning"], rows)}`
  })

/** The page of every setting of the server program. */
export const serverPage = (): string => `# Settings of the server

Every setting of \`@carillon/server\`. [The guide](../guides/server.md) says how they are given.

${sections().join("\n")}`
