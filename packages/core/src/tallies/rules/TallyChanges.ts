import type { Batch } from "../../batches/rules/Batch.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { type Contact, isLeftOut, isWaiting } from "../../contacts/rules/Contact.ts"
import type { Tally, TallyChange } from "./Tally.ts"

/** What a row counts under each name. Those of rows of one kind have the same places, and a place has the same name or another one. */
type Figures = ReadonlyArray<readonly [name: string, count: number]>

const nothing: Figures = []

/** Names of the figures of a status, each made once: a text that is put together anew is looked up letter by letter wherever it is a key. */
const ofStatus = <Status extends string>(rows: string): ((status: Status) => string) => {
  const names = new Map<Status, string>()
  return (status) => {
    let name = names.get(status)
    if (name === undefined) names.set(status, (name = `${rows}:${status}`))
    return name
  }
}

const ofCall = ofStatus<Call["status"]>("call")
const ofContact = ofStatus<Contact["status"]>("contact")
const ofBatch = ofStatus<Batch["status"]>("batch")

/** What has to be added to a tally when figures change; null when nothing does. */
const difference = (before: Figures, after: Figures): Tally | null => {
  let add: { [figure: string]: number } | null = null
  for (let place = 0; place < after.length; place++) {
    const [name, count] = after[place]!
    const was = before[place]
    const delta = was !== undefined && was[0] === name ? count - was[1] : count
    if (delta !== 0) (add ??= {})[name] = delta
  }
  for (let place = 0; place < before.length; place++) {
    const [name, count] = before[place]!
    if (count !== 0 && after[place]?.[0] !== name) (add ??= {})[name] = -count
  }
  return add
}

/** How a call stands in the tallies of its batch and campaign. A record folded into another is a duplicate leg and does not count. */
const callFigures = (call: Call): Figures =>
  call.folded_into !== null
    ? nothing
    : [
        [ofCall(call.status), 1],
        [call.is_follow_up ? "follow_up_calls" : `depth:${call.retry_count}`, 1],
        ["voicemail_calls", call.status === "no-answer" && call.answered_by_voicemail === true ? 1 : 0],
        ["line_calls", call.final_report_at === null ? 0 : 1],
        ["line_ms", call.final_report_at === null ? 0 : call.final_report_at - call.created_at],
      ]

const isHeld = ({ holds, status }: Contact): boolean => holds > 0 && isWaiting(status)

/** Whether the last dial was held back for what it lacked itself, so that the carrier was not asked; of earlier rows that is not known. */
const isBeforeDial = ({ held_because }: Contact): boolean => held_because !== undefined && held_because !== "carrier"

/** How a contact stands in the tallies; one that was never touched stands in none. */
const contactFigures = (contact: Contact): Figures => {
  const underWay = contact.status === "in_progress"
  return [
    [ofContact(contact.status), 1],
    ["dialled", contact.attempts > 0 ? 1 : 0],
    ["left_out", isLeftOut(contact) ? 1 : 0],
    ["skipped", contact.status === "skipped" && !contact.reached ? 1 : 0],
    ["reached", contact.reached ? 1 : 0],
    ["in_flight", underWay && !contact.reached ? 1 : 0],
    ["follow_up_exhausted", contact.follow_ups_exhausted ? 1 : 0],
    ["held", isHeld(contact) ? 1 : 0],
    ["held_before_dial", isHeld(contact) && isBeforeDial(contact) ? 1 : 0],
    ["number_busy", contact.waits_for_number ? 1 : 0],
  ]
}

const batchFigures = (batch: Batch): Figures => [
  [ofBatch(batch.status), 1],
  ["contacts", batch.total_contacts],
]

const ofCalls = /^(call:|depth:|(follow_up|voicemail|line)_calls$|line_ms$)/

const ofBatches = /^(batch:|contacts$)/

/** Of which rows a figure is. */
export const rowsOfFigure = (name: string): "call" | "contact" | "batch" =>
  ofCalls.test(name) ? "call" : ofBatches.test(name) ? "batch" : "contact"

/** The tally changes that go with a change of a row, which stands in the tallies of its subjects; null is a record that does not exist. */
const standing =
  <Row>(subjectsOf: (row: Row) => ReadonlyArray<string | null>, figuresOf: (row: Row) => Figures) =>
  (before: Row | null, after: Row | null): ReadonlyArray<TallyChange> => {
    const row = after ?? before
    const subjects = row === null ? [] : subjectsOf(row).filter((subject) => subject !== null)
    if (subjects.length === 0) return []
    const add = difference(before === null ? nothing : figuresOf(before), after === null ? nothing : figuresOf(after))
    return add === null ? [] : subjects.map((subject) => ({ put: "tally", subject, add }))
  }

/** A direct call stands in none. */
export const callTallies = standing<Call>(
  ({ batch_id, campaign_id }) => (batch_id === null ? [] : [batch_id, campaign_id]),
  callFigures,
)

/** `before` null is a contact that was never touched. */
export const contactTallies = standing<Contact>(({ batch_id, campaign_id }) => [batch_id, campaign_id], contactFigures)

/** A campaign counts its batches and their contacts. */
export const batchTallies = standing<Batch>(({ campaign_id }) => [campaign_id], batchFigures)
