import type { Agent } from "../../agents/rules/Agent.ts"
import type { Batch } from "../../batches/rules/Batch.ts"
import type { Callee } from "../../callees/rules/Callee.ts"
import { cappedUntil } from "../../callees/rules/CallCaps.ts"
import type { SeenCallee } from "../../callees/rules/SeenCallee.ts"
import { entryFor, placeIn } from "../../callees/rules/HoursRow.ts"
import { markBy, stretchOfMark } from "../../callees/rules/Marks.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { contactId, type HeldBecause } from "../../contacts/rules/Contact.ts"
import { untouched } from "../../contacts/rules/ContactProgress.ts"
import type { ContactRow } from "../../contacts/rules/PlacedContact.ts"
import type { Turn } from "../../contacts/rules/NextAttempt.ts"
import type { Expectation } from "../../engine/rules/Commit.ts"
import { limits } from "../../Limits.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import { agentOfDial, type ContactDial } from "./ContactCall.ts"
import type { OpenLane } from "./OpenLane.ts"

/** What the contact that is held before it is dialled lacks. */
export type Lack = Exclude<HeldBecause, "carrier">

/** A contact that may be dialled, with the call that it gets and how far that moves the cursor of its caller IDs. */
export interface Fit {
  readonly _tag: "Fit"
  readonly dial: ContactDial
  readonly row: ContactRow
  readonly call: Call
  readonly advance: number
  readonly number: PhoneNumber | null
  /** From when on the clock closes its hours, or its callee's, or ends its campaign. */
  readonly until: number
  /** Who makes the call, and for whom. */
  readonly agents: ReadonlyArray<Agent>
  /** The experiment that chose who makes it, as it was read. */
  readonly routing: ReadonlyArray<Expectation>
  readonly callee: SeenCallee
}

/** A contact whose number must not be called. */
export interface Suppressed {
  readonly _tag: "Suppressed"
  readonly dial: ContactDial
  readonly row: ContactRow
}

/** A contact whose callee may not be called at this hour. */
export interface OutOfHours {
  readonly _tag: "OutOfHours"
  readonly dial: ContactDial
  readonly row: ContactRow
  /** Whose hours it waits for. */
  readonly mark: string
}

/** A contact whose number was called as often as call caps allow, until they allow it again or may have been changed. */
export interface Capped {
  readonly _tag: "Capped"
  readonly dial: ContactDial
  readonly row: ContactRow
  readonly until: number
  readonly callee: SeenCallee
}

/** What is to be said of a contact whose turn has come. `Held` has no call where its agent is unknown. */
export type Judged =
  | Fit
  | Suppressed
  | OutOfHours
  | Capped
  | {
      readonly _tag: "NotNow"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly turn: Exclude<Turn, { _tag: "Now" }>
    }
  | { readonly _tag: "NumberLive"; readonly dial: ContactDial; readonly row: ContactRow }
  | { readonly _tag: "AgentFull"; readonly dial: ContactDial; readonly row: ContactRow; readonly agent_id: string }
  | {
      readonly _tag: "Unfunded"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly call: Call
      readonly callee: SeenCallee
    }
  | {
      readonly _tag: "Held"
      readonly dial: ContactDial
      readonly row: ContactRow
      readonly call: Call | null
      readonly because: Lack
      readonly callee: SeenCallee
    }

/** What is to be said of a contact that is not dialled, before its callee was looked at. */
export type Unlooked =
  | Pick<Extract<Judged, { _tag: "Held" }>, "_tag" | "call" | "because">
  | Pick<Extract<Judged, { _tag: "Unfunded" }>, "_tag" | "call">

/** A lane as far as its contacts are judged by it. */
type LaneAsked = Pick<OpenLane, "campaign" | "hours">

/** A contact as it may be dialled; one that nobody has touched has no row yet. */
export const dialOf = (
  { campaign }: LaneAsked,
  { batch_id, contact, entry, row }: ContactRow,
  batch: Batch,
): ContactDial => ({
  contact: contact ?? untouched(batch, contactId(batch_id, row), row),
  entry,
  batch,
  campaign,
})

/** A contact as it is dialled, with the mark of its callee's hours where some bind it, whether they are open, and until when. */
export const inHours = (lane: LaneAsked, row: ContactRow, batch: Batch, now: number) => {
  const dial = dialOf(lane, row, batch)
  const asked = { campaign_id: batch.campaign_id, agent_id: agentOfDial(dial) }
  const entry = entryFor(lane.hours.setting, asked)
  if (entry === null) return { dial, mark: "", isOpen: true, until: Infinity }
  const mark = markBy(placeIn(entry, row.entry.to_number, row.entry.variables), entry.timezone_column)
  const { isOpen, until } = stretchOfMark(entry.hours, mark, now)
  return { dial: { ...dial, contact: { ...dial.contact, hours_of: mark } }, mark, isOpen, until }
}

/** Until when a number rests that call caps keep from being dialled, or until when that is known; null where they do not. */
export const restsUntil = ({ hours }: LaneAsked, callee: Callee | null, now: number): number | null => {
  const until = cappedUntil(callee, hours.setting?.caps, now)
  return until === null ? null : Math.min(until, now + limits.callCapLookMs)
}
