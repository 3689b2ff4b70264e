import type { Change } from "../engine/Commit.ts"
import { putId, type RowKind, type Rows } from "../Rows.ts"

type Tables = { readonly [K in RowKind]?: Map<string, Rows[K]> }

/** Every row by its kind and id, in the order of first commits, as the commits so far have left it, whatever store they were written to. */
export class RowsByKind {
  readonly #tables: Tables = {}

  of<K extends RowKind>(kind: K): Map<string, Rows[K]> {
    const found: Map<string, Rows[K]> | undefined = this.#tables[kind]
    if (found !== undefined) return found
    const table = new Map<string, Rows[K]>()
    Object.assign(this.#tables, { [kind]: table })
    return table
  }

  /** Whether dialling is held. */
  get isHeld(): boolean {
    return this.of("platform").get("platform")?.hold !== undefined
  }

  /** What a change makes of rows; what is only counted is left aside. */
  apply(change: Change): void {
    if ("row" in change) return this.#put(change)
    switch (change.put) {
      case "removal":
        this.of(change.kind).delete(change.id)
        if (change.kind === "knowledge_base") this.#removeUploads(change.id)
        return
      case "discard":
        this.of(change.kind).delete(change.id)
        return
      case "erased_call":
        this.of("call").delete(change.call.execution_id)
        return
      case "debit":
      case "guard":
      case "endpoint_attempt":
      case "tally":
      case "usage":
    }
  }

  #put<K extends RowKind>(change: { readonly put: K; readonly row: Rows[K] }): void {
    this.of(change.put).set(putId(change), change.row)
  }

  /** A knowledge base takes its uploads with it. */
  #removeUploads(retrievalId: string): void {
    const uploads = this.of("knowledge_upload")
    for (const { document_id, retrieval_id } of uploads.values())
      if (retrieval_id === retrievalId) uploads.delete(document_id)
  }
}
