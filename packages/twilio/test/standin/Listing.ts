import type { CallRecord } from "./CallRecord.ts"
import { callStatuses, pageSizes } from "./Contract.ts"
import { ok, type Or, refused } from "./Errors.ts"

const dayMs = 86_400_000
const secondMs = 1_000
const day = /^\d{4}-\d{2}-\d{2}$/
const moment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)Z?$/
const wholeNumber = /^\d{1,9}$/

/** A time that a list is asked for: a day in UTC, as the document says, or a second, as its examples have it. */
interface Span {
  readonly from: number
  readonly to: number
}

const spanOf = (text: string): Span | null => {
  const [, date, time] = moment.exec(text) ?? []
  const from = Date.parse(day.test(text) ? text : `${date}T${time}Z`)
  if (Number.isNaN(from)) return null
  const length = day.test(text) ? dayMs : secondMs
  return { from: Math.floor(from / secondMs) * secondMs, to: from + length }
}

type Test = (call: CallRecord) => boolean

/** `=` is in it, `<` before it, `>` "on or after" it. A call that has no such time is not among them. */
const timeTest = (name: string, text: string): Test | null => {
  const span = spanOf(text)
  if (span === null) return null
  const timeOf = (call: CallRecord): number | null =>
    name.startsWith("StartTime") ? call.dialledAt : call.status === "completed" ? call.endedAt : null
  return (call) => {
    const at = timeOf(call)
    if (at === null) return false
    if (name.endsWith("<")) return at < span.from
    return name.endsWith(">") ? at >= span.from : at >= span.from && at < span.to
  }
}

const testOf = (name: string, text: string): Test | null => {
  switch (name) {
    case "To":
      return (call) => call.to === text
    case "From":
      return (call) => call.from === text
    case "ParentCallSid":
      return () => false
    case "Status":
      return callStatuses.some((status) => status === text) ? (call) => call.status === text : null
    default:
      return timeTest(name, text)
  }
}

export interface Paging {
  readonly size: number
  /** The number that a client says it is at: "This value is simply for client state." */
  readonly page: number
  readonly token: string | null
}

const pagingOf = (query: URLSearchParams): Or<Paging> => {
  const size = query.get("PageSize") ?? String(pageSizes.standard)
  const page = query.get("Page") ?? "0"
  if (!wholeNumber.test(page)) return refused(20001, "Page")
  if (!wholeNumber.test(size) || Number(size) < 1 || Number(size) > pageSizes.most) return refused(20007)
  return ok({ size: Number(size), page: Number(page), token: query.get("PageToken") })
}

const pagingNames = new Set(["PageSize", "Page", "PageToken"])

export interface Page<Item> {
  readonly items: ReadonlyArray<Item>
  readonly envelope: {
    readonly end: number
    readonly first_page_uri: string
    readonly next_page_uri: string | null
    readonly page: number
    readonly page_size: number
    readonly previous_page_uri: string | null
    readonly start: number
    readonly uri: string
  }
}

/** Which of the items are on the page: a token says after (`PA`) or before (`PB`) which of them. */
const placeOf = <Item extends { readonly sid: string }>(items: ReadonlyArray<Item>, { size, token }: Paging) => {
  if (token === null) return 0
  const place = items.findIndex(({ sid }) => sid === token.slice(2))
  if (place === -1) return null
  return token.startsWith("PA") ? place + 1 : Math.max(0, place - size)
}

/** One page of a list. Pages are found by their token; the number alone leads to the first one. */
export const pageOf = <Item extends { readonly sid: string }>(
  path: string,
  query: URLSearchParams,
  items: ReadonlyArray<Item>,
): Or<Page<Item>> => {
  const paging = pagingOf(query)
  if (!paging.ok) return paging
  const { page, size } = paging.value
  const place = placeOf(items, paging.value)
  if (place === null) return refused(20001, "PageToken")
  const shown = items.slice(place, place + size)
  const uri = (number: number, token: string | null): string => {
    const asked = new URLSearchParams(query)
    for (const name of pagingNames) asked.delete(name)
    asked.append("PageSize", String(size))
    asked.append("Page", String(number))
    if (token !== null) asked.append("PageToken", token)
    return `${path}?${asked}`
  }
  const last = shown.at(-1)
  const start = page * size
  return ok({
    items: shown,
    envelope: {
      end: start + Math.max(0, shown.length - 1),
      first_page_uri: uri(0, null),
      next_page_uri: last !== undefined && place + size < items.length ? uri(page + 1, `PA${last.sid}`) : null,
      page,
      page_size: size,
      previous_page_uri: place > 0 && shown[0] !== undefined ? uri(Math.max(0, page - 1), `PB${shown[0].sid}`) : null,
      start,
      uri: uri(page, paging.value.token),
    },
  })
}

/** The calls that a list is asked for, the newest first. */
export const filteredCalls = (
  calls: Iterable<CallRecord>,
  filters: ReadonlyArray<string>,
  query: URLSearchParams,
): Or<ReadonlyArray<CallRecord>> => {
  const tests: Array<Test> = []
  for (const [name, text] of query) {
    if (!filters.includes(name) || pagingNames.has(name) || text === "") continue
    const test = testOf(name, text)
    if (test === null) return refused(20001, name)
    tests.push(test)
  }
  return ok([...calls].filter((call) => tests.every((test) => test(call))).toReversed())
}
