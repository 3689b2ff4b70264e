import { type ExtensionSection, informative, pageOf, promised, wording } from "../Clause.ts"

const page = pageOf("callee-hours", "docs/guides/callee-hours.md", "When callees may be called")

/** The hours of those who are called, as their page promises them. */
export const calleeHours: ReadonlyArray<ExtensionSection> = [
  page("When callees may be called", [
    informative("A campaign has hours in its own zone, an agent has a calling window in its own."),
    promised("HOURS-E1", "fixtures", "Callee hours go by the clock where the phone rings."),
    informative("They are an extension:"),
    promised("HOURS-E2", "fixtures", "nothing of them is on until somebody sets some."),
    promised("HOURS-E3", "telephony", "They stand beside the others, and a call rings when all of them are open."),
    promised(
      "HOURS-E4",
      "fixtures",
      "`PUT /v2/callee-hours` sets them, for all calls of the organization, or with `?agent_id=` or `?campaign_id=` for those of one agent or campaign:",
    ),
    promised("HOURS-E5", "fixtures", "| `countries` | hours by country (ISO 3166-1); null: at any time |"),
    promised("HOURS-E6", "fixtures", "| `elsewhere` | hours in all other countries; null, or left out: at any time |"),
    promised(
      "HOURS-E7",
      "fixtures",
      "| a day | its openings, in order; `end` up to `24:00`. Left out: as in the preset, else closed |",
    ),
    promised("HOURS-E8", "fixtures", "| `preset` | hours to begin with, by name. They are copied:"),
    promised(
      "HOURS-E9",
      "no",
      "an update of the engine moves nobody's hours |",
      "An update of the engine is no request.",
    ),
    promised(
      "HOURS-E10",
      "fixtures",
      "| `holidays` | names of calendars, and dates: closed, whatever the day of the week |",
    ),
    promised(
      "HOURS-E11",
      "fixtures",
      "| `unknown_timezone` | the zone of numbers of which nothing is known; without it they may be anywhere |",
    ),
    promised(
      "HOURS-E12",
      "telephony",
      "| `timezone_column` | the call variable that names a contact's own IANA zone: `timezone` by default, null for none |",
    ),
    promised(
      "HOURS-E13",
      "fixtures",
      "| `enabled` | false: these calls may be made at any time, whatever a wider scope says |",
    ),
    promised("HOURS-E14", "fixtures", "`PUT` replaces the hours of its scope whole."),
    promised(
      "HOURS-E15",
      "fixtures",
      "The nearest scope stands: the campaign's, else that of the agent that was asked for, else the organization's.",
    ),
    promised("HOURS-E16", "fixtures", "`GET` reads those of a scope, `DELETE` takes them away."),
    promised(
      "HOURS-E17",
      "fixtures",
      "`GET /v2/callee-hours/presets` lists what can be named, with the page on which each rule was read, and the day.",
    ),
    promised("HOURS-E18", "fixtures", "A preset says to which calls its source applies."),
    informative("It is not legal advice: what you may do remains yours to know."),
    promised(
      "HOURS-E19",
      "fixtures",
      "`POST /v2/callee-hours/check` says of up to 1,000 numbers where each may be, whether it may be called at a moment, two years from now at most, and when next.",
    ),
    promised(
      "HOURS-E46",
      "fixtures",
      "It goes by the hours that bind calls of the scope that is named; where none do, anybody may be called.",
    ),
  ]),
  page("Where somebody is", [
    promised(
      "HOURS-E20",
      "telephony",
      "A contact's own zone, where its variables name one; else the zones that its number may be in.",
    ),
    informative("What a campaign gives all its contacts (`default_call_variables`) is not looked at."),
    informative("The `variables` of a direct call are: a value there that is no zone counts as none."),
    promised(
      "HOURS-E21",
      "fixtures",
      "A list of contacts in which that variable is neither empty nor an IANA zone is refused while hours stand for its calls: 1001 for `contacts[3].timezone`, or for `file` with the lines.",
    ),
    promised(
      "HOURS-E22",
      "fixtures",
      "If your lists have such a column for something else, name another one, or set `timezone_column` to null.",
    ),
    promised(
      "HOURS-E23",
      "telephony",
      "In contacts that were there before the hours a value that is no zone counts as none.",
    ),
    promised("HOURS-E24", "fixtures", "| `+1` with a known area code | those of the area code |"),
    promised("HOURS-E25", "fixtures", "| `+1` with another one, freephone among them | all of the country code |"),
    promised("HOURS-E26", "fixtures", "| any other | all of the country code: one for most |"),
    promised("HOURS-E27", "fixtures", "| of no country (`+800`) | `unknown_timezone`; without it all that there are |"),
    promised(
      "HOURS-E28",
      "fixtures",
      "A number that may be in several zones is called only when it is open in all of them, each with its own daylight saving time and the hours of its country.",
    ),
    informative(
      "So who is not known well is called only when it is right wherever they are. A `timezone` column says it better.",
    ),
  ]),
  page("What becomes of a call", [
    promised(
      "HOURS-E29",
      "telephony",
      "| a contact's first call, retry or follow-up | it waits; no attempt, retry or hold is used up. `explain` says `callee_hours` with the next opening, and `next_attempt_at` knows it |",
    ),
    promised(
      "HOURS-E30",
      "telephony",
      "| a direct call, or one that is being booked | it is moved into the next opening: 202 with `deferred_by_calling_guard: true` |",
    ),
    promised("HOURS-E31", "telephony", "| a booked call that is due | it becomes `rescheduled` |"),
    promised("HOURS-E32", "telephony", "| hours that never open | a direct call is 1201/409:"),
    promised("HOURS-E33", "no", '"The hours in which this number may be called never open."', wording),
    promised("HOURS-E34", "telephony", "A booked one ends `error` with that text."),
    promised("HOURS-E35", "telephony", "A contact waits, because the hours may be changed |"),
    promised("HOURS-E36", "telephony", "| a call that arrives | is not looked at |"),
    promised("HOURS-E37", "telephony", "Hours that are changed apply at once to everybody who waits."),
    promised("HOURS-E38", "telephony", "A call that was begun goes on."),
    promised(
      "HOURS-E39",
      "telephony",
      '`"override_callee_hours": true` in `POST /v2/calls` calls all the same: somebody asked to be called at ten in the evening.',
    ),
    promised(
      "HOURS-E40",
      "telephony",
      "It needs `agents:write` beside `calls:write`, and the audit trail keeps it in the details of `call.create`.",
    ),
    promised(
      "HOURS-E41",
      "telephony",
      "The finish estimate of a campaign is never before the first opening of the last who wait, in the campaign's hours;",
    ),
    promised(
      "HOURS-E42",
      "telephony",
      "where some of them never open, there is none, and `no_estimate_reason` is `callee_hours`.",
    ),
    promised(
      "HOURS-E43",
      "no",
      "Who was not looked at yet is taken to be open when lines are free, and so is a retry that comes later: it may be too early.",
      "It allows an estimate to be wrong, which no answer can break.",
    ),
  ]),
  page("Scopes", [
    promised("HOURS-E44", "fixtures", "Reading, presets and checking need `agents:read`."),
    promised("HOURS-E45", "fixtures", "Setting, removing and overriding need `agents:write`."),
  ]),
  page("Before the first hours", [
    informative("On PostgreSQL bring every process to this release first: one of an earlier release does not look."),
    informative("Why it is so: [decision 71](../internals/decisions/0071-when-a-callee-may-be-called.md)."),
  ]),
]
