/** Mistakes in campaigns that pause themselves. */
import type { JsonObject } from "../../../src/http/Json.ts"
import {
  asks,
  body,
  by,
  cut,
  elsewhere,
  forgives,
  is,
  over,
  records,
  refuses,
  row,
  rows,
  set,
  where,
  wire,
  writes,
} from "../Defects.ts"
import { type Asked, type Defect, objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"

const read = "GET /v2/campaigns/*/breaker"
const put = "PUT /v2/campaigns/*/breaker"
const remove = "DELETE /v2/campaigns/*/breaker"
const both = [read, put]
const log = "GET /v2/campaigns/*/log"

const shown = ({ json }: Asked): JsonObject => objectOf(json)

type CampaignRow = Extract<Parameters<Parameters<typeof writes>[0]>[0], { readonly put: "campaign" }>["row"]

/** Writes campaigns otherwise. */
const campaigns = (change: (campaign: CampaignRow) => CampaignRow): Defect =>
  writes((each) => (each.put === "campaign" ? { ...each, row: change(each.row) } : each))

type CallRow = Extract<Parameters<Parameters<typeof writes>[0]>[0], { readonly put: "call" }>["row"]

/** No breaker looks at these calls. */
const unwatched = (isOne: (call: CallRow) => boolean): Defect =>
  writes((each) => {
    if (each.put !== "call" || !isOne(each.row)) return each
    const { watched: _watched, ...call } = each.row
    return { ...each, row: call }
  })

/** One rate is looked at as if another had been asked for. */
const takenFor = (rate: string, other: string): Defect =>
  asks(put, ({ [rate]: asked, ...json }) => (asked === undefined ? json : { ...json, [other]: asked }))

/** What a request leaves out stays as it was asked for before. */
const merged = (): Defect =>
  wire(() => {
    const known = new Map<string, JsonObject>()
    return async (asked, next) => {
      if (asked.method !== "PUT" || !asked.path.endsWith("/breaker")) return next(asked)
      const json = { ...known.get(asked.path), ...objectOf(asked.json) }
      known.set(asked.path, json)
      return next({ ...asked, json })
    }
  })

const isRemoval = ({ method, path }: Asked): boolean => method === "DELETE" && path.endsWith("/breaker")

/** Does nothing as somebody pauses what is paused. */
const notTakenOver = (): Defect =>
  wire(() => async (asked, next) => {
    if (asked.method !== "POST" || !asked.path.endsWith("/pause")) return next(asked)
    const campaign = await next(elsewhere(asked, "GET", asked.path.replace("/pause", "")))
    return objectOf(campaign.json)["status"] === "paused" ? campaign : next(asked)
  })

const fields = {
  window_calls: 20,
  window_minutes: null,
  minimum_calls: 1,
  failed_percent: 0,
  error_percent: null,
  short_call_percent: null,
  short_call_seconds: 10,
  voicemail_percent: null,
  resume_after_minutes: null,
  updated_at: 0,
  since: 0,
  trip: null,
}

/** Servers that each break one promise of campaigns that pause themselves. */
export const campaignBreakerMutants = [
  m(
    "BREAKER-E1",
    "No breaker looks at any call.",
    unwatched(() => true),
  ),
  m(
    "BREAKER-E2",
    "Every campaign has a breaker.",
    campaigns((campaign) => (campaign.revision === 1 ? { ...campaign, breaker: fields } : campaign)),
  ),
  m(
    "BREAKER-E4",
    "What is set is shown otherwise.",
    body(
      both,
      over("window_calls", (calls) => Number(calls) + 1),
    ),
  ),
  m("BREAKER-E5", "The window has as many calls as it likes.", asks(put, set("window_calls", 100))),
  m("BREAKER-E6", "The window lasts for ever.", asks(put, cut("window_minutes"))),
  m("BREAKER-E7", "One call is enough.", asks(put, set("minimum_calls", 1))),
  m("BREAKER-E8", "Failures are taken for errors.", takenFor("failed_percent", "error_percent")),
  c(
    "BREAKER-E8",
    "Calls that nobody answered do not count.",
    unwatched(({ status }) => status === "no-answer"),
  ),
  m("BREAKER-E9", "Errors are taken for failures.", takenFor("error_percent", "failed_percent")),
  c(
    "BREAKER-E9",
    "Calls that failed are no errors.",
    unwatched(({ status }) => status === "failed"),
  ),
  m("BREAKER-E10", "Calls that nobody took are short.", takenFor("short_call_percent", "failed_percent")),
  m("BREAKER-E11", "Ten seconds are short, whatever is asked for.", asks(put, cut("short_call_seconds"))),
  m("BREAKER-E12", "Nobody's phone counts as a voicemail box.", takenFor("voicemail_percent", "failed_percent")),
  m(
    "BREAKER-E13",
    "It takes twice as long to go on.",
    asks(
      put,
      over("resume_after_minutes", (minutes) => 2 * Number(minutes)),
    ),
  ),
  m(
    "BREAKER-E14",
    "As many as are allowed are too many.",
    asks(
      put,
      over("failed_percent", (percent) => Math.max(0, Number(percent) - 1)),
    ),
  ),
  m("BREAKER-E15", "A breaker that looks at nothing is taken.", forgives(put, 1000, 200, shown)),
  m("BREAKER-E16", "A breaker may wait for more than it looks at.", forgives(put, 1001, 200, shown)),
  m("BREAKER-E17", "What is left out stays as it was.", merged()),
  m("BREAKER-E18", "A cancelled campaign takes a breaker.", forgives(put, 1201, 200, shown)),
  m(
    "BREAKER-E19",
    "Where there is none, nothing is said of it.",
    forgives(read, 1200, 200, () => ({})),
  ),
  m(
    "BREAKER-E20",
    "A breaker is not removed.",
    wire(() => (asked, next) => next(isRemoval(asked) ? elsewhere(asked, "GET", asked.path) : asked)),
  ),
  m(
    "BREAKER-E21",
    "Retries do not count.",
    unwatched(({ retry_count }) => retry_count > 0),
  ),
  m(
    "BREAKER-E22",
    "Stopped calls count as failed.",
    writes((each) =>
      each.put === "call" && each.row.status === "stopped" ? { ...each, row: { ...each.row, status: "busy" } } : each,
    ),
  ),
  m(
    "BREAKER-E23",
    "All calls count that there ever were.",
    campaigns((campaign) =>
      campaign.breaker === undefined ? campaign : { ...campaign, breaker: { ...campaign.breaker, since: 0 } },
    ),
  ),
  m("BREAKER-E24", "The batches go on.", row("GET /v2/campaigns/*", set("active_batches", 1))),
  m("BREAKER-E25", "It does not say why.", body(both, set("trip", null))),
  c(
    "BREAKER-E25",
    "It says half of how many there were.",
    body(
      both,
      over("trip.counted", (counted) => Math.floor(Number(counted) / 2)),
    ),
  ),
  m(
    "BREAKER-E26",
    "Failures are named before errors.",
    body(
      both,
      over("trip.rate", (rate) => (rate === "error" ? "failed" : rate)),
    ),
  ),
  m(
    "BREAKER-E27",
    "Somebody is always said to have asked.",
    body(
      both,
      over("paused_reason", () => "request"),
    ),
  ),
  c(
    "BREAKER-E27",
    "Whoever has paused it, it was the breaker.",
    body(
      both,
      over("paused_reason", () => "breaker"),
    ),
  ),
  c(
    "BREAKER-E27",
    "What is not paused has a reason.",
    body(
      both,
      by("paused_reason", (reason) => reason ?? "request"),
    ),
  ),
  m(
    "BREAKER-E28",
    "That it paused itself is told as asked for.",
    row(log, where(is("event", "paused"), set("level", "info"))),
  ),
  c("BREAKER-E28", "How many there were is not told.", row(log, cut("details.counted"))),
  m(
    "BREAKER-E29",
    "Nothing is recorded of what the system does.",
    records((entry) => (entry.actor.type === "system" && entry.action === "campaign.pause" ? null : entry)),
  ),
  m(
    "BREAKER-E30",
    "That a breaker is set is not told.",
    rows(log, (all) => all.filter(({ event }) => event !== "edited")),
  ),
  m(
    "BREAKER-E31",
    "Nobody can resume it.",
    refuses("POST /v2/campaigns/*/resume", () => true, 1201, 409),
  ),
  m(
    "BREAKER-E32",
    "That it goes on is not told.",
    rows(log, (all) => all.filter(({ event }) => event !== "resumed")),
  ),
  m(
    "BREAKER-E33",
    "A breaker holds once.",
    campaigns((campaign) => {
      const { breaker, ...without } = campaign
      return breaker === undefined || breaker.since === breaker.updated_at ? campaign : without
    }),
  ),
  m("BREAKER-E34", "What is paused by hand goes on by itself.", notTakenOver()),
  m(
    "BREAKER-E35",
    "What is written anew forgets when to go on.",
    body(
      put,
      over("trip.resume_at", () => null),
    ),
  ),
  m(
    "BREAKER-E36",
    "What is removed lets the campaign go on.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (isRemoval(asked)) await next(elsewhere(asked, "POST", asked.path.replace("/breaker", "/resume")))
      return reply
    }),
  ),
  m(
    "BREAKER-E37",
    "Reading needs no scope.",
    forgives(read, 1102, 200, () => ({})),
  ),
  m("BREAKER-E38", "Setting needs no scope.", forgives(put, 1102, 200, shown)),
  c(
    "BREAKER-E38",
    "Removing needs no scope.",
    forgives(remove, 1102, 200, () => ({ deleted: true })),
  ),
]
