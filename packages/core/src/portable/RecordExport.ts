import { write } from "../engine/Outcome.ts"
import { each } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"

/** Records that an organization is written into a file. */
export const recordExport = step({
  name: "organization.export",
  reads: () => each([]),
  decide: ({ organization_id: id }: ByEngine) =>
    write([], { audit: [{ resource: { type: "organization", id } }], reply: undefined }),
})
