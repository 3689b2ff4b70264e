import { limits } from "@carillon/core"
import { counted, hangupReasons, suppressFor, terminalStatuses } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BodyBytes, chosen, documentedAs, EndpointOrigin, RequiredScope } from "./Annotations.ts"
import { contactBodyBytes } from "./Contacts.ts"
import { PayloadTooLarge } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import {
  Flag,
  Integer,
  integerBetween,
  listOf,
  NonEmptyText,
  nonEmptyTextUpTo,
  nullable,
  objectOf,
  OffsetTimestamp,
  oneOf,
  PhoneNumber,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"
import { isSentFile } from "./SentFiles.ts"

/** Characters that a calling code may have, a plus before it included. */
const callingCodeCharacters = 4

const Numbers = listOf(PhoneNumber).check(
  Schema.isMinLength(1, { message: "must not be empty" }),
  Schema.isMaxLength(limits.suppressedPerRequest, {
    message: `must have at most ${limits.suppressedPerRequest} numbers`,
  }),
)

const scope = {
  agent_id: chosen(Schema.optionalKey(nullable(NonEmptyText)), "Only for calls of this agent; without it for all."),
  campaign_id: chosen(
    Schema.optionalKey(nullable(NonEmptyText)),
    "Only for calls of this campaign; without it for all. Not beside `agent_id`.",
  ),
}

const words = {
  reason: chosen(Schema.optionalKey(nullable(textUpTo(limits.suppressionReasonCharacters))), "Why, such as `opt_out`."),
  source: chosen(
    Schema.optionalKey(nullable(textUpTo(limits.suppressionReasonCharacters))),
    "Where that was heard, such as the name of a list.",
  ),
  note: chosen(Schema.optionalKey(nullable(textUpTo(limits.suppressionNoteCharacters))), "Anything else."),
  expires_at: chosen(
    Schema.optionalKey(nullable(OffsetTimestamp)),
    "From when on it stands no more; with UTC offset. Without it for good.",
  ),
}

/** The JSON body of `POST /v2/suppressions`. */
export const SuppressionAdd = objectOf({
  to_numbers: chosen(Numbers, "E.164. One that is there twice counts once."),
  ...scope,
  ...words,
}).annotate({ identifier: "SuppressionAdd", "x-origin": "chosen" })

const NumberFile = documentedAs(Schema.Unknown.pipe(Schema.refine(isSentFile, { message: "must be one file" })), {
  type: "string",
  format: "binary",
  contentMediaType: "text/csv",
  description: `UTF-8, at most ${limits.csvBytes / 1024 ** 2} MiB and ${counted(limits.suppressedPerFile)} numbers: a CSV whose first row names the column of the numbers as a file of contacts does, or one number in each line.`,
})

/** The form of `POST /v2/suppressions`: the same with the numbers in a file. */
export const SuppressionUpload = objectOf({
  file: chosen(NumberFile, "The numbers."),
  calling_code: chosen(
    Schema.optionalKey(nullable(textUpTo(callingCodeCharacters))),
    "Where the numbers are national ones: the calling code of their country, such as `1` or `44`.",
  ),
  ...scope,
  ...words,
}).annotate({ identifier: "SuppressionUpload", "x-origin": "chosen" })

/** What became of the numbers of a request. */
export const SuppressionCounts = Schema.Struct({
  added: chosen(Integer, "Numbers that had no suppression of this scope."),
  replaced: chosen(Integer, "Numbers that had one, which ends later now."),
  unchanged: chosen(Integer, "Numbers that had one which ends no earlier: it stays as it is."),
  refused: chosen(
    Integer,
    `Numbers that have suppressions of ${limits.suppressionsPerNumber - 1} agents and campaigns, or ones so long, that there may be no more. Where there are no others the answer is 422.`,
  ),
}).annotate({ identifier: "SuppressionCounts", description: "What became of the numbers of a request." })
export type SuppressionCounts = typeof SuppressionCounts.Type

/** The body of `POST /v2/suppressions/remove`. */
export const SuppressionRemove = objectOf({ to_numbers: chosen(Numbers, "E.164."), ...scope }).annotate({
  identifier: "SuppressionRemove",
  "x-origin": "chosen",
})

/** 200 of `POST /v2/suppressions/remove`. */
export const RemovedSuppressions = Schema.Struct({
  removed: chosen(Integer, "Numbers that had a suppression of this scope."),
}).annotate({
  identifier: "RemovedSuppressions",
  description: "The numbers may be called again, as far as this scope goes.",
})
export type RemovedSuppressions = typeof RemovedSuppressions.Type

/** The body of `POST /v2/suppressions/check`. */
export const SuppressionCheck = objectOf({ to_numbers: chosen(Numbers, "E.164.") }).annotate({
  identifier: "SuppressionCheck",
  "x-origin": "chosen",
})

/** A suppression as it is answered. */
export const Suppression = Schema.Struct({
  agent_id: chosen(nullable(Text), "It stands for calls of this agent; null for all."),
  campaign_id: chosen(nullable(Text), "It stands for calls of this campaign; null for all."),
  reason: chosen(nullable(Text), "Why."),
  source: chosen(nullable(Text), "Where that was heard."),
  note: chosen(nullable(Text), "Anything else."),
  expires_at: chosen(nullable(Timestamp), "From when on it stands no more; null for good."),
  in_force: chosen(Flag, "Whether it stands now."),
  created_at: chosen(Timestamp, "When it was added."),
}).annotate({ identifier: "Suppression", description: "A number must not be called." })

/** A number with its suppressions. */
export const SuppressedNumber = Schema.Struct({
  to_number: chosen(Text, "E.164."),
  suppressions: chosen(Schema.Array(Suppression), "One for each scope; none where it may be called."),
}).annotate({ identifier: "SuppressedNumber", description: "A number, and what keeps it from being called." })
export type SuppressedNumber = typeof SuppressedNumber.Type

/** A page of suppressed numbers. */
export const SuppressedNumberPage = pageOf(SuppressedNumber).annotate({ identifier: "SuppressedNumberPage" })

/** 200 of `POST /v2/suppressions/check`. */
export const CheckedNumbers = Schema.Struct({
  data: chosen(Schema.Array(SuppressedNumber), "In the order of the request, each once."),
}).annotate({ identifier: "CheckedNumbers", description: "The numbers that were asked for." })
export type CheckedNumbers = typeof CheckedNumbers.Type

const listed = <S extends Schema.Top>(item: S) =>
  listOf(item).check(
    Schema.isMaxLength(limits.suppressOnEntries, { message: `must have at most ${limits.suppressOnEntries} entries` }),
  )

const extractedFields = {
  field: chosen(nonEmptyTextUpTo(limits.suppressOnCharacters), "A field of `extracted_data`."),
  equals: chosen(
    listed(
      Schema.Union([textUpTo(limits.suppressOnCharacters), Schema.Finite, Schema.Boolean]).annotate({
        message: "must be a text, a number, true or false",
      }),
    ).check(Schema.isMinLength(1, { message: "must not be empty" })),
    "One of these values; texts in any case.",
  ),
}

const ExtractedWritten = objectOf(extractedFields).annotate({
  identifier: "SuppressOnValueWritten",
  description: "A value that was extracted.",
  "x-origin": "chosen",
})

const Extracted = Schema.Struct(extractedFields).annotate({
  identifier: "SuppressOnValue",
  description: "A value that was extracted.",
})

const ruleFields = {
  agent_id: nullable(NonEmptyText),
  campaign_id: nullable(NonEmptyText),
  outcomes: listed(oneOf(terminalStatuses)),
  hangup_reasons: listed(oneOf(hangupReasons)),
  extracted: listed(ExtractedWritten),
  suppress_for: oneOf(suppressFor),
  days: nullable(integerBetween(1, limits.suppressOnDays)),
  reason: nullable(textUpTo(limits.suppressionReasonCharacters)),
}

const optional = Schema.optionalKey

const SuppressOnWritten = objectOf({
  agent_id: chosen(optional(ruleFields.agent_id), "Only calls of this agent are looked at."),
  campaign_id: chosen(
    optional(ruleFields.campaign_id),
    "Only calls of this campaign are looked at. Not beside `agent_id`.",
  ),
  outcomes: chosen(optional(ruleFields.outcomes), "The call ended with one of these statuses."),
  hangup_reasons: chosen(optional(ruleFields.hangup_reasons), "It ended for one of these reasons."),
  extracted: chosen(optional(ruleFields.extracted), "One of these was extracted from what was said."),
  suppress_for: chosen(
    optional(ruleFields.suppress_for),
    "For which calls the number is suppressed: all of the organization (the default), those of the call's agent, or those of its campaign.",
  ),
  days: chosen(optional(ruleFields.days), "For how many days of 24 hours. Without it for good."),
  reason: chosen(optional(ruleFields.reason), "The suppression's `reason`. Its `source` is the id of the call."),
}).annotate({ identifier: "SuppressOnWritten", "x-origin": "chosen" })

/** The body of `PUT /v2/suppressions/rules`. */
export const SuppressionRulesPut = objectOf({
  suppress_on: chosen(listOf(SuppressOnWritten), `At most ${limits.suppressOnRules} rules; none: no call suppresses.`),
}).annotate({ identifier: "SuppressionRulesPut", "x-origin": "chosen" })

const SuppressOn = Schema.Struct({
  agent_id: chosen(ruleFields.agent_id, "The agent whose calls are looked at; null for all."),
  campaign_id: chosen(ruleFields.campaign_id, "The campaign whose calls are looked at; null for all."),
  outcomes: chosen(Schema.Array(oneOf(terminalStatuses)), "Statuses; none: whatever its status is."),
  hangup_reasons: chosen(Schema.Array(oneOf(hangupReasons)), "Reasons; none: whatever its reason is."),
  extracted: chosen(Schema.Array(Extracted), "Values; none: whatever was extracted."),
  suppress_for: chosen(ruleFields.suppress_for, "For which calls the number is suppressed."),
  days: chosen(ruleFields.days, "For how many days; null for good."),
  reason: chosen(ruleFields.reason, "The suppression's reason."),
}).annotate({ identifier: "SuppressOn", description: "What of a call that is over suppresses its number." })

/** 200 of `GET` and `PUT /v2/suppressions/rules`. */
export const SuppressionRules = Schema.Struct({
  suppress_on: chosen(Schema.Array(SuppressOn), "Each holds by itself; of each list that is not empty one entry must."),
}).annotate({ identifier: "SuppressionRules", description: "At which ends of calls their numbers are suppressed." })
export type SuppressionRules = typeof SuppressionRules.Type

const organizationOnly = Schema.Struct(organizationQuery)

/** The numbers that must not be called, an extension of the specification. */
export const SuppressionsGroup = HttpApiGroup.make("suppressions").add(
  HttpApiEndpoint.get("list", "/suppressions", {
    query: Schema.Struct({ ...pageQuery, ...organizationQuery }),
    success: SuppressedNumberPage,
  })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "List suppressed numbers",
        description: "Newest first, those included whose suppression has ended.",
      }),
    ),
  HttpApiEndpoint.post("add", "/suppressions", {
    query: organizationOnly,
    payload: [SuppressionAdd, SuppressionUpload.pipe(HttpApiSchema.asMultipart())],
    success: SuppressionCounts.pipe(HttpApiSchema.status(201)),
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "calls:write")
    .annotate(EndpointOrigin, "chosen")
    .annotate(BodyBytes, contactBodyBytes)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Suppress numbers",
        description:
          "No call is made to them from now on: not to contacts, which end `skipped`, nor directly, nor booked. Calls that were begun go on. Sent again it changes nothing. One that stands never ends earlier by it: that takes a removal.",
      }),
    ),
  HttpApiEndpoint.post("check", "/suppressions/check", {
    query: organizationOnly,
    payload: SuppressionCheck,
    success: CheckedNumbers,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Check numbers",
        description:
          "What keeps each of them from being called. The numbers are in the body, so that no address has them.",
      }),
    ),
  HttpApiEndpoint.post("remove", "/suppressions/remove", {
    query: organizationOnly,
    payload: SuppressionRemove,
    success: RemovedSuppressions,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Remove suppressions",
        description: "Of one scope; those of others stay. Contacts that were skipped stay skipped.",
      }),
    ),
  HttpApiEndpoint.get("rules", "/suppressions/rules", { query: organizationOnly, success: SuppressionRules })
    .annotate(RequiredScope, "calls:read")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Read what suppresses",
        description: "At which ends of calls their numbers are suppressed.",
      }),
    ),
  HttpApiEndpoint.put("setRules", "/suppressions/rules", {
    query: organizationOnly,
    payload: SuppressionRulesPut,
    success: SuppressionRules,
    error: PayloadTooLarge,
  })
    .annotate(RequiredScope, "agents:write")
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Say what suppresses",
        description:
          "All rules anew. They are looked at when the carrier's last word of a call comes, and when its analysis does: in that moment the number is suppressed. Calls that were over before are not looked at.",
      }),
    ),
)
