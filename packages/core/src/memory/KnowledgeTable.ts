import type { KnowledgeBase, KnowledgeUpload } from "../knowledge/KnowledgeBase.ts"
import type { Page, PageRequest } from "../Pagination.ts"

/** The knowledge bases of the world with their uploads, in commit order. */
export class KnowledgeTable {
  readonly #bases = new Map<string, KnowledgeBase>()
  readonly #byName = new Map<string, Map<string, KnowledgeBase>>()
  readonly #uploads = new Map<string, KnowledgeUpload>()
  readonly #byBase = new Map<string, Map<string, KnowledgeUpload>>()

  base(retrievalId: string): KnowledgeBase | null {
    return this.#bases.get(retrievalId) ?? null
  }

  find(organizationId: string, collection: string): KnowledgeBase | null {
    return this.#byName.get(organizationId)?.get(collection) ?? null
  }

  /** Whether another base has this one's name. */
  isTaken({ collection, organization_id, retrieval_id }: KnowledgeBase): boolean {
    const holder = this.find(organization_id, collection)
    return holder !== null && holder.retrieval_id !== retrieval_id
  }

  page(organizationId: string, page: PageRequest): Page<KnowledgeBase> {
    return newestFirst(this.#byName.get(organizationId)?.values() ?? [], page)
  }

  upload(documentId: string): KnowledgeUpload | null {
    return this.#uploads.get(documentId) ?? null
  }

  uploads(organizationId: string, retrievalId: string, page: PageRequest): Page<KnowledgeUpload> {
    const isOurs = this.#bases.get(retrievalId)?.organization_id === organizationId
    return newestFirst(isOurs ? (this.#byBase.get(retrievalId)?.values() ?? []) : [], page)
  }

  putBase(base: KnowledgeBase): void {
    this.#bases.set(base.retrieval_id, base)
    const own = this.#byName.get(base.organization_id)
    if (own === undefined) this.#byName.set(base.organization_id, new Map([[base.collection, base]]))
    else own.set(base.collection, base)
  }

  putUpload(upload: KnowledgeUpload): void {
    this.#uploads.set(upload.document_id, upload)
    const own = this.#byBase.get(upload.retrieval_id)
    if (own === undefined) this.#byBase.set(upload.retrieval_id, new Map([[upload.document_id, upload]]))
    else own.set(upload.document_id, upload)
  }

  removeBase(retrievalId: string): void {
    const base = this.#bases.get(retrievalId)
    if (base === undefined) return
    this.#bases.delete(retrievalId)
    this.#byName.get(base.organization_id)?.delete(base.collection)
    for (const documentId of this.#byBase.get(retrievalId)?.keys() ?? []) this.#uploads.delete(documentId)
    this.#byBase.delete(retrievalId)
  }

  removeUpload(documentId: string): void {
    const upload = this.#uploads.get(documentId)
    if (upload === undefined) return
    this.#uploads.delete(documentId)
    this.#byBase.get(upload.retrieval_id)?.delete(documentId)
  }
}

const newestFirst = <Row extends { readonly created_at: number }>(
  rows: Iterable<Row>,
  { page, page_size }: PageRequest,
): Page<Row> => {
  // Reversing the whole keeps commit order as the second key.
  const found = [...rows].sort((a, b) => a.created_at - b.created_at).reverse()
  const skip = (page - 1) * page_size
  return { items: found.slice(skip, skip + page_size), total: found.length }
}
