import { type ExtensionSection, informative, pageOf, promised } from "../Clause.ts"

const page = pageOf("campaign-breaker", "docs/guides/campaign-breaker.md", "Campaigns that pause themselves")

/** Campaigns that pause themselves, as their page promises it. */
export const campaignBreaker: ReadonlyArray<ExtensionSection> = [
  page("Campaigns that pause themselves", [
    informative(
      "A wrong caller ID, a broken agent or a carrier in trouble burns through a whole list before anybody looks.",
    ),
    promised(
      "BREAKER-E1",
      "telephony",
      "A campaign with a breaker pauses itself where too many of its last calls went wrong.",
    ),
    informative("It is an extension:"),
    promised("BREAKER-E2", "telephony", "no campaign has one until it is set, and"),
    promised(
      "BREAKER-E3",
      "no",
      "what the specification says of campaigns stays as it is.",
      "The clauses of the contract judge it.",
    ),
    promised("BREAKER-E4", "fixtures", "`PUT /v2/campaigns/{campaign_id}/breaker` sets it:"),
    informative(
      "Of the last 50 calls, more than 60 of a hundred must not fail, and more than 80 of a hundred must not reach a voicemail box.",
    ),
    informative("If they do, the campaign pauses, and goes on after half an hour."),
    promised(
      "BREAKER-E5",
      "telephony",
      "| `window_calls` | the last so many calls of the campaign are looked at, 1 to 500 | 100 |",
    ),
    promised(
      "BREAKER-E6",
      "telephony",
      "| `window_minutes` | of these, the ones that ended at most so many minutes before the last, 1 to 1,440 | however long ago |",
    ),
    promised(
      "BREAKER-E7",
      "telephony",
      "| `minimum_calls` | with fewer calls in the window nothing happens; not more than `window_calls` | 20, or `window_calls` where that is less |",
    ),
    promised(
      "BREAKER-E8",
      "telephony",
      "| `failed_percent` | calls that ended `failed`, `busy`, `no-answer`, `error` or `call-disconnected` | not looked at |",
    ),
    promised("BREAKER-E9", "telephony", "| `error_percent` | calls that ended `failed` or `error` | not looked at |"),
    promised(
      "BREAKER-E10",
      "telephony",
      "| `short_call_percent` | calls that completed in less than `short_call_seconds`, and that no voicemail box answered | not looked at |",
    ),
    promised("BREAKER-E11", "telephony", "| `short_call_seconds` | what is short, 1 to 600 | 10 |"),
    promised(
      "BREAKER-E12",
      "telephony",
      "| `voicemail_percent` | calls that a voicemail box answered | not looked at |",
    ),
    promised(
      "BREAKER-E13",
      "telephony",
      "| `resume_after_minutes` | so long after it was paused the campaign goes on, 1 to 10,080 | once it is resumed |",
    ),
    promised(
      "BREAKER-E14",
      "telephony",
      "A percentage is 0 to 99, and the campaign pauses where there are more: with `50`, 10 of 20 calls are allowed and 11 are not.",
    ),
    promised("BREAKER-E15", "fixtures", "A breaker without any of the four is refused (1000/400)."),
    promised("BREAKER-E16", "fixtures", "So is a `minimum_calls` above `window_calls` (1001/422)."),
    promised("BREAKER-E17", "fixtures", "The `PUT` replaces the whole breaker; what is left out is as the table says."),
    promised("BREAKER-E18", "fixtures", "A campaign that is cancelled or archived takes none (1201/409)."),
    promised(
      "BREAKER-E19",
      "fixtures",
      "`GET /v2/campaigns/{campaign_id}/breaker` reads it, and is 404 where the campaign has none.",
    ),
    promised("BREAKER-E20", "fixtures", "`DELETE` takes it away."),
  ]),
  page("Which calls count", [
    promised(
      "BREAKER-E21",
      "telephony",
      "Every call that was dialled for the campaign while the breaker was set: first attempts, retries and follow-ups.",
    ),
    promised("BREAKER-E22", "telephony", "Calls that were canceled or stopped do not count,"),
    informative("nor does one that the wallet could not pay: they say nothing of the campaign."),
    promised(
      "BREAKER-E23",
      "telephony",
      "Only calls count that ended since the breaker was written, and since the campaign last went on.",
    ),
    informative("So a campaign that is resumed does not pause again at once for what was before."),
  ]),
  page("What happens then", [
    promised(
      "BREAKER-E24",
      "telephony",
      "The campaign is paused, with its batches, as by `POST /v2/campaigns/{campaign_id}/pause`.",
    ),
    informative("Live calls finish, contacts keep their place."),
    promised("BREAKER-E25", "telephony", "The breaker says why:"),
    promised(
      "BREAKER-E26",
      "telephony",
      "`rate` is `error`, `failed`, `short_call` or `voicemail`: the first in this order of which there were too many.",
    ),
    promised(
      "BREAKER-E27",
      "telephony",
      "`paused_reason` is `breaker`, `request` where somebody has paused the campaign, and null where it is not paused.",
    ),
    promised(
      "BREAKER-E28",
      "telephony",
      'The [log](campaign-log.md) of the campaign has an entry `paused` of level `warning`, with the same figures and `"reason": "breaker"`.',
    ),
    promised(
      "BREAKER-E29",
      "telephony",
      'The audit trail has `campaign.pause` by the system, with `"reason": "breaker"`.',
    ),
    promised(
      "BREAKER-E30",
      "fixtures",
      "That a breaker was set or removed is in the log as `edited`, with `breaker` among its `fields`.",
    ),
  ]),
  page("How it goes on", [
    promised("BREAKER-E31", "telephony", "`POST /v2/campaigns/{campaign_id}/resume` resumes it as ever."),
    promised(
      "BREAKER-E32",
      "telephony",
      'With `resume_after_minutes` it goes on by itself at `resume_at`; the log has `resumed` with `"reason": "breaker"`.',
    ),
    promised("BREAKER-E33", "telephony", "If the next calls go no better, it pauses again."),
    promised(
      "BREAKER-E34",
      "telephony",
      "Who pauses the campaign by hand meanwhile takes the pause over: it stays paused until it is resumed.",
    ),
    promised("BREAKER-E35", "telephony", "A breaker that is written anew sets `resume_at` by what it says now;"),
    promised("BREAKER-E36", "telephony", "one that is removed leaves the campaign paused."),
    informative("Batches that were stopped or paused by themselves stay so."),
    informative(
      "While an operator holds all dialling, a campaign may go on by itself, and dials once the hold is over.",
    ),
  ]),
  page("Scopes", [
    promised("BREAKER-E37", "fixtures", "Reading needs `calls:read`,"),
    promised("BREAKER-E38", "fixtures", "setting and removing need `batches:write`."),
  ]),
  page("How soon", [
    informative(
      "A campaign is looked at as one of its calls ends, and calls that are under way by then finish: a campaign with 100 lines has up to 100 more.",
    ),
    informative("No webhook tells of a pause; read the log, or `GET /v2/campaigns/{campaign_id}`."),
    informative(
      "The breaker [moves](moving-an-organization.md) with its campaign; one that has paused it waits there until somebody resumes it.",
    ),
    informative(
      "Bring every process to this release first: calls that end in one of an earlier release are not counted.",
    ),
    informative("Why it is so: [decision 95](../internals/decisions/0095-campaigns-that-pause-themselves.md)."),
  ]),
]
