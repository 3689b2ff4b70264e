import type { Change } from "../engine/rules/Commit.ts"
import type { BalanceChange, Debit } from "../organizations/rules/Balance.ts"
import type { Organization } from "../organizations/rules/Organization.ts"
import { type Put, putId, type RowKind, type Rows } from "../Rows.ts"

type Tables = { readonly [K in RowKind]?: Map<string, Rows[K]> }

const tableOf = <K extends RowKind>(tables: Tables, kind: K): Map<string, Rows[K]> => {
  const found: Map<string, Rows[K]> | undefined = tables[kind]
  if (found !== undefined) return found
  const table = new Map<string, Rows[K]>()
  Object.assign(tables, { [kind]: table })
  return table
}

/** Every row by its kind and id, in the order of first commits, as the commits so far have left it, whatever store they were written to. */
export class RowsByKind {
  readonly #tables: Tables = {}
  readonly #purged: Tables = {}

  of<K extends RowKind>(kind: K): Map<string, Rows[K]> {
    return tableOf(this.#tables, kind)
  }

  /** Calls and contacts that were kept for their time, as they were when they went. They still count. */
  purged<K extends "call" | "contact">(kind: K): Map<string, Rows[K]> {
    return tableOf(this.#purged, kind)
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
        if (change.kind === "call") this.#purge("call", change.id)
        this.of(change.kind).delete(change.id)
        if (change.kind === "knowledge_base") this.#removeUploads(change.id)
        return
      case "discard":
        if (change.kind === "contact") this.#purge("contact", change.id)
        this.of(change.kind).delete(change.id)
        return
      case "erased_call":
        this.of("call").delete(change.call.execution_id)
        return
      case "debit":
      case "balance":
        return this.#charge(change)
      case "guard":
      case "endpoint_attempt":
      case "tally":
      case "usage":
    }
  }

  #put(change: Put): void {
    if (change.put === "organization") this.#putOrganization(change.row)
    else this.#set(change)
  }

  #set<K extends RowKind>(change: { readonly put: K; readonly row: Rows[K] }): void {
    this.of(change.put).set(putId(change), change.row)
  }

  /** The balance of one that is there already changes by debits and by what a host makes of it, and by no put. */
  #putOrganization(row: Organization): void {
    const before = this.of("organization").get(row.organization_id)
    const balance = before?.wallet.balance ?? row.wallet.balance
    this.of("organization").set(row.organization_id, { ...row, wallet: { ...row.wallet, balance } })
  }

  /** In words of its own, so that stores are held against them. */
  #charge(change: Debit | BalanceChange): void {
    const { organization_id } = change
    const organization = this.of("organization").get(organization_id)
    if (organization === undefined) return
    const { wallet } = organization
    const charged = change.put === "debit" ? wallet.balance - change.amount : change.to - (change.from - wallet.balance)
    this.of("organization").set(organization_id, { ...organization, wallet: { ...wallet, balance: charged } })
  }

  #purge<K extends "call" | "contact">(kind: K, id: string): void {
    const row = this.of(kind).get(id)
    if (row !== undefined) this.purged(kind).set(id, row)
  }

  /** A knowledge base takes its uploads with it. */
  #removeUploads(retrievalId: string): void {
    const uploads = this.of("knowledge_upload")
    for (const { document_id, retrieval_id } of uploads.values())
      if (retrieval_id === retrievalId) uploads.delete(document_id)
  }
}
