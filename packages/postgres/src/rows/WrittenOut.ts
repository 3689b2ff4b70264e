import { type Commit, nextTurn } from "@carillon/core/ports"
import { Effect } from "effect"
import { documentOf } from "../Documents.ts"

/** Characters of documents that are written out before others have their turn. */
const turnCharacters = 128 * 1024

/** A commit of no more changes is small: a call's has some ten. */
const fewChanges = 16

/** The documents of rows that were written out ahead. */
const documents = new WeakMap<object, string>()

/** The document under which a row is stored. */
export const rowDocument = (row: object): string => documents.get(row) ?? documentOf(row)

/**
 * Writes out the rows of a large commit ahead, some in each turn. A campaign may move with a megabyte of batches: were they written out when their
 * statement is made, everybody would wait for that, and to rest there would put the statements of a transaction out of order.
 */
export const writtenOut = ({ changes }: Commit): Effect.Effect<void> =>
  changes.length <= fewChanges
    ? Effect.void
    : Effect.gen(function* () {
        let characters = 0
        for (const change of changes) {
          if (!("row" in change) || change.put === "contact") continue
          const document = documentOf(change.row)
          documents.set(change.row, document)
          characters += document.length
          if (characters <= turnCharacters) continue
          characters = 0
          yield* nextTurn
        }
      })
