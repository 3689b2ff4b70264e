import { type AuditRecord, type ChainHead, emptyChain, headOf } from "../audit/rules/AuditChain.ts"

/** An organization's chain as far as it is kept, and the head of what came before. */
interface Chain {
  origin: ChainHead
  records: Array<AuditRecord>
}

/** The audit trails of the world. */
export class AuditTable {
  readonly #chains = new Map<string, Chain>()

  /** Where the kept records of an organization begin. */
  origin(organizationId: string): ChainHead {
    return this.#chains.get(organizationId)?.origin ?? emptyChain
  }

  /** Where its next record goes. */
  head(organizationId: string): ChainHead {
    const last = this.#chains.get(organizationId)?.records.at(-1)
    return last === undefined ? this.origin(organizationId) : headOf(last)
  }

  /** The kept records of an organization, oldest first. */
  records(organizationId: string): Array<AuditRecord> {
    return this.#chains.get(organizationId)?.records ?? []
  }

  /** Those after a sequence number. */
  after(organizationId: string, sequence: number, limit: number): ReadonlyArray<AuditRecord> {
    const from = Math.max(0, sequence - this.origin(organizationId).sequence)
    return this.records(organizationId).slice(from, from + limit)
  }

  push(record: AuditRecord): void {
    const chain = this.#chains.get(record.organization_id)
    if (chain === undefined) this.#chains.set(record.organization_id, { origin: emptyChain, records: [record] })
    else chain.records.push(record)
  }

  /** Forgets all but the last records of an organization: what is kept verifies from the head of what is not. */
  keep(organizationId: string, count: number): void {
    const chain = this.#chains.get(organizationId)
    const last = chain?.records.at(-count - 1)
    if (chain === undefined || last === undefined) return
    chain.origin = headOf(last)
    chain.records = chain.records.slice(-count)
  }
}
