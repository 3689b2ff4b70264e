import type { ApiKey } from "../keys/rules/ApiKey.ts"

/** The API keys of the world. */
export class KeyTable {
  readonly #byHash = new Map<string, ApiKey>()
  readonly #byId = new Map<string, ApiKey>()
  readonly #byOrganization = new Map<string, Map<string, ApiKey>>()

  get(keyId: string): ApiKey | undefined {
    return this.#byId.get(keyId)
  }

  byHash(hash: string): ApiKey | undefined {
    return this.#byHash.get(hash)
  }

  /** The keys of an organization, oldest first. */
  of(organizationId: string): ReadonlyMap<string, ApiKey> {
    return this.#byOrganization.get(organizationId) ?? new Map()
  }

  put(key: ApiKey): void {
    this.#byHash.set(key.hash, key)
    this.#byId.set(key.key_id, key)
    if (key.organization_id === null) return
    const own = this.#byOrganization.get(key.organization_id)
    if (own === undefined) this.#byOrganization.set(key.organization_id, new Map([[key.key_id, key]]))
    else own.set(key.key_id, key)
  }
}
