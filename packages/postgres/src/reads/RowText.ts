import { nextTurn } from "@carillon/core/ports"
import { Effect } from "effect"
import { rowOf } from "../Documents.ts"

/** Characters of rows that are read before others have their turn. */
const turnCharacters = 128 * 1024

/** Stands between two rows, and in none: JSON has no control characters but white space (RFC 7464 takes the same). */
const separator = "\u001e"

/** All rows as one text. */
export const asOneText = "string_agg(row::text, E'\\x1e')"

/** The rows of such a text. */
export const rowsOfText = <Row>(text: string | null): Effect.Effect<ReadonlyArray<Row>> =>
  rowsOfTexts(text === null ? [] : text.split(separator))

/**
 * The rows of their texts. They may have megabytes, and several reads may come at once: were they read as documents when they arrive, everybody would
 * wait for that.
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
