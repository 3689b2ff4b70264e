import { write } from "../../engine/rules/Outcome.ts"
import { each } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"

/** Records that somebody was erased, with how much it was. */
export const recordErasure = step({
  name: "person.erase",
  reads: () => each([]),
  decide({
    calls,
    contacts,
    events,
    organization_id,
  }: ByEngine & { readonly calls: number; readonly contacts: number; readonly events: number }) {
    const resource = { type: "organization", id: organization_id }
    return write([], { audit: [{ resource, details: { calls, contacts, events } }], reply: undefined })
  },
})
