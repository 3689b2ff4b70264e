/** A call that arrives at one of the organization's numbers. */
export interface InboundCall {
  readonly organization_id: string
  /** Null: the agent that is bound to the number answers. */
  readonly agent_id: string | null
  readonly from_number: string
  readonly to_number: string
  readonly call_sid: string | null
}
