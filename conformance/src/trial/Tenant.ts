import type { Client } from "../http/Client.ts"

/** An organization as a case sees it. */
export interface Tenant {
  readonly organizationId: string
  /** Registered numbers; empty where only the one key of the run is known. */
  readonly phoneNumbers: ReadonlyArray<string>
  /** Requests with the first key. */
  readonly client: Client
  /** One client for each key, in the order in which the keys were asked for. */
  readonly clients: ReadonlyArray<Client>
  readonly keyIds: ReadonlyArray<string>
}
