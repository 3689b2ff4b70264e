import { zoneNamed } from "../../dispatch/rules/ZoneOffsets.ts"
import type { RowDescription } from "../../engine/rules/RowDescription.ts"
import type { Json, JsonObject } from "../../Json.ts"
import type { CallCaps } from "./CallCaps.ts"
import type { SuppressionScope } from "./Callee.ts"
import { type CalleeHours, type CalleePlace, type ZoneHours, zoneHoursOf } from "./CalleeHours.ts"

/** The hours of callees for the calls of an organization, an agent or a campaign. */
export interface HoursEntry extends SuppressionScope {
  /** False: these calls may be made at any time, whatever a wider entry says. */
  readonly enabled: boolean
  /** The call variable that names a contact's own zone; null: none does. */
  readonly timezone_column: string | null
  readonly hours: CalleeHours
  readonly updated_at: number
}

/** What an organization has set for whom it calls: all callee hours, and how often it calls one number. A row that was made stays: a dial that looked before could take a new one for it. */
export interface HoursSetting {
  readonly organization_id: string
  readonly revision: number
  /** One for each scope. */
  readonly entries: ReadonlyArray<HoursEntry>
  /** Left out: one number may be called as often as one likes, and nothing is counted. */
  readonly caps?: CallCaps
}

/** Hours concern all lanes of their organization, and open some at once. */
export const hoursRow: RowDescription<HoursSetting> = {
  id: ({ organization_id }) => organization_id,
  dependency: "call_storage",
  lane: ({ organization_id }) => ({ organization_id, lane_id: null }),
  follows: (_before, after, at) => ({
    changes: [],
    wakeups: after === null ? [] : [{ set: { kind: "dispatch", subject: after.organization_id, at } }],
  }),
}

/** Whether an entry is that of a scope. */
export const isOfScope = (entry: SuppressionScope, { agent_id, campaign_id }: SuppressionScope): boolean =>
  entry.agent_id === agent_id && entry.campaign_id === campaign_id

/** A call as far as callee hours look at it: its campaign, and the agent that was asked for; null: any. */
export interface AskedCall {
  readonly campaign_id: string | null
  readonly agent_id: string | null
}

/** The entry that stands for a call: the nearest, its campaign's before its agent's. Null where there is none, or it says that none shall bind. */
export const entryFor = (setting: HoursSetting | null, { agent_id, campaign_id }: AskedCall): HoursEntry | null => {
  const entries = setting?.entries ?? []
  const nearest =
    (campaign_id === null ? undefined : entries.find((each) => each.campaign_id === campaign_id)) ??
    (agent_id === null ? undefined : entries.find((each) => each.agent_id === agent_id)) ??
    entries.find((each) => each.agent_id === null && each.campaign_id === null)
  return nearest?.enabled === true ? nearest : null
}

/** Whether a call variable that names a zone names none: it may be left out or empty. */
export const isWrongZone = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  (typeof value !== "string" || (value.trim() !== "" && zoneNamed(value.trim()) === null))

/** Where somebody is taken to be whom one calls with these variables. */
export const placeIn = (
  { timezone_column }: Pick<HoursEntry, "timezone_column">,
  to_number: string,
  variables: JsonObject,
): CalleePlace => {
  const zone = timezone_column === null ? null : variables[timezone_column]
  return { to_number, timezone: typeof zone === "string" ? zoneNamed(zone.trim()) : null }
}

/** The hours that bind a call; none: it may be made at any time. */
export const bindingOf = (
  setting: HoursSetting | null,
  call: AskedCall,
  callee: { readonly to_number: string; readonly variables: JsonObject },
): ReadonlyArray<ZoneHours> => {
  const entry = entryFor(setting, call)
  return entry === null ? [] : zoneHoursOf(placeIn(entry, callee.to_number, callee.variables), entry.hours)
}
