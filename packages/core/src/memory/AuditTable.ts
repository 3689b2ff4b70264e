import type { AuditFilter } from "../audit/ports/AuditStore.ts"
import { type AuditRecord, type ChainHead, emptyChain, headOf } from "../audit/rules/AuditChain.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { AuditListing } from "./AuditListing.ts"

/** An organization's chain as far as it is kept, and the head of what came before. */
interface Chain {
  origin: ChainHead
  records: Array<AuditRecord>
  readonly listing: AuditListing
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

  find(organizationId: string, eventId: string): AuditRecord | null {
    return this.#chains.get(organizationId)?.listing.find(eventId) ?? null
  }

  /** Newest first. */
  page(organizationId: string, filter: AuditFilter, request: PageRequest): Page<AuditRecord> {
    return this.#chains.get(organizationId)?.listing.page(filter, request) ?? { items: [], total: 0 }
  }

  push(record: AuditRecord): void {
    const known = this.#chains.get(record.organization_id)
    const chain = known ?? { origin: emptyChain, records: [], listing: new AuditListing() }
    if (known === undefined) this.#chains.set(record.organization_id, chain)
    chain.records.push(record)
    chain.listing.add(record)
  }

  /** Forgets all but the last records of an organization: what is kept verifies from the head of what is not. */
  keep(organizationId: string, count: number): void {
    const chain = this.#chains.get(organizationId)
    const last = chain?.records.at(-count - 1)
    if (chain === undefined || last === undefined) return
    chain.origin = headOf(last)
    for (const record of chain.records.slice(0, -count)) chain.listing.remove(record)
    chain.records = chain.records.slice(-count)
  }
}
