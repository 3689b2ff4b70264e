import type { RowDescription } from "../engine/RowDescription.ts"
import type { Organization, Platform } from "./Organization.ts"

export const platformRow: RowDescription<Platform> = {
  id: (platform) => platform.platform_id,
  dependency: "account_service",
}

/** The ceilings of an organization bind all of its lanes. */
export const organizationRow: RowDescription<Organization> = {
  id: (organization) => organization.organization_id,
  dependency: "account_service",
  lane: ({ organization_id }) => ({ organization_id, lane_id: null }),
}
