import type { ApiKey } from "./ApiKey.ts"

/** Who asks: an authenticated key and the organization it is bound to. */
export interface Caller {
  readonly organization_id: string
  readonly key: ApiKey
  readonly request_id: string
  /** The status of a success of what is asked for, where there is but one; left out where nobody asked over HTTP. */
  readonly success_status?: number | undefined
  /** Calls back once nobody waits for the answer any more; returns how to stop. Left out where that cannot be known. */
  readonly whenGone?: WhenGone | undefined
  /** Is told that the request's own record says, or will say, how it failed: it needs no other one. */
  readonly onRecorded?: (() => void) | undefined
}

export type WhenGone = (listener: () => void) => () => void
