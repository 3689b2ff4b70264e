import { Effect } from "effect"
import { counted } from "../Counted.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { InvalidField, Malformed, TooLarge } from "../Errors.ts"
import { phoneHeaders } from "../intake/rules/Csv.ts"
import { type CsvRecord, CsvRecords, type RecordFault } from "../intake/rules/CsvRecords.ts"
import { limits } from "../Limits.ts"
import { quotable } from "../phone/E164.ts"
import type { SentFile } from "../SentFile.ts"
import { numberOfRow, numberOfText, readCallingCode } from "./rules/NationalNumber.ts"

const sliceBytes = 64 * 1024
const bounds = { characters: 10_000, columns: 100 }

/** What stops the reading of a file. */
type Stop = "too_many" | { readonly kind: "unknown_header"; readonly names: string }

const letter = /\p{L}/u

/** Reads numbers, one of each row: of the column that the header names, or of the whole row where there is no header. */
class NumberRows {
  readonly numbers: Array<string> = []
  readonly badLines: Array<number> = []
  badCount = 0
  readonly #code: string | null
  /** The column of the numbers; null where there is no header. */
  #column: number | null | undefined

  constructor(code: string | null) {
    this.#code = code
  }

  take({ cells, isBroken, line }: CsvRecord): Stop | null {
    if (this.#column === undefined) {
      const column = cells.findIndex((cell) => phoneHeaders.has(cell.trim().toLowerCase()))
      this.#column = column < 0 ? null : column
      if (column >= 0) return null
      if (cells.some((cell) => letter.test(cell))) return { kind: "unknown_header", names: cells.join(",") }
    }
    if (this.numbers.length + this.badCount >= limits.suppressedPerFile) return "too_many"
    const number = isBroken ? null : this.#numberOf(cells)
    if (number !== null) this.numbers.push(number)
    else {
      this.badCount += 1
      if (this.badLines.length < limits.namedFaults) this.badLines.push(line)
    }
    return null
  }

  #numberOf(cells: ReadonlyArray<string>): string | null {
    if (this.#column === null || this.#column === undefined) return numberOfRow(cells, this.#code)
    return numberOfText(cells[this.#column] ?? "", this.#code)
  }
}

const wrongFile = (reason: string): InvalidField => new InvalidField({ field: "file", reason })

const faultOf = (fault: RecordFault | Stop): Malformed | InvalidField => {
  if (fault === "too_many") return wrongFile(`must have at most ${counted(limits.suppressedPerFile)} numbers`)
  switch (fault.kind) {
    case "unknown_header":
      return wrongFile(
        `the header '${quotable(fault.names)}' names no column of numbers, which is ${[...phoneHeaders].join(", ")}`,
      )
    case "not_utf8":
      return new Malformed({ message: "The uploaded file is not UTF-8." })
    case "open_quote":
      return new Malformed({ message: `The uploaded file has a quote on line ${fault.line} that is never closed.` })
    case "too_many_columns":
      return wrongFile(`must have at most ${bounds.columns + 1} columns`)
    case "too_large":
      return wrongFile(`line ${fault.line} has more than ${bounds.characters} characters`)
  }
}

const badRows = ({ badCount, badLines }: NumberRows, code: string | null): InvalidField => {
  const more = badCount > badLines.length ? ` and ${badCount - badLines.length} more` : ""
  return wrongFile(
    `${badCount === 1 ? "line" : "lines"} ${badLines.join(", ")}${more}: ${code === null ? "" : `no national number of +${code} that cannot be another one, and `}no number of 7 to 15 digits`,
  )
}

/**
 * The numbers of a file, in pieces between which others run: a CSV with a header as those of contacts, or lines with nothing but a number, as public
 * lists come. With a calling code (`1`, `44`) numbers without a plus are national ones; those of `1` may have their area code in a column of its own.
 * What might be two numbers is none: a wrong one that is stored is somebody who is not called any more.
 */
export const numbersOfFile = Effect.fnUntraced(function* (
  { bytes }: SentFile,
  calling_code: string | null,
): Effect.fn.Return<ReadonlyArray<string>, TooLarge | Malformed | InvalidField> {
  if (bytes.length > limits.csvBytes) {
    return yield* new TooLarge({ message: `The file is larger than ${limits.csvBytes / 1024 ** 2} MiB.` })
  }
  const code = calling_code === null ? null : readCallingCode(calling_code)
  if (code === null && calling_code !== null)
    return yield* new InvalidField({ field: "calling_code", reason: "must be one to three digits" })
  const rows = new NumberRows(code)
  const records = new CsvRecords<Stop>(bounds, (record) => rows.take(record))
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    yield* nextTurn
    const fault = records.push(bytes.subarray(from, from + sliceBytes))
    if (fault !== null) return yield* faultOf(fault)
  }
  const fault = records.finish()
  if (fault !== null) return yield* faultOf(fault)
  if (rows.badCount > 0) return yield* badRows(rows, code)
  if (rows.numbers.length === 0) return yield* new Malformed({ message: "The uploaded file has no numbers." })
  return rows.numbers
})
