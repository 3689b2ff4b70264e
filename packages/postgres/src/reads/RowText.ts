import { nextTurn } from "@carillon/core/ports"
import { Effect } from "effect"
import { rowOf } from "../Documents.ts"

/** Characters of rows that are read before others have their turn. */
const turnCharacters = 128 * 1024

/**
 * The rows of their texts. They may have megabytes, and several reads may come at once: were they read as documents when they arrive, everybody would
 * wait for that. Each row is a text of its own: one text of all of them would be megabytes in one place, to be found room for and to be given back.
 */
export const rowsOfTexts = <Row>(texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    let characters = 0
    for (const part of texts) {
      characters += part.length
      if (characters > turnCharacters) {
        characters = part.length
        yield* nextTurn
      }
      const document: Row = JSON.parse(part)
      rows.push(rowOf(document))
    }
    return rows
  })
