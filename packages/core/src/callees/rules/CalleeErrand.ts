/** This process remembers that an organization has callees. */
export interface MeetsCallees {
  readonly errand: "callees.meet"
  /** The organization. */
  readonly subject: string
  readonly organization_id: string
}

/** Remembers that an organization has callees: they are looked at before the next dial. */
export const meetsCallees = (organizationId: string): MeetsCallees => ({
  errand: "callees.meet",
  subject: organizationId,
  organization_id: organizationId,
})
