/** Who asks, as far as steps and the audit trail have to know. */
export interface Asker {
  readonly organization_id: string
  readonly key: { readonly key_id: string }
  readonly request_id: string
  /** The status of a success of what is asked for, where there is but one; left out where nobody asked over HTTP. */
  readonly success_status?: number | undefined
}

/** On behalf of somebody who asks. */
export interface ByAsker {
  readonly caller: Asker
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
export type By = ByAsker | ByEngine

/** The organization in which it is done. */
export const organizationOf = (by: By): string => ("caller" in by ? by.caller.organization_id : by.organization_id)
