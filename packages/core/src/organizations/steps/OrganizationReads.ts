import { refuse, row } from "../../engine/steps/Reading.ts"
import { NotFound } from "../../Errors.ts"

/** Why something is refused that names an organization. */
export const noSuchOrganization = new NotFound({ message: "Organization not found." })

export function* organizationRowOf(organizationId: string) {
  return (yield* row("organization", organizationId)) ?? (yield* refuse(noSuchOrganization))
}
