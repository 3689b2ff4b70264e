import { limits } from "@carillon/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { chosen, EndpointOrigin, RequiredScope } from "./Annotations.ts"
import { PayloadTooLarge } from "./Errors.ts"
import { organizationQuery, queryText } from "./Query.ts"
import {
  Flag,
  listOf,
  NonEmptyText,
  nonEmptyTextUpTo,
  nullable,
  objectOf,
  OffsetTimestamp,
  PhoneNumber,
  Text,
  Timestamp,
} from "./Scalars.ts"

const optional = Schema.optionalKey

const openingFields = {
  start: chosen(Text, "`HH:MM`, from `00:00`."),
  end: chosen(Text, "`HH:MM`, up to `24:00`; later than `start`."),
}

const OpeningWritten = objectOf(openingFields).annotate({ identifier: "CalleeOpeningWritten", "x-origin": "chosen" })

const Opening = Schema.Struct(openingFields).annotate({
  identifier: "CalleeOpening",
  description: "Hours in which callees may be called, by their own clocks.",
})

const dayWritten = chosen(
  optional(listOf(OpeningWritten)),
  "The openings of the day, in order and apart; none: closed. Left out: as in the preset, else closed.",
)

const HoursWritten = objectOf({
  preset: chosen(optional(Text), "The name of hours to begin with (`GET /v2/callee-hours/presets`). They are copied."),
  monday: dayWritten,
  tuesday: dayWritten,
  wednesday: dayWritten,
  thursday: dayWritten,
  friday: dayWritten,
  saturday: dayWritten,
  sunday: dayWritten,
  holidays: chosen(
    optional(listOf(Text)),
    "Names of calendars, and dates (`YYYY-MM-DD`), on which it is closed whatever the day of the week.",
  ),
}).annotate({ identifier: "CalleeHoursOfCountryWritten", "x-origin": "chosen" })

/** Characters of the name of a call variable. */
const columnCharacters = 100

/** The body of `PUT /v2/callee-hours`. */
export const CalleeHoursPut = objectOf({
  enabled: chosen(optional(Flag), "False: these calls may be made at any time, whatever a wider scope says."),
  countries: chosen(
    optional(
      Schema.Record(Schema.String, nullable(HoursWritten)).annotate({ message: "must be an object of countries" }),
    ),
    "By country (ISO 3166-1, two letters). Null: at any time.",
  ),
  elsewhere: chosen(optional(nullable(HoursWritten)), "In all other countries. Null, or left out: at any time."),
  unknown_timezone: chosen(
    optional(nullable(Text)),
    "The IANA zone of numbers of which nothing is known. Without it they may be anywhere.",
  ),
  timezone_column: chosen(
    optional(nullable(nonEmptyTextUpTo(columnCharacters))),
    "The call variable that names a contact's own IANA zone; `timezone` by default, null for none.",
  ),
}).annotate({ identifier: "CalleeHoursPut", "x-origin": "chosen" })

const day = chosen(Schema.Array(Opening), "The openings of the day; none: closed.")

const Hours = Schema.Struct({
  monday: day,
  tuesday: day,
  wednesday: day,
  thursday: day,
  friday: day,
  saturday: day,
  sunday: day,
  holidays: chosen(Schema.Array(Text), "The dates of this year and the next on which it is closed."),
}).annotate({ identifier: "CalleeHoursOfCountry", description: "Hours of a week, and holidays." })
export type CalleeHoursOfCountry = typeof Hours.Type

/** 200 of `GET` and `PUT /v2/callee-hours`. */
export const CalleeHours = Schema.Struct({
  agent_id: chosen(nullable(Text), "They are for calls of this agent; null for all."),
  campaign_id: chosen(nullable(Text), "They are for calls of this campaign; null for all."),
  enabled: chosen(Flag, "False: these calls may be made at any time."),
  countries: chosen(Schema.Record(Schema.String, nullable(Hours)), "By country; null: at any time."),
  elsewhere: chosen(nullable(Hours), "In all other countries; null: at any time."),
  unknown_timezone: chosen(
    nullable(Text),
    "The zone of numbers of which nothing is known; null: they may be anywhere.",
  ),
  timezone_column: chosen(nullable(Text), "The call variable that names a contact's own zone; null: none does."),
  updated_at: chosen(Timestamp, "When they were last written."),
}).annotate({ identifier: "CalleeHours", description: "In which hours callees may be called, by their own clocks." })
export type CalleeHours = typeof CalleeHours.Type

/** 200 of `DELETE /v2/callee-hours`. */
export const DeletedCalleeHours = Schema.Struct({
  deleted: chosen(Flag, "True: the hours of a wider scope stand now, where there are some."),
}).annotate({ identifier: "DeletedCalleeHours", description: "This scope has no hours of its own any more." })
export type DeletedCalleeHours = typeof DeletedCalleeHours.Type

const Citation = Schema.Struct({
  rule: chosen(Text, "The rule by its name."),
  url: chosen(Text, "The page on which it was read."),
  official: chosen(Flag, "Whether that page is its authority's own; otherwise it quotes the rule."),
  retrieved: chosen(Text, "The day on which it was read."),
}).annotate({ identifier: "CalleeHoursSource", description: "Where a rule was read." })

const Preset = Schema.Struct({
  name: chosen(Text, "By which it is named."),
  country: chosen(Text, "The country for which it was read."),
  about: chosen(Text, "To which calls its source applies. No legal advice."),
  hours: chosen(Hours, "What is copied."),
  sources: chosen(Schema.Array(Citation), "Where it was read."),
}).annotate({ identifier: "CalleeHoursPreset", description: "Hours of a country that can be named." })

const Calendar = Schema.Struct({
  name: chosen(Text, "By which it is named."),
  about: chosen(Text, "Which holidays these are."),
  dates: chosen(Schema.Array(Text), "Its dates of this year and the next."),
  sources: chosen(Schema.Array(Citation), "Where it was read."),
}).annotate({ identifier: "CalleeHolidayCalendar", description: "Holidays that can be named." })

/** 200 of `GET /v2/callee-hours/presets`. */
export const CalleeHoursPresets = Schema.Struct({
  hours: chosen(Schema.Array(Preset), "Hours of countries."),
  holidays: chosen(Schema.Array(Calendar), "Holiday calendars."),
}).annotate({ identifier: "CalleeHoursPresets", description: "What can be named instead of written." })
export type CalleeHoursPresets = typeof CalleeHoursPresets.Type

/** The body of `POST /v2/callee-hours/check`. */
export const CalleeHoursCheck = objectOf({
  to_numbers: chosen(
    listOf(PhoneNumber).check(
      Schema.isMinLength(1, { message: "must not be empty" }),
      Schema.isMaxLength(limits.calleeHoursChecked, {
        message: `must have at most ${limits.calleeHoursChecked} numbers`,
      }),
    ),
    "E.164.",
  ),
  at: chosen(
    optional(nullable(OffsetTimestamp)),
    `At which moment; now by default. At most ${limits.calleeHoursCheckDays} days from now.`,
  ),
  agent_id: chosen(optional(nullable(NonEmptyText)), "By the hours that bind this agent's calls."),
  campaign_id: chosen(
    optional(nullable(NonEmptyText)),
    "By the hours that bind this campaign's calls. Not beside `agent_id`.",
  ),
}).annotate({ identifier: "CalleeHoursCheck", "x-origin": "chosen" })

const Zone = Schema.Struct({
  timezone: chosen(Text, "An IANA zone."),
  country: chosen(nullable(Text), "Its country; null where it is of none."),
}).annotate({ identifier: "CalleeZone", description: "A zone in which a number may be." })

const Checked = Schema.Struct({
  to_number: chosen(Text, "E.164."),
  zones: chosen(Schema.Array(Zone), "Where it may be; none where nothing is known of it."),
  is_open: chosen(Flag, "Whether it may be called at that moment."),
  opens_at: chosen(
    nullable(Timestamp),
    "When it may be called next, that moment included; null: never, as far as is looked.",
  ),
  closes_at: chosen(nullable(Timestamp), "When that ends; null where it has no end, or never begins."),
}).annotate({ identifier: "CheckedCalleeHours", description: "How a number stands to callee hours." })

/** 200 of `POST /v2/callee-hours/check`. */
export const CheckedCallees = Schema.Struct({
  data: chosen(Schema.Array(Checked), "In the order of the request, each once."),
}).annotate({ identifier: "CheckedCallees", description: "The numbers that were asked for." })
export type CheckedCallees = typeof CheckedCallees.Type

const scopeQuery = Schema.Struct({
  agent_id: chosen(
    optional(queryText),
    "The hours of this agent's calls; without it, and without `campaign_id`, of all.",
  ),
  campaign_id: chosen(optional(queryText), "The hours of this campaign's calls. Not beside `agent_id`."),
  ...organizationQuery,
})

const organizationOnly = Schema.Struct(organizationQuery)

/** The hours in which callees may be called, an extension of the specification. */
export const CalleeHoursGroup = HttpApiGroup.make("calleeHours").add(
  HttpApiEndpoint.get("get", "/callee-hours", { query: scopeQuery, success: CalleeHours })
    .annotate(RequiredScope, "agents:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read callee hours",
        description: "Those of a scope itself; 404 where it has none of its own.",
      }),
    ),
  HttpApiEndpoint.put("set", "/callee-hours", {
    query: scopeQuery,
    payload: CalleeHoursPut,
    success: CalleeHours,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Set callee hours",
        description:
          "Replaces those of a scope. Of a campaign's, an agent's and the organization's the nearest stand. Contacts wait while they are closed, and calls placed or due are moved into the next opening. Calls that were begun go on.",
      }),
    ),
  HttpApiEndpoint.delete("remove", "/callee-hours", { query: scopeQuery, success: DeletedCalleeHours })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Remove callee hours", description: "Those of a wider scope stand then." }),
    ),
  HttpApiEndpoint.get("presets", "/callee-hours/presets", { query: organizationOnly, success: CalleeHoursPresets })
    .annotate(RequiredScope, "agents:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List presets",
        description: "Hours and holidays that can be named, with their sources. None of it is legal advice.",
      }),
    ),
  HttpApiEndpoint.post("check", "/callee-hours/check", {
    query: organizationOnly,
    payload: CalleeHoursCheck,
    success: CheckedCallees,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Check callee hours",
        description:
          "Of each number: where it may be, whether it may be called at a moment, and when next. Where a scope has no hours of its own, those of the nearest wider one answer; where there are none, anybody may be called.",
      }),
    ),
)
