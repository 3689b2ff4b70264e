import { rowOf } from "../Documents.ts"

/** The document of a row in SQL, as bytes: the driver reads `json` as soon as it arrives, and bytes it leaves as they are. */
export const documentBytes = "convert_to(row::text, 'UTF8') as row"

/** The row of such bytes. */
export const rowOfBytes = <Row>(bytes: Uint8Array): Row => {
  const document: Row = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  return rowOf(document)
}

/**
 * Rows by their names, each read when it is handed out. One statement finds the rows of hundreds who wait, and customers say how large theirs are. Read
 * when they arrive, they are texts and documents for as long as anybody waits, which the garbage collector moves among what is old. The one that was
 * read last is kept for whoever is next in asking for it.
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
