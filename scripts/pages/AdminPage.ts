import { everywhere, migrateCommand } from "../../packages/server/src/admin/AdminProgram.ts"
import { adminCommands } from "../../packages/server/src/admin/Commands.ts"
import { table } from "./Table.ts"

const flagged = (name: string, value: string | null): string => `\`--${name}${value === null ? "" : ` ${value}`}\``

const sections = (): ReadonlyArray<string> =>
  adminCommands.map(({ arguments: names, meaning, name, options }) => {
    const rows = Object.entries(options).map(([option, { isRepeatable, meaning: of, value }]) => [
      flagged(option, value),
      `${of}${isRepeatable === true ? "; may be said more than once" : ""}`,
    ])
    const told = rows.length === 0 ? "" : `\n${table(["Option", "Meaning"], rows)}`
    return `## \`${[name, ...names].join(" ")}\`\n\n${meaning[0]?.toUpperCase()}${meaning.slice(1)}.\n${told}`
  })

/** The page of the operator's program. */
export const adminPage = (): string => `# Commands of the operator

Every command of \`carillon-admin\`. [The guide](../guides/server.md#a-program-for-operators) says what it is for. It ends with 0 where it is done and holds; with 1 where something cannot be done, is not there or does not hold; with 2 where the command or a setting is wrong.

${table(
  ["Everywhere", "Meaning"],
  Object.entries(everywhere).map(([name, { meaning, value }]) => [flagged(name, value), meaning]),
)}
${sections().join("\n")}
## \`${migrateCommand.name}\`

${migrateCommand.meaning[0]?.toUpperCase()}${migrateCommand.meaning.slice(1)}.
`
