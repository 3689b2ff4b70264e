import type { ApiKey } from "./ApiKey.ts"

/** Who asks: an authenticated key and the organization it is bound to. */
export interface Caller {
  readonly organization_id: string
  readonly key: ApiKey
  readonly request_id: string
}
