import { Effect, Result } from "effect"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { type InvalidField, type Malformed, TooLarge } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { SentFile } from "../SentFile.ts"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { CsvContacts, csvError } from "./rules/Csv.ts"

/**
 * Bytes of a file that are read at a time, and how many before others get their turn. Few, because each row becomes a contact with the names of all
 * columns, which the file says once: a thousand bytes may become 64 KiB, so turns go by what the contacts take, too.
 */
const sliceBytes = 4 * 1024
const turnBytes = 16 * 1024

/** The contacts of a CSV file that was uploaded. */
export const csvContacts = Effect.fnUntraced(function* ({
  bytes,
  name,
}: SentFile): Effect.fn.Return<ContactIntake, TooLarge | Malformed | InvalidField> {
  if (bytes.length > limits.csvBytes) {
    return yield* new TooLarge({ message: `The file is larger than ${limits.csvBytes / 1024 ** 2} MiB.` })
  }
  const csv = new CsvContacts(name)
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    if (csv.isTurnOver() || from % turnBytes === 0) yield* nextTurn
    const fault = csv.push(bytes.subarray(from, from + sliceBytes))
    if (fault !== null) return yield* csvError(fault)
  }
  return yield* Effect.fromResult(Result.mapError(csv.finish(), csvError))
})
