import { Result } from "effect"
import type { ContactEntry } from "../contacts/Contact.ts"
import { InvalidField, Malformed } from "../Errors.ts"
import type { Json, JsonObject } from "../Json.ts"
import { limits } from "../Limits.ts"
import { quotable, readCsvNumber } from "../phone/E164.ts"
import type { ContactIntake } from "./ContactIntake.ts"
import { IntakeSize, type SizeFault, sizeReasons } from "./IntakeSize.ts"
import { Utf8Text } from "./Utf8.ts"

/** Why a file of contacts is refused. Lines are physical ones from 1, the header's line. */
export type CsvFault =
  | { readonly kind: "empty" | "no_header" | "no_contacts" | "not_utf8" | "too_many" | "too_many_columns" }
  | { readonly kind: "duplicate_header"; readonly name: string }
  | { readonly kind: "open_quote"; readonly line: number }
  | { readonly kind: "too_large"; readonly what: SizeFault; readonly line: number }
  | { readonly kind: "bad_rows"; readonly lines: ReadonlyArray<number>; readonly count: number }

const badRows = (lines: ReadonlyArray<number>, count: number): string => {
  const named = lines.join(", ")
  const more = count > lines.length ? ` and ${count - lines.length} more` : ""
  const lineWord = count === 1 ? "line" : "lines"
  return `${lineWord} ${named}${more}: each row needs the columns of the header and a number of 7 to 15 digits`
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
      return new InvalidField({ field: "file", reason: badRows(fault.lines, fault.count) })
  }
}

const comma = 44
const quote = 34
const lineFeed = 10
const carriageReturn = 13

const phoneHeaders: ReadonlySet<string> = new Set(["to_number", "phone_number", "phone", "mobile", "number", "msisdn"])

/** Characters of a row as it is written, in which every quote of a cell may stand twice; with more, its contact is too large however it goes on. */
const recordCharactersMax = 2 * limits.contactBytes

/** What the header says of the columns: where the number is, and the variable that each other column is. */
interface Columns {
  readonly count: number
  readonly phone: number
  readonly variables: ReadonlyArray<readonly [column: number, name: string]>
  /** All variables without a value. Contacts are copies of it, which share its shape: put together name by name, each would be a table of its own, seven times as large. */
  readonly blank: { readonly [name: string]: Json }
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
  if (name !== undefined && !seen.has("callee_name")) variables.push([name[0], "callee_name"])
  // Made of entries, it owns even a variable named `__proto__`, which an assignment would take for the prototype.
  const blank = Object.fromEntries(variables.map(([, each]) => [each, ""]))
  return Result.succeed({ count: cells.length, phone, variables, blank })
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
  readonly #text = new Utf8Text()
  readonly #contacts: Array<ContactEntry> = []
  readonly #size = new IntakeSize()
  readonly #badLines: Array<number> = []
  #badCount = 0
  #columns: Columns | null = null
  #fault: CsvFault | null = null

  /** The record so far, and the text of its last cell so far. */
  #cells: Array<string> = []
  #cell = ""
  /** Characters of the record so far, its separators among them. */
  #recordSize = 0
  #isRecordOver = false
  #state: "cell_start" | "plain" | "quoted" | "quote_in_quoted" = "cell_start"
  /** Something follows a closing quote: the row is wrong. */
  #isBroken = false
  #isQuoted = false
  #afterCarriageReturn = false
  #line = 1
  #recordLine = 1
  #quoteLine = 1

  constructor(fileName: string | null) {
    this.#fileName = fileName
  }

  /** Takes the next bytes. A fault is final: nothing more needs to be read. */
  push(bytes: Uint8Array): CsvFault | null {
    if (this.#fault !== null) return this.#fault
    const text = this.#text.push(bytes)
    if (text === null) this.#fault = { kind: "not_utf8" }
    else this.#read(text)
    return this.#fault
  }

  /** The contacts of the whole file, or what is wrong with it. */
  finish(): Result.Result<ContactIntake, CsvFault> {
    if (this.#fault === null) {
      const text = this.#text.finish()
      if (text === null) this.#fault = { kind: "not_utf8" }
      else this.#end(text)
    }
    if (this.#fault !== null) return Result.fail(this.#fault)
    if (this.#badCount > 0) return Result.fail({ kind: "bad_rows", lines: this.#badLines, count: this.#badCount })
    if (this.#columns === null) return Result.fail({ kind: "empty" })
    if (this.#contacts.length === 0) return Result.fail({ kind: "no_contacts" })
    return Result.succeed({ contacts: this.#contacts, file_name: this.#fileName })
  }

  #end(text: string): void {
    this.#read(text)
    if (this.#state === "quoted") this.#fault ??= { kind: "open_quote", line: this.#quoteLine }
    else if (this.#cells.length > 0 || this.#cell !== "" || this.#isQuoted) this.#endRecord()
  }

  #read(text: string): void {
    let position = 0
    while (position < text.length && this.#fault === null) {
      if (this.#afterCarriageReturn) {
        this.#afterCarriageReturn = false
        if (text.charCodeAt(position) === lineFeed) {
          // The pair is one line end; inside quotes both are part of the cell.
          if (this.#state === "quoted") this.#cell += "\n"
          position += 1
          continue
        }
      }
      const line = this.#recordLine
      switch (this.#state) {
        case "cell_start":
          if (text.charCodeAt(position) === quote) {
            this.#state = "quoted"
            this.#isQuoted = true
            this.#quoteLine = this.#line
            position += 1
          } else this.#state = "plain"
          break
        case "plain":
          position = this.#grown(position, line, this.#plain(text, position))
          break
        case "quoted":
          position = this.#grown(position, line, this.#quoted(text, position))
          break
        case "quote_in_quoted":
          position = this.#grown(position, line, this.#afterQuote(text, position))
          break
      }
    }
  }

  /** Counts what was read of the record that begins on a line, so that no row is larger than a contact may be. */
  #grown(from: number, line: number, to: number): number {
    this.#recordSize += to - from
    if (this.#recordSize > recordCharactersMax) {
      this.#fault ??= { kind: "too_large", what: "contact", line }
    }
    if (this.#cells.length > limits.contactVariables) this.#fault ??= { kind: "too_many_columns" }
    if (this.#isRecordOver) this.#recordSize = 0
    this.#isRecordOver = false
    return to
  }

  #plain(text: string, from: number): number {
    for (let position = from; position < text.length; position++) {
      const code = text.charCodeAt(position)
      if (code !== comma && code !== lineFeed && code !== carriageReturn) continue
      this.#cell += text.slice(from, position)
      this.#endCell(code)
      return position + 1
    }
    this.#cell += text.slice(from)
    return text.length
  }

  #quoted(text: string, from: number): number {
    for (let position = from; position < text.length; position++) {
      const code = text.charCodeAt(position)
      if (code === quote) {
        this.#cell += text.slice(from, position)
        this.#state = "quote_in_quoted"
        return position + 1
      }
      if (code === lineFeed) this.#line += 1
      else if (code === carriageReturn) {
        this.#line += 1
        this.#cell += text.slice(from, position + 1)
        this.#afterCarriageReturn = true
        return position + 1
      }
    }
    this.#cell += text.slice(from)
    return text.length
  }

  #afterQuote(text: string, position: number): number {
    const code = text.charCodeAt(position)
    if (code === quote) {
      this.#cell += '"'
      this.#state = "quoted"
      return position + 1
    }
    if (code === comma || code === lineFeed || code === carriageReturn) {
      this.#endCell(code)
      return position + 1
    }
    this.#isBroken = true
    this.#state = "plain"
    return position
  }

  #endCell(code: number): void {
    if (code === comma) {
      this.#cells.push(this.#cell)
      this.#cell = ""
      this.#state = "cell_start"
      return
    }
    this.#endRecord()
    this.#afterCarriageReturn = code === carriageReturn
    this.#line += 1
    this.#recordLine = this.#line
  }

  #endRecord(): void {
    const isBlank = this.#cells.length === 0 && this.#cell === "" && !this.#isQuoted
    this.#cells.push(this.#cell)
    if (!isBlank) this.#record(this.#cells)
    this.#cells = []
    this.#cell = ""
    this.#isRecordOver = true
    this.#state = "cell_start"
    this.#isBroken = false
    this.#isQuoted = false
  }

  #record(cells: ReadonlyArray<string>): void {
    if (this.#columns === null) {
      const columns = readHeader(cells)
      if (Result.isSuccess(columns)) this.#columns = columns.success
      else this.#fault = columns.failure
      return
    }
    if (this.#contacts.length + this.#badCount >= limits.contactsPerRequest) {
      this.#fault = { kind: "too_many" }
      return
    }
    const number = readCsvNumber(cells[this.#columns.phone] ?? "")
    if (number === null || this.#isBroken || cells.length !== this.#columns.count) {
      this.#badCount += 1
      if (this.#badLines.length < limits.namedFaults) this.#badLines.push(this.#recordLine)
      return
    }
    const contact = { to_number: number, variables: variablesOf(this.#columns, cells) }
    const tooLarge = this.#size.add(contact)
    if (tooLarge === null) this.#contacts.push(contact)
    else this.#fault = { kind: "too_large", what: tooLarge, line: this.#recordLine }
  }
}
