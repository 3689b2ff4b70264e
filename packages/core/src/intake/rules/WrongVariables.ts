import { InvalidField } from "../../Errors.ts"
import { quotable } from "../../phone/E164.ts"
import { alsoIn } from "./AlsoIn.ts"
import type { ContactIntake } from "./ContactIntake.ts"
import { linesNamed } from "./Csv.ts"

/** Contacts in which a variable says what it must not: the first of them by their rows, and how many there are. */
export interface WrongRows {
  readonly rows: ReadonlyArray<number>
  readonly count: number
}

/** What whoever handed them in is told. */
export const wrongVariable = (
  { lines }: ContactIntake,
  column: string,
  { count, rows }: WrongRows,
  reason: string,
): InvalidField => {
  if (lines !== undefined) {
    const named = linesNamed(
      rows.flatMap((row) => lines[row] ?? []),
      count,
    )
    return new InvalidField({ field: "file", reason: `${named}: '${quotable(column)}' ${reason}` })
  }
  const [field = "contacts", ...others] = rows.map((row) => `contacts[${row}].${quotable(column)}`)
  return new InvalidField({ field, reason: `${reason}${alsoIn(others, count - 1)}` })
}
