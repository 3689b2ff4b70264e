const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll(/\s+/g, " ").trim()

/** A table in Markdown. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cells: ReadonlyArray<string>) => `| ${cells.map(cell).join(" | ")} |\n`
  return [line(heads), `|${"---|".repeat(heads.length)}\n`, ...rows.map(line)].join("")
}
