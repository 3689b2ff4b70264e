import { type ExtensionSection, informative, pageOf, promised, wording } from "../Clause.ts"

const page = pageOf("call-caps", "docs/guides/call-caps.md", "How often a number may be called")

/** Caps on calls, as their page promises them. */
export const callCaps: ReadonlyArray<ExtensionSection> = [
  page("How often a number may be called", [
    promised(
      "CAPS-E1",
      "telephony",
      "Call caps keep you from calling one number too often, whoever asks for the call: two campaigns with the same person, a retry, a follow-up, a booked call, a call by hand.",
    ),
    informative("They are an extension:"),
    promised("CAPS-E2", "telephony", "nothing of them is on until somebody sets some, and"),
    promised("CAPS-E3", "telephony", "they are for all calls of the organization."),
    promised("CAPS-E4", "fixtures", "`PUT /v2/call-caps` sets them:"),
    promised(
      "CAPS-E5",
      "telephony",
      "| `per_day` | at most so many calls to one number in any 24 hours, from 1 to 30 |",
    ),
    promised("CAPS-E6", "telephony", "| `per_week` | the same in any 168 hours |"),
    promised("CAPS-E7", "telephony", "| `per_thirty_days` | the same in any 720 hours |"),
    promised(
      "CAPS-E8",
      "telephony",
      "| `minimum_rest_seconds` | at least so many seconds between two calls to one number, up to thirty days |",
    ),
    promised("CAPS-E9", "fixtures", "Null, or left out, is no cap."),
    promised("CAPS-E10", "fixtures", "`PUT` replaces all of them, `GET` reads them, and `DELETE` takes them away."),
    promised(
      "CAPS-E11",
      "telephony",
      "The stretches move with the clock. A day is the 24 hours before a call, not a date: nobody is called at five to midnight and again at five past as if that were two days.",
    ),
  ]),
  page("What counts", [
    promised(
      "CAPS-E12",
      "telephony",
      "Each call that was dialled, from then on as caps were set: answered or not, busy, failed, or hung up.",
    ),
    promised("CAPS-E13", "telephony", "It counts from the moment at which it is dialled, and once,"),
    promised("CAPS-E14", "no", "whatever crashes.", "Nobody outside can make the server crash."),
    promised("CAPS-E15", "telephony", "What counts is listed by `GET /v2/calls?to_number=…`."),
    promised(
      "CAPS-E16",
      "telephony",
      "A call that the carrier did not take, for a reason that is not the number's, counts only if it stays in that list: a contact's is taken back and tried again, and does not count.",
    ),
    promised("CAPS-E17", "telephony", "Calls that arrive do not count."),
  ]),
  page("What becomes of a call", [
    promised(
      "CAPS-E18",
      "telephony",
      "| a contact's first call, retry or follow-up | it waits until the caps allow it; no attempt, retry or hold is used up. Others are called meanwhile. `next_attempt_at` says until when, `explain` counts it as `cooldown` |",
    ),
    promised("CAPS-E19", "telephony", "| a direct call | 1201/409:"),
    promised(
      "CAPS-E20",
      "no",
      '"This number was called as often as the call caps allow: it may be called again at 2026-01-06T09:00:00.000Z."',
      wording,
    ),
    promised("CAPS-E21", "telephony", "It leaves no record |"),
    promised(
      "CAPS-E22",
      "telephony",
      "| a call that is being booked | it is booked: how often the number will have been called by then nobody knows |",
    ),
    promised(
      "CAPS-E23",
      "telephony",
      "| a booked call that is due | it becomes `rescheduled` for when the caps, the windows and the [hours](callee-hours.md) allow it |",
    ),
    promised("CAPS-E24", "telephony", "| a call that arrives | is not looked at |"),
    promised(
      "CAPS-E25",
      "no",
      "A contact that waits for more than a day is looked at once a day, so `next_attempt_at` may say that look first.",
      "It allows `next_attempt_at` to say either; what such a look finds is judged by the sentence after it.",
    ),
    promised("CAPS-E26", "telephony", "Caps that are widened or taken away reach everybody who waits within a day."),
    promised("CAPS-E27", "telephony", "Caps that are set or narrowed hold from the next dial on."),
    promised(
      "CAPS-E28",
      "telephony",
      '`"override_call_caps": true` in `POST /v2/calls` calls all the same: somebody asked to be called back.',
    ),
    promised(
      "CAPS-E29",
      "telephony",
      "It needs `agents:write` beside `calls:write`, the audit trail keeps it in the details of `call.create`, and",
    ),
    promised("CAPS-E30", "telephony", "the call counts."),
  ]),
  page("What is kept", [
    informative(
      "Of each number that is dialled while caps stand: the number, and the ids and times of its last dials, 64 at most. What is older than thirty days goes when the number is next called. Where it is not, all of it goes with what an organization keeps [for a time](retention.md#what-goes-and-when); without such a time it stays.",
    ),
  ]),
  page("Scopes", [
    promised("CAPS-E31", "fixtures", "Reading needs `agents:read`."),
    promised("CAPS-E32", "fixtures", "Setting, removing and overriding need `agents:write`."),
  ]),
  page("Before the first caps", [
    informative("Bring every process to this release first: one of an earlier release does not count."),
    informative(
      "None of this is legal advice: which caps your calls need remains yours to know. Why it is so: [decision 78](../internals/decisions/0078-how-often-a-number-may-be-called.md).",
    ),
  ]),
]
