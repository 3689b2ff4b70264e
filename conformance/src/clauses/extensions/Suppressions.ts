import { type ExtensionSection, informative, pageOf, promised, wording } from "../Clause.ts"

const page = pageOf("suppressions", "docs/guides/suppression.md", "Numbers that must not be called")

const notOfV2 = "No route of /v2 does it: a host's own means are no part of what is judged."

/** Numbers that must not be called, as their page promises them. */
export const suppressions: ReadonlyArray<ExtensionSection> = [
  page("Numbers that must not be called", [
    informative("The specification has no list of numbers that must not be called. This is an extension."),
    promised("SUPPRESSION-E1", "fixtures", "Nothing of it is on until somebody adds a number."),
    promised("SUPPRESSION-E2", "fixtures", "`POST /v2/suppressions` takes up to 5,000 numbers as JSON"),
    promised("SUPPRESSION-E3", "fixtures", "or a file"),
    promised(
      "SUPPRESSION-E4",
      "no",
      "of up to a million:",
      "A file of a million numbers would take longer than all other cases together.",
    ),
    promised("SUPPRESSION-E5", "fixtures", "| `to_numbers` | E.164; in a form `file` instead |"),
    promised(
      "SUPPRESSION-E6",
      "telephony",
      "| `agent_id`, `campaign_id` | only for calls of this agent or this campaign;",
    ),
    promised("SUPPRESSION-E7", "fixtures", "one of the two at most."),
    promised("SUPPRESSION-E8", "telephony", "Without either it is for all calls of the organization |"),
    promised("SUPPRESSION-E9", "fixtures", "| `reason`, `source`, `note` | your words |"),
    promised("SUPPRESSION-E10", "clock", "| `expires_at` | from when on it stands no more |"),
    promised(
      "SUPPRESSION-E11",
      "fixtures",
      "| `calling_code` | in a form: the numbers of the file are national ones of this country (`1`, `44`) |",
    ),
    promised("SUPPRESSION-E12", "fixtures", "It answers with counts: `added`, `replaced`, `unchanged`, `refused`."),
    promised(
      "SUPPRESSION-E13",
      "fixtures",
      "The same request again changes nothing, so one that broke off is simply sent again.",
    ),
    promised(
      "SUPPRESSION-E71",
      "no",
      "While a file is taken in, another one of the organization is answered 429 with `Retry-After`.",
      "A file that is surely still taken in when the next one comes would have to be a large one.",
    ),
    promised(
      "SUPPRESSION-E14",
      "fixtures",
      "**One that stands never ends earlier by an add.** Of two ends the later one counts, and none is the latest.",
    ),
    promised("SUPPRESSION-E15", "clock", "When it was first asked for stays; new words count only with a later end."),
    promised("SUPPRESSION-E16", "fixtures", "To end one earlier, remove it and add it anew."),
    promised(
      "SUPPRESSION-E17",
      "fixtures",
      "`refused` are numbers that have as many suppressions for agents and campaigns as they may, or ones so long.",
    ),
    promised("SUPPRESSION-E18", "fixtures", "One for the organization is never refused."),
    promised("SUPPRESSION-E19", "fixtures", "Where every number is refused the answer is 422."),
    promised("SUPPRESSION-E20", "fixtures", "The file is a CSV as a file of contacts, or has one number in each line."),
    informative(
      "Of several columns of numbers the first one counts alone, so send a list with two of them twice, each with one.",
    ),
    informative(
      "Without a `calling_code` ten digits are read as those of a whole number, as they are in a file of contacts.",
    ),
    informative("Public lists come in that form; where they have national numbers, say the `calling_code`."),
    promised("SUPPRESSION-E21", "fixtures", "A number that might be another one is refused with its line:"),
    promised(
      "SUPPRESSION-E22",
      "fixtures",
      "| `1` | ten digits, or eleven with a 1 before them; the area code may have a column of its own |",
    ),
    promised("SUPPRESSION-E23", "fixtures", "| any | no `00`, and not the calling code once more |"),
    promised(
      "SUPPRESSION-E24",
      "fixtures",
      "| Italy (39) and others where the zero belongs to the number | it stays |",
    ),
    promised(
      "SUPPRESSION-E25",
      "fixtures",
      "| where one zero is written at home only (44, 33, 49 and others) | it goes |",
    ),
    promised(
      "SUPPRESSION-E26",
      "fixtures",
      "| elsewhere | a zero at the beginning is refused: write the number with its plus |",
    ),
    promised("SUPPRESSION-E27", "fixtures", "`GET /v2/suppressions` lists the numbers."),
    promised(
      "SUPPRESSION-E28",
      "fixtures",
      "`POST /v2/suppressions/check` says of up to 5,000 numbers what keeps them from being called, of each once.",
    ),
    promised("SUPPRESSION-E29", "fixtures", "`POST /v2/suppressions/remove` takes the suppressions of one scope away."),
    promised(
      "SUPPRESSION-E30",
      "no",
      "The numbers are in bodies, so that no address and no access log has them.",
      "What an access log has cannot be seen from outside.",
    ),
  ]),
  page("What becomes of a call", [
    promised(
      "SUPPRESSION-E31",
      "telephony",
      "A suppression is looked at in the commit that dials, not when contacts are uploaded.",
    ),
    promised(
      "SUPPRESSION-E32",
      "no",
      "One that is added a moment before the dial is committed wins.",
      "The moment at which a dial is committed cannot be seen from outside.",
    ),
    promised("SUPPRESSION-E33", "telephony", "Calls that were begun go on."),
    promised(
      "SUPPRESSION-E34",
      "telephony",
      '| a contact\'s first call, retry or follow-up | the contact ends `skipped` with `skip_reason: "suppressed"`, without a call |',
    ),
    promised("SUPPRESSION-E35", "telephony", "| a direct call | 1201/409:"),
    promised("SUPPRESSION-E36", "no", '"This number is suppressed: it must not be called." |', wording),
    promised(
      "SUPPRESSION-E37",
      "clock",
      "| a call that is booked | the same, where the suppression will stand at its time |",
    ),
    promised("SUPPRESSION-E38", "telephony", "| a booked call that is due | it ends `error` with that text |"),
    promised(
      "SUPPRESSION-E39",
      "telephony",
      "A skipped contact counts as `pending` in `outcome_counts` and `contact_counts`, as the readings say of everybody who is skipped, and in `skipped_contacts` of its batch.",
    ),
    promised(
      "SUPPRESSION-E40",
      "telephony",
      "It stays skipped when its campaign is revived, and when the suppression is removed.",
    ),
    promised("SUPPRESSION-E41", "telephony", '`"override_suppression": true` in `POST /v2/calls` calls all the same.'),
    promised(
      "SUPPRESSION-E42",
      "telephony",
      "It needs `agents:write` beside `calls:write`, and the audit trail keeps it in the details of `call.create`.",
    ),
  ]),
  page("By how a call ended", [
    promised(
      "SUPPRESSION-E43",
      "telephony",
      "`PUT /v2/suppressions/rules` says at which ends of calls their numbers are suppressed, from then on:",
    ),
    promised(
      "SUPPRESSION-E44",
      "telephony",
      "| `outcomes` | the status with which the call ended: `completed`, `busy`, `no-answer`, … |",
    ),
    promised("SUPPRESSION-E45", "telephony", "| `hangup_reasons` | why it ended |"),
    promised(
      "SUPPRESSION-E46",
      "no",
      "| `extracted` | what its analysis found: a field of `extracted_data`, and values of which it has one. Texts are compared without their case |",
      "The control surface cannot say what an analysis finds.",
    ),
    promised(
      "SUPPRESSION-E47",
      "telephony",
      "| `agent_id`, `campaign_id` | only calls of this agent or campaign are looked at; one of the two at most |",
    ),
    promised(
      "SUPPRESSION-E48",
      "telephony",
      "| `suppress_for` | `organization` (the default), `agent` or `campaign`: for which calls the number is suppressed |",
    ),
    promised("SUPPRESSION-E49", "telephony", "| `days` | for how many days of 24 hours; without it for good |"),
    promised("SUPPRESSION-E50", "telephony", "| `reason` | the suppression's `reason` |"),
    promised(
      "SUPPRESSION-E51",
      "telephony",
      "Of each list that is not empty one entry must hold, and at least one list must be there.",
    ),
    promised("SUPPRESSION-E52", "telephony", "Each rule holds by itself."),
    promised("SUPPRESSION-E53", "fixtures", "`PUT` replaces them all;"),
    promised(
      "SUPPRESSION-E54",
      "telephony",
      '`{"suppress_on": []}` takes them away, and leaves the suppressions that they brought.',
    ),
    promised("SUPPRESSION-E55", "fixtures", "`GET /v2/suppressions/rules` reads them."),
    promised(
      "SUPPRESSION-E56",
      "telephony",
      "**When.** The number is suppressed in the commit that takes in the carrier's last word of the call (its line is free then), or its analysis, whichever is the later of what a rule needs.",
    ),
    promised(
      "SUPPRESSION-E57",
      "telephony",
      "A retry or follow-up that the same call has planned finds the contact suppressed, and skips it.",
    ),
    promised("SUPPRESSION-E58", "telephony", "**Who.** The number of the person: who was called, or who called."),
    promised(
      "SUPPRESSION-E59",
      "telephony",
      "**The agent** is the one that was asked for, also where an experiment sent the call to a challenger. A rule with an `agent_id` looks at the calls of either.",
    ),
    promised(
      "SUPPRESSION-E60",
      "telephony",
      '**No campaign**, as in a direct call: a rule with `suppress_for: "campaign"` does nothing.',
    ),
    promised(
      "SUPPRESSION-E61",
      "telephony",
      "**No room**: a number that has as many suppressions for agents and campaigns as it may is suppressed for all calls.",
    ),
    promised("SUPPRESSION-E62", "telephony", "**Its source** is the id of the call (`execution_id`)."),
    promised(
      "SUPPRESSION-E63",
      "telephony",
      "**Taken back** it stays taken back: the same call does not suppress twice.",
    ),
  ]),
  page("How long it stays", [
    promised("SUPPRESSION-E64", "clock", "Until its `expires_at`, or until it is removed."),
    promised(
      "SUPPRESSION-E65",
      "clock",
      "One that has ended keeps nobody from being called, and is still listed; `POST /v2/suppressions/remove` takes it off the list.",
    ),
    promised("SUPPRESSION-E66", "clock", "It also goes when the number's next suppression is written."),
    promised(
      "SUPPRESSION-E67",
      "no",
      "**[Erasing a person](erasure.md)** leaves what stands, without your words: the next upload would call the person again. What has ended goes.",
      notOfV2,
    ),
    promised(
      "SUPPRESSION-E68",
      "no",
      "**[Keeping rows for a time](retention.md)** takes no suppression away, however old it is. The calls and contacts of the number go as any others.",
      notOfV2,
    ),
    promised(
      "SUPPRESSION-E69",
      "no",
      "**[Moving an organization](moving-an-organization.md)** takes all of them along, before anybody is called there.",
      notOfV2,
    ),
  ]),
  page("Scopes", [
    promised(
      "SUPPRESSION-E70",
      "fixtures",
      "Reading and checking need `calls:read`, adding needs `calls:write`, removing, overriding and setting the rules need `agents:write`.",
    ),
  ]),
  page("Before the first number", [
    informative("On PostgreSQL bring every process to this release first: one of an earlier release does not look."),
    informative("Why it is so: [decision 70](../internals/decisions/0070-who-must-not-be-called.md)."),
  ]),
]
