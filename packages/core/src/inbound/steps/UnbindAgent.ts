import { remove, write } from "../../engine/rules/Outcome.ts"
import { refuse, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { NotFound } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"

/** A caller has a number answered by nobody. */
export const unbindAgent = step({
  name: "inbound_agent.delete",
  *reads({ caller, inbound_agent_id }: ByCaller & { readonly inbound_agent_id: string }) {
    const binding = yield* row("inbound_agent", inbound_agent_id, { of: caller.organization_id })
    return binding ?? (yield* refuse(new NotFound({ message: "Inbound agent not found." })))
  },
  decide(_, binding) {
    const resource = { type: "inbound_agent", id: binding.inbound_agent_id }
    return write([remove("inbound_agent", binding)], { audit: [{ resource }], reply: undefined })
  },
})
