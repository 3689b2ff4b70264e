import { refused, remove, write } from "../../engine/rules/Outcome.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { deletionRefused } from "../rules/ExperimentEdit.ts"
import { experimentOf } from "./ExperimentReads.ts"

/** A caller deletes an experiment that is not running. */
export const removeExperiment = step({
  name: "experiment.delete",
  reads: ({
    caller,
    main_agent_id,
    version_id,
  }: ByCaller & { readonly main_agent_id: string; readonly version_id: string }) =>
    experimentOf(caller.organization_id, main_agent_id, version_id),
  decide(_, experiment) {
    const refusal = deletionRefused(experiment)
    if (refusal !== null) return refused(refusal)
    const resource = { type: "experiment", id: experiment.version_id }
    return write([remove("experiment", experiment)], { audit: [{ resource }], reply: undefined })
  },
})
