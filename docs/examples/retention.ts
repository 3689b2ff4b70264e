import type { Carillon } from "@carillon/http"

/** From now on the organization keeps its calls and contacts for so many days after their end; null: for ever. */
export const keepFor = (carillon: Carillon, organizationId: string, days: number | null) =>
  carillon.organizations.change(organizationId, { retention_days: days })
