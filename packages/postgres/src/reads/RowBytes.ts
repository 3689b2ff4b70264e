import { nextTurn } from "@carillon/core/ports"
import { Effect } from "effect"
import { rowOf } from "../Documents.ts"

/**
 * A document in SQL as bytes. The driver reads what is `json`, and writes what is `text`, as soon as it arrives; bytes it leaves as they are. So the texts of
 * rows that wait for their turn are nowhere: there may be megabytes of them, and the garbage collector moves whatever is alive.
 */
export const bytesOf = (column: string): string => `convert_to(${column}::text, 'UTF8')`

/** The row of such bytes. */
export const rowOfBytes = <Row>({ buffer, byteLength, byteOffset }: Uint8Array): Row => {
  const document: Row = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString())
  return rowOf(document)
}

/** Bytes of rows that are read before others have their turn. */
const turnBytes = 128 * 1024

/** The rows of their bytes. Several reads may come at once: were they read as documents when they arrive, everybody would wait for that. */
export const rowsOfBytes = <Row>(documents: ReadonlyArray<Uint8Array>): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    let bytes = 0
    for (const document of documents) {
      bytes += document.length
      if (bytes > turnBytes) {
        bytes = document.length
        yield* nextTurn
      }
      rows.push(rowOfBytes(document))
    }
    return rows
  })

/**
 * Rows by their names, each read when it is handed out: one statement finds the rows of hundreds who wait, and customers say how large theirs are. The one
 * that was read last is kept for whoever is next in asking for it.
 */
export const readWhenGiven = <Stored, Row>(
  stored: ReadonlyMap<string, Stored>,
  read: (stored: Stored) => Row,
): ((name: string) => Row | null) => {
  let last: { readonly name: string; readonly row: Row } | null = null
  return (name) => {
    if (last?.name === name) return last.row
    const found = stored.get(name)
    if (found === undefined) return null
    const row = read(found)
    last = { name, row }
    return row
  }
}
