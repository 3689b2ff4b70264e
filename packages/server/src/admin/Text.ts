/** What a command has to say: the same as JSON and as lines. */
export type Said = string | number | boolean | null | ReadonlyArray<Said> | { readonly [name: string]: Said }

type Cells = ReadonlyArray<readonly [name: string, text: string]>

const isList = (said: Said): said is ReadonlyArray<Said> => Array.isArray(said)

const cellsOf = (said: Said, name = ""): Cells => {
  if (said === null) return [[name, "-"]]
  if (isList(said)) {
    const isPlain = said.every((each) => typeof each !== "object")
    if (isPlain) return [[name, said.join(", ") || "-"]]
    return said.flatMap((each, nth) => cellsOf(each, `${name}[${nth}]`))
  }
  if (typeof said !== "object") return [[name, String(said)]]
  return Object.entries(said).flatMap(([key, value]) => cellsOf(value, name === "" ? key : `${name}.${key}`))
}

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}

const isTable = (said: Said): said is ReadonlyArray<Said> =>
  isList(said) && said.length > 0 && said.every((each) => typeof each === "object" && each !== null && !isList(each))

/** A list of things as a table, one thing as its fields. */
export const linesOf = (said: Said): ReadonlyArray<string> => {
  if (typeof said === "string") return [said]
  if (isList(said) && said.length === 0) return ["none"]
  if (!isTable(said)) return aligned(cellsOf(said).map(([name, text]) => [name, text]))
  const rows = said.map((each) => new Map(cellsOf(each)))
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))]
  return aligned([names, ...rows.map((row) => names.map((name) => row.get(name) ?? ""))])
}
