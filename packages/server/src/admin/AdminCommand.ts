import type { Carillon } from "@carillon/http"
import type { Said } from "./Text.ts"
import type { AdminOption, Words } from "./Words.ts"

/** What a command found; `isWell` false: something does not hold, or is not there. */
export interface Answer {
  readonly said: Said
  readonly isWell: boolean
}

/** A command of the program. */
export interface AdminCommand {
  /** Its name: `organizations open`. */
  readonly name: string
  /** Its arguments, those in brackets may be left out: `NAME`, `[ORGANIZATION]`. */
  readonly arguments: ReadonlyArray<string>
  readonly options: Readonly<Record<string, AdminOption>>
  readonly meaning: string
  readonly run: (words: Words, carillon: Carillon) => Promise<Answer>
}
