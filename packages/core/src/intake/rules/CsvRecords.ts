import { Utf8Text } from "./Utf8.ts"

/** A row of a CSV file: its cells, the physical line from 1 on which it begins, and whether something follows a closing quote. */
export interface CsvRecord {
  readonly cells: ReadonlyArray<string>
  readonly line: number
  readonly isBroken: boolean
}

/** Why a text cannot be taken apart into rows. */
export type RecordFault =
  | { readonly kind: "not_utf8" | "too_many_columns" }
  | { readonly kind: "open_quote"; readonly line: number }
  | { readonly kind: "too_large"; readonly what: "contact"; readonly line: number }

/** What a row may have. */
interface RecordBounds {
  /** Characters as it is written. */
  readonly characters: number
  /** Columns beside the first. */
  readonly columns: number
}

const comma = 44
const quote = 34
const lineFeed = 10
const carriageReturn = 13

/**
 * Takes a CSV file apart as its bytes come: RFC 4180 quoting, any line ends, a byte order mark tolerated, blank lines skipped. What takes a row may
 * say what is wrong with it, and that ends the reading.
 */
export class CsvRecords<Fault> {
  readonly #take: (record: CsvRecord) => Fault | null
  readonly #bounds: RecordBounds
  readonly #text = new Utf8Text()
  #fault: RecordFault | Fault | null = null

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

  constructor(bounds: RecordBounds, take: (record: CsvRecord) => Fault | null) {
    this.#bounds = bounds
    this.#take = take
  }

  /** Takes the next bytes. A fault is final: nothing more needs to be read. */
  push(bytes: Uint8Array): RecordFault | Fault | null {
    if (this.#fault !== null) return this.#fault
    const text = this.#text.push(bytes)
    if (text === null) this.#fault = { kind: "not_utf8" }
    else this.#read(text)
    return this.#fault
  }

  /** What is wrong with the whole file; null where nothing is. */
  finish(): RecordFault | Fault | null {
    if (this.#fault !== null) return this.#fault
    const text = this.#text.finish()
    if (text === null) this.#fault = { kind: "not_utf8" }
    else this.#end(text)
    return this.#fault
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
    if (this.#recordSize > this.#bounds.characters) {
      this.#fault ??= { kind: "too_large", what: "contact", line }
    }
    if (this.#cells.length > this.#bounds.columns) this.#fault ??= { kind: "too_many_columns" }
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
    // A file may be millions of blank lines: nothing is made for one.
    if (!isBlank) {
      this.#cells.push(this.#cell)
      this.#fault ??= this.#take({ cells: this.#cells, line: this.#recordLine, isBroken: this.#isBroken })
      this.#cells = []
      this.#cell = ""
    }
    this.#isRecordOver = true
    this.#state = "cell_start"
    this.#isBroken = false
    this.#isQuoted = false
  }
}
