import type { SuppressionScope } from "../callees/rules/Callee.ts"
import { entryFor, type HoursSetting, isWrongZone } from "../callees/rules/HoursRow.ts"
import type { CallOrder } from "../campaigns/rules/CallOrderSetting.ts"
import type { FollowUpPolicy } from "../dispatch/rules/FollowUpPlan.ts"
import { Effect } from "effect"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { wrongVariable } from "./rules/WrongVariables.ts"
import { wrongRows } from "./WrongRows.ts"

const reason = "must be an IANA time zone, because the hours of callees go by it"

/** What calls of contacts are asked for: their campaign with its order, their agent, and how they are followed up. */
export interface AskedOfContacts extends Pick<SuppressionScope, "campaign_id"> {
  readonly agent_id: string
  readonly follow_up_policy: FollowUpPolicy
  readonly call_order?: CallOrder | undefined
}

/** The variables that name the zones of contacts, by the callee hours that stand for their calls; none where no hours bind them. */
const zoneColumns = (
  setting: HoursSetting,
  { agent_id, campaign_id, follow_up_policy: { enabled, follow_up_agent_id } }: AskedOfContacts,
): ReadonlySet<string> => {
  const agents = enabled && follow_up_agent_id !== null ? [agent_id, follow_up_agent_id] : [agent_id]
  const entries = agents.map((each) => entryFor(setting, { campaign_id, agent_id: each }))
  return new Set(entries.flatMap((entry) => entry?.timezone_column ?? []))
}

/** Refuses contacts that name their zone where it counts, and name none: the number would decide, and whoever sent the zone knows better. */
export const refuseWrongZones = Effect.fnUntraced(function* (
  intake: ContactIntake,
  setting: HoursSetting | null,
  asked: AskedOfContacts,
) {
  for (const column of setting === null ? [] : zoneColumns(setting, asked)) {
    const wrong = yield* wrongRows(intake, column, isWrongZone)
    if (wrong.count > 0) return yield* wrongVariable(intake, column, wrong, reason)
  }
})
