import { malformed } from "./errors.ts"

/** A row with the number of the line on which it begins. */
interface Line {
  readonly line: number
  readonly cells: ReadonlyArray<string>
}

/** RFC 4180: quoted cells may have commas, quotes (doubled) and line ends. Blank lines are skipped. */
const linesOf = (text: string): Array<Line> => {
  const lines: Array<Line> = []
  let cells: Array<string> = []
  let cell = ""
  let inQuotes = false
  let line = 1
  let began = 1
  const endCell = () => {
    cells.push(cell)
    cell = ""
  }
  const endRow = () => {
    endCell()
    if (cells.length > 1 || cells[0]?.trim() !== "") lines.push({ line: began, cells })
    cells = []
  }
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    if (char === "\n") line += 1
    if (inQuotes) {
      if (char !== '"') cell += char
      else if (text.charAt(index + 1) === '"') {
        cell += '"'
        index += 1
      } else inQuotes = false
    } else if (char === '"' && cell === "") inQuotes = true
    else if (char === ",") endCell()
    else if (char === "\n" || (char === "\r" && text.charAt(index + 1) !== "\n")) {
      endRow()
      began = line
    } else if (char !== "\r") cell += char
  }
  if (inQuotes) throw malformed("The CSV file has a quote that is never closed.")
  if (cell !== "" || cells.length > 0) endRow()
  return lines
}

const phoneHeaders: ReadonlyArray<string> = ["to_number", "phone_number", "phone", "mobile", "number", "msisdn"]

/** A contact as a list names it. */
export interface Listed {
  readonly to_number: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Spaces, dots, dashes and parentheses are stripped and a missing plus is added before the digits are counted. */
const asPhone = (cell: string): string => `+${cell.replace(/[\s.()-]/g, "").replace(/^\+/, "")}`

/** The contacts of a CSV file, and the lines whose number is none. */
export const readCsv = (text: string): { readonly contacts: Array<Listed>; readonly badLines: Array<number> } => {
  const [header, ...rows] = linesOf(text.replace(/^\uFEFF/, ""))
  if (header === undefined) throw malformed("The uploaded CSV file is empty.")
  const names = header.cells.map((name) => name.trim())
  const lower = names.map((name) => name.toLowerCase())
  const phoneAt = lower.findIndex((name) => phoneHeaders.includes(name))
  if (phoneAt < 0) throw malformed("The CSV file has no header row with a phone number column.")
  const named = lower.filter((name) => name !== "")
  if (new Set(named).size < named.length) throw malformed("The CSV file has the same header twice.")
  if (rows.length === 0) throw malformed("The CSV file has no contacts.")
  const contacts: Array<Listed> = []
  const badLines: Array<number> = []
  for (const { cells, line } of rows) {
    const to_number = asPhone(cells[phoneAt] ?? "")
    if (cells.length !== names.length || !/^\+\d{7,15}$/.test(to_number)) {
      badLines.push(line)
      continue
    }
    const variables: Record<string, unknown> = {}
    for (const [index, name] of names.entries()) if (index !== phoneAt && name !== "") variables[name] = cells[index]
    const nameAt = lower.indexOf("name")
    if (nameAt >= 0) variables["callee_name"] = cells[nameAt]
    contacts.push({ to_number, variables })
  }
  return { contacts, badLines }
}
