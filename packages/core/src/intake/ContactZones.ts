import type { SuppressionScope } from "../callees/rules/Callee.ts"
import { entryFor, type HoursSetting, isWrongZone } from "../callees/rules/HoursRow.ts"
import type { FollowUpPolicy } from "../dispatch/rules/FollowUpPlan.ts"
import { nextTurn } from "../engine/ports/Pacing.ts"
import { InvalidField } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { quotable } from "../phone/E164.ts"
import { Effect } from "effect"
import type { ContactIntake } from "./rules/ContactIntake.ts"
import { linesNamed } from "./rules/Csv.ts"
import { alsoIn } from "./JsonContacts.ts"

/** Contacts that are looked at before others get their turn: to ask the runtime for a zone that it does not know takes long. */
const readAtATime = 250

const reason = "must be an IANA time zone, because the hours of callees go by it"

/** What calls of contacts are asked for: their campaign, their agent, and how they are followed up. */
export interface AskedOfContacts extends Pick<SuppressionScope, "campaign_id"> {
  readonly agent_id: string
  readonly follow_up_policy: FollowUpPolicy
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

/** The rows whose value of a variable is neither empty nor a zone: the first of them, and how many there are. */
const wrongRows = Effect.fnUntraced(function* ({ contacts }: ContactIntake, column: string) {
  const rows: Array<number> = []
  let count = 0
  for (const [row, { variables }] of contacts.entries()) {
    if (Object.hasOwn(variables, column) && isWrongZone(variables[column])) {
      count += 1
      if (rows.length < limits.namedFaults) rows.push(row)
    }
    if (row % readAtATime === readAtATime - 1) yield* nextTurn
  }
  return { rows, count }
})

/** Refuses contacts that name their zone where it counts, and name none: the number would decide, and whoever sent the zone knows better. */
export const refuseWrongZones = Effect.fnUntraced(function* (
  intake: ContactIntake,
  setting: HoursSetting | null,
  asked: AskedOfContacts,
) {
  for (const column of setting === null ? [] : zoneColumns(setting, asked)) {
    const { count, rows } = yield* wrongRows(intake, column)
    if (count === 0) continue
    const { lines } = intake
    if (lines !== undefined) {
      const named = linesNamed(
        rows.flatMap((row) => lines[row] ?? []),
        count,
      )
      return yield* new InvalidField({ field: "file", reason: `${named}: '${quotable(column)}' ${reason}` })
    }
    const [field = "contacts", ...others] = rows.map((row) => `contacts[${row}].${quotable(column)}`)
    return yield* new InvalidField({ field, reason: `${reason}${alsoIn(others, count - 1)}` })
  }
})
