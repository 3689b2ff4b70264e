/** The binding of a number to the agent that answers it; a number has one at most. */
export interface InboundAgent {
  readonly inbound_agent_id: string
  readonly revision: number
  readonly organization_id: string
  readonly agent_id: string
  readonly phone_number_id: string
  readonly phone_number: string
  /** A binding that is switched off answers nothing. */
  readonly enabled: boolean
  readonly created_at: number
  readonly updated_at: number
}
