import { write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** Records that an organization is written into a file. */
export const recordExport = step({
  name: "organization.export",
  reads: () => each([]),
  decide: ({ organization_id: id }: ByEngine) =>
    write([], { audit: [{ resource: { type: "organization", id } }], reply: undefined }),
})
