import { Result } from "effect"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import { InvalidField, Malformed } from "../../Errors.ts"
import type { Json, JsonObject } from "../../Json.ts"
import { limits } from "../../Limits.ts"
import { quotable, readCsvNumber } from "../../phone/E164.ts"
import type { ContactIntake } from "./ContactIntake.ts"
import { type CsvRecord, CsvRecords, type RecordFault } from "./CsvRecords.ts"
import { IntakeSize, type SizeFault, sizeReasons } from "./IntakeSize.ts"

/** Why a file of contacts is refused. Lines are physical ones from 1, the header's line. */
export type CsvFault =
  | RecordFault
  | { readonly kind: "empty" | "no_header" | "no_contacts" | "too_many" }
  | { readonly kind: "duplicate_header"; readonly name: string }
  | { readonly kind: "too_large"; readonly what: SizeFault; readonly line: number }
  | { readonly kind: "bad_rows"; readonly lines: ReadonlyArray<number>; readonly count: number }

/** Some wrong lines of a file by their numbers, of `count` in all. */
export const linesNamed = (lines: ReadonlyArray<number>, count: number): string => {
  const more = count > lines.length ? ` and ${count - lines.length} more` : ""
  return `${count === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`
}

/** What the requester is told: 1000 for a file that cannot be read, 1001 for rows that are wrong. */
export const csvError = (fault: CsvFault): Malformed | InvalidField => {
  switch (fault.kind) {
    case "empty":
      return new Malformed({ message: "The uploaded CSV file is empty." })
    case "no_header":
      return new Malformed({ message: "The uploaded CSV file has no header with a column for the phone number." })
    case "no_contacts":
      return new Malformed({ message: "The uploaded CSV file has no contacts." })
    case "not_utf8":
      return new Malformed({ message: "The uploaded CSV file is not UTF-8." })
    case "duplicate_header":
      return new Malformed({
        message: `The uploaded CSV file has the header '${quotable(fault.name)}' more than once.`,
      })
    case "open_quote":
      return new Malformed({ message: `The uploaded CSV file has a quote on line ${fault.line} that is never closed.` })
    case "too_many":
      return new InvalidField({ field: "file", reason: `must have at most ${limits.contactsPerRequest} contacts` })
    case "too_large": {
      const reason = sizeReasons[fault.what]
      return new InvalidField({
        field: "file",
        reason: fault.what === "contact" ? `the contact of line ${fault.line} ${reason}` : reason,
      })
    }
    case "too_many_columns":
      return new InvalidField({ field: "file", reason: `must have at most ${limits.contactVariables + 1} columns` })
    case "bad_rows":
      return new InvalidField({
        field: "file",
        reason: `${linesNamed(fault.lines, fault.count)}: each row needs the columns of the header and a number of 7 to 15 digits`,
      })
  }
}

/** The names of a column that has the numbers, in either case. */
export const phoneHeaders: ReadonlySet<string> = new Set([
  "to_number",
  "phone_number",
  "phone",
  "mobile",
  "number",
  "msisdn",
])

/** Characters of a row as it is written, in which every quote of a cell may stand twice; with more, its contact is too large however it goes on. */
const recordBounds = { characters: 2 * limits.contactBytes, columns: limits.contactVariables }

/** What the header says of the columns: where the number is, and the variable that each other column is. */
interface Columns {
  readonly count: number
  readonly phone: number
  readonly variables: ReadonlyArray<readonly [column: number, name: string]>
  /** All variables without a value. Contacts are copies of it, which share its shape: put together name by name, each would be a table of its own, seven times as large. */
  readonly blank: { readonly [name: string]: Json }
  readonly mirrorsName: boolean
}

const readHeader = (cells: ReadonlyArray<string>): Result.Result<Columns, CsvFault> => {
  const names = cells.map((cell) => cell.trim())
  const phone = names.findIndex((name) => phoneHeaders.has(name.toLowerCase()))
  if (phone < 0) return Result.fail({ kind: "no_header" })
  const variables: Array<readonly [number, string]> = []
  const seen = new Set<string>()
  for (const [column, name] of names.entries()) {
    if (name === "") continue
    if (seen.has(name)) return Result.fail({ kind: "duplicate_header", name })
    seen.add(name)
    if (column !== phone) variables.push([column, name])
  }
  // A column `name` also fills the placeholder that agents know it by, unless the file has a column for that.
  const name = variables.find(([, each]) => each === "name")
  const mirrorsName = name !== undefined && !seen.has("callee_name")
  if (mirrorsName) variables.push([name[0], "callee_name"])
  // Made of entries, it owns even a variable named `__proto__`, which an assignment would take for the prototype.
  const blank = Object.fromEntries(variables.map(([, each]) => [each, ""]))
  return Result.succeed({ count: cells.length, phone, variables, blank, mirrorsName })
}

const variablesOf = ({ blank, variables }: Columns, cells: ReadonlyArray<string>): JsonObject => {
  const values: { [name: string]: Json } = { ...blank }
  for (const [column, name] of variables) values[name] = cells[column] ?? ""
  return values
}

/**
 * Reads contacts from a CSV file as its bytes come (specification, "POST /v2/campaigns"; decisions.md, "Campaigns and batches"):
 * RFC 4180 quoting, any line ends, a byte order mark tolerated, blank lines skipped. Wrong rows are collected and reported together;
 * everything else that is wrong ends the reading at once.
 */
export class CsvContacts {
  readonly #fileName: string | null
  readonly #records = new CsvRecords<CsvFault>(recordBounds, (record) => this.#record(record))
  readonly #contacts: Array<ContactEntry> = []
  readonly #lines: Array<number> = []
  readonly #size = new IntakeSize()
  readonly #badLines: Array<number> = []
  #badCount = 0
  #columns: Columns | null = null

  constructor(fileName: string | null) {
    this.#fileName = fileName
  }

  /** Takes the next bytes. A fault is final: nothing more needs to be read. */
  push(bytes: Uint8Array): CsvFault | null {
    return this.#records.push(bytes)
  }

  /** Whether its contacts took so much since it was last true that others should have their turn. */
  isTurnOver(): boolean {
    return this.#size.isTurnOver()
  }

  /** The contacts of the whole file, or what is wrong with it. */
  finish(): Result.Result<ContactIntake, CsvFault> {
    const fault = this.#records.finish()
    if (fault !== null) return Result.fail(fault)
    if (this.#badCount > 0) return Result.fail({ kind: "bad_rows", lines: this.#badLines, count: this.#badCount })
    if (this.#columns === null) return Result.fail({ kind: "empty" })
    if (this.#contacts.length === 0) return Result.fail({ kind: "no_contacts" })
    const { mirrorsName } = this.#columns
    return Result.succeed({ contacts: this.#contacts, lines: this.#lines, mirrorsName, file_name: this.#fileName })
  }

  #record({ cells, isBroken, line }: CsvRecord): CsvFault | null {
    if (this.#columns === null) {
      const columns = readHeader(cells)
      if (Result.isFailure(columns)) return columns.failure
      this.#columns = columns.success
      return null
    }
    if (this.#contacts.length + this.#badCount >= limits.contactsPerRequest) return { kind: "too_many" }
    const number = readCsvNumber(cells[this.#columns.phone] ?? "")
    if (number === null || isBroken || cells.length !== this.#columns.count) {
      this.#badCount += 1
      if (this.#badLines.length < limits.namedFaults) this.#badLines.push(line)
      return null
    }
    const contact = { to_number: number, variables: variablesOf(this.#columns, cells) }
    const tooLarge = this.#size.add(contact, cells.length)
    if (tooLarge !== null) return { kind: "too_large", what: tooLarge, line }
    this.#contacts.push(contact)
    this.#lines.push(line)
    return null
  }
}
