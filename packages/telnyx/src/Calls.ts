import { readAs } from "@carillon/core/carrier"
import { Effect, Schema } from "effect"
import { bounds } from "./Bounds.ts"
import type { ListReading } from "./EventList.ts"
import { type Answer, get, post } from "./Rest.ts"
import type { Settings } from "./Settings.ts"
import { readState } from "./State.ts"
import { ListedEvent, readListed, type VendorEvent } from "./Story.ts"

const callPath = (sid: string): string => `/calls/${encodeURIComponent(sid)}`

const Text = Schema.optional(Schema.NullOr(Schema.String))

/** A call as Telnyx's API shows it (schema `Call`): of its fields those that are used here. */
const VendorCall = Schema.Struct({
  call_control_id: Schema.String,
  call_leg_id: Schema.String,
  is_alive: Schema.optional(Schema.NullOr(Schema.Boolean)),
  client_state: Text,
  end_time: Text,
})
export type VendorCall = typeof VendorCall.Type

/** The answer to a dial, too. */
export const OneCall = Schema.Struct({ data: VendorCall })

/** One call. `Gone`: Telnyx shows it no more, or there is none. `Silent`: nobody knows. */
export type Fetched =
  | { readonly _tag: "Found"; readonly call: VendorCall }
  | { readonly _tag: "Gone" }
  | { readonly _tag: "Silent" }

const isGone = (answer: Answer): boolean =>
  answer._tag === "Answered" && (answer.status === 404 || answer.status === 410 || answer.status === 422)

/** Telnyx shows a call until ten minutes after its end. */
export const fetchCall = (settings: Settings, sid: string): Effect.Effect<Fetched> =>
  Effect.map(get(settings, callPath(sid)), (answer) => {
    const call = readAs(OneCall, answer)?.data
    if (call !== undefined) return { _tag: "Found", call }
    return isGone(answer) ? { _tag: "Gone" } : { _tag: "Silent" }
  })

/** A command for a call, such as `hangup`. */
export const command = (
  settings: Settings,
  sid: string,
  action: "hangup" | "transfer",
  body: Readonly<Record<string, unknown>>,
): Effect.Effect<Answer> => post(settings, `${callPath(sid)}/actions/${action}`, body)

/** A leg by both of its names at Telnyx. */
export interface LegIds {
  readonly call_sid: string
  readonly leg_id: string
}

/** The legs of one execution. `Silent`: Telnyx did not say, or not all. */
export type Listed = { readonly _tag: "Legs"; readonly legs: ReadonlyArray<LegIds> } | { readonly _tag: "Silent" }

const Count = Schema.optional(Schema.NullOr(Schema.Number))

/** Telnyx has two ways of telling what comes after a page. */
const Meta = Schema.Struct({
  total_pages: Count,
  cursors: Schema.optional(Schema.NullOr(Schema.Struct({ after: Text }))),
})

const ActivePage = Schema.Struct({
  data: Schema.Array(VendorCall),
  meta: Schema.optional(Schema.NullOr(Meta)),
})

/** What asks for the page after this one; null: there is none. A page that says nothing of others is the last if nothing was cut off. */
const nextPage = (
  page: number,
  { data, meta }: { readonly data: ReadonlyArray<unknown>; readonly meta?: typeof Meta.Type | null | undefined },
): Readonly<Record<string, string>> | null => {
  const after = meta?.cursors?.after ?? null
  if (after !== null && after !== "") return { "page[after]": after }
  const pages = meta?.total_pages ?? (meta?.cursors == null && data.length >= bounds.pageSizeDefault ? Infinity : page)
  return page < pages ? { "page[number]": String(page + 1) } : null
}

/** The legs of an execution among the calls of the application that go on; by their state, which only our dial gave them. */
export const activeLegs = Effect.fnUntraced(function* (
  settings: Settings,
  executionId: string,
): Effect.fn.Return<Listed> {
  const legs = new Map<string, LegIds>()
  const path = `/connections/${encodeURIComponent(settings.connectionId)}/active_calls`
  const sizes = { "page[size]": String(bounds.pageSize), "page[limit]": String(bounds.pageSize) }
  let next: Readonly<Record<string, string>> | null = { "page[number]": "1" }
  for (let page = 1; page <= bounds.activePages; page += 1) {
    const answer: typeof ActivePage.Type | null = readAs(ActivePage, yield* get(settings, path, { ...sizes, ...next }))
    if (answer === null) return { _tag: "Silent" }
    for (const { call_control_id, call_leg_id, client_state } of answer.data) {
      if (readState(client_state)?.execution_id !== executionId) continue
      legs.set(call_control_id, { call_sid: call_control_id, leg_id: call_leg_id })
    }
    next = answer.data.length === 0 ? null : nextPage(page, answer)
    if (next === null) return { _tag: "Legs", legs: [...legs.values()] }
  }
  return { _tag: "Silent" }
})

const EventPage = Schema.Struct({
  data: Schema.Array(ListedEvent),
  meta: Schema.optional(Schema.NullOr(Meta)),
})

/** Events that Telnyx keeps. Where they are not `isWhole`, the list could not be had, or not to its end. */
interface Events extends ListReading {
  readonly events: ReadonlyArray<VendorEvent>
}

/** Answers that a later question may not get: the vendor was asked too often, or too slowly. */
const passing: ReadonlySet<number> = new Set([408, 425, 429])

/** Why a list is refused for good; null where it was not refused, or perhaps only now. */
const refusalOf = (answer: Answer): string | null => {
  if (answer._tag !== "Answered" || answer.status < 400 || answer.status >= 500 || passing.has(answer.status))
    return null
  return `${answer.status}, code ${answer.error?.code ?? "none"}`
}

/** Events by these filters. Without a leg Telnyx knows those of the last 24 hours. */
export const eventsBy = Effect.fnUntraced(function* (
  settings: Settings,
  filter: Readonly<Record<string, string>>,
): Effect.fn.Return<Events> {
  const events: Array<VendorEvent> = []
  const sized = { ...filter, "page[size]": String(bounds.pageSize) }
  let next: Readonly<Record<string, string>> | null = { "page[number]": "1" }
  for (let page = 1; page <= bounds.eventPages; page += 1) {
    const asked: Readonly<Record<string, string>> = { ...sized, ...next }
    const said: Answer = yield* get(settings, "/call_events", asked)
    const answer = readAs(EventPage, said)
    if (answer === null) return { events, isWhole: false, refusal: refusalOf(said) }
    events.push(...answer.data.filter(({ type }) => type !== "command").map(readListed))
    next = answer.data.length === 0 ? null : nextPage(page, answer)
    if (next === null) return { events, isWhole: true, refusal: null }
  }
  return { events, isWhole: false, refusal: null }
})
