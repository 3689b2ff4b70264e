import { Result } from "effect"
import { knownAgent, noSuchAgent } from "../../agents/steps/AgentReads.ts"
import { put, refused, write } from "../../engine/rules/Outcome.ts"
import { all, orRefuse, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByCaller } from "../../keys/rules/Caller.ts"
import { edited, type ExperimentBody } from "../rules/ExperimentEdit.ts"
import { activeFor, challengerFor, judgedChallenger } from "./ExperimentReads.ts"

/** What an experiment cannot be made without. */
export type NewExperiment = ExperimentBody & { readonly variant_agent_id: string; readonly version_name: string }

/** A caller makes an experiment of a control agent: a draft, and the edit that its body is. */
export const createExperiment = step({
  name: "experiment.create",
  *reads({
    body,
    caller: { organization_id },
    main_agent_id,
  }: ByCaller & { readonly main_agent_id: string; readonly body: NewExperiment }) {
    const [control, challenger, active] = yield* all(
      knownAgent(organization_id, main_agent_id),
      challengerFor(organization_id, body),
      activeFor(organization_id, main_agent_id, body),
    )
    if (control === null) return yield* refuse(noSuchAgent)
    yield* orRefuse(judgedChallenger(main_agent_id, body, challenger))
    return active
  },
  decide({ body, caller: { key, organization_id }, main_agent_id }, active, at) {
    const draft = {
      version_id: at.mint("version", organization_id, main_agent_id, at.nth("version")),
      revision: 0,
      organization_id,
      main_agent_id,
      variant_agent_id: body.variant_agent_id,
      version_name: body.version_name,
      description: null,
      variable_tested: null,
      variant_traffic_pct: 0,
      status: "draft",
      winner: null,
      start_date: null,
      end_date: null,
      created_by: key.developer.id,
      created_at: at.now,
      updated_at: at.now,
    } as const
    const made = edited(draft, body, active, at.now)
    if (Result.isFailure(made)) return refused(made.failure)
    const change = put("experiment", null, made.success)
    const resource = { type: "experiment", id: change.row.version_id }
    return write([change], { audit: [{ resource }], reply: change.row })
  },
})
