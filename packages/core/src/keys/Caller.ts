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

/** On behalf of somebody who asks. */
export interface ByCaller {
  readonly caller: Caller
}

/** Of the engine's accord or its host's, in an organization. */
export interface ByEngine {
  readonly organization_id: string
}

/** Of the engine's accord, about something of which only its row says whose it is: whoever decides says so then. */
export interface ByRow {
  readonly organization_id: null
}

/** On whose behalf something is done. */
export type By = ByCaller | ByEngine

/** The organization in which it is done. */
export const organizationOf = (by: By): string => ("caller" in by ? by.caller.organization_id : by.organization_id)

export type WhenGone = (listener: () => void) => () => void
