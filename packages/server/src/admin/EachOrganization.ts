import type { Carillon } from "@carillon/http"

/** Visits every organization, one after the other; no more than a page of them is held at a time. */
export const eachOrganization = async (
  carillon: Carillon,
  visit: (organizationId: string) => Promise<void>,
): Promise<void> => {
  for (let after: string | null = null; ;) {
    const { items, next } = await carillon.organizations.list(after)
    for (const { organization_id } of items) await visit(organization_id)
    if (next === null) return
    after = next
  }
}
