import { Result } from "effect"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { all, orRefuse, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { Malformed } from "../../Errors.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { edited, type ExperimentBody } from "../rules/ExperimentEdit.ts"
import { activeFor, challengerFor, experimentOf, judgedChallenger } from "./ExperimentReads.ts"

/** A caller edits an experiment, which also starts, pauses and concludes it. */
export const editExperiment = step({
  name: "experiment.update",
  *reads({
    body,
    caller: { organization_id },
    main_agent_id,
    version_id,
  }: ByCaller & { readonly main_agent_id: string; readonly version_id: string; readonly body: ExperimentBody }) {
    const [experiment, challenger, active] = yield* all(
      experimentOf(organization_id, main_agent_id, version_id),
      challengerFor(organization_id, body),
      activeFor(organization_id, main_agent_id, body),
    )
    if (Object.keys(body).length === 0) {
      return yield* refuse(new Malformed({ message: "The request body has no field to change." }))
    }
    yield* orRefuse(judgedChallenger(main_agent_id, body, challenger))
    return { experiment, active }
  },
  decide({ body }, { active, experiment }, { now }) {
    const after = edited(experiment, body, active, now)
    if (Result.isFailure(after)) return refused(after.failure)
    const change = put("experiment", experiment, after.success)
    const resource = { type: "experiment", id: experiment.version_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
