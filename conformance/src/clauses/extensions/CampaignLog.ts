import { type ExtensionSection, informative, pageOf, promised, wording } from "../Clause.ts"

const page = pageOf("campaign-log", "docs/guides/campaign-log.md", "What happened to a campaign")

/** The log of a campaign, as its page promises it. */
export const campaignLog: ReadonlyArray<ExtensionSection> = [
  page("What happened to a campaign", [
    informative('The log of a campaign answers "why did it stop". It is an extension:'),
    promised("LOG-E1", "fixtures", "every campaign has one, and"),
    promised(
      "LOG-E2",
      "no",
      "what the specification says of campaigns stays as it is.",
      "The clauses of the contract judge it.",
    ),
    promised(
      "LOG-E3",
      "fixtures",
      "`GET /v2/campaigns/{campaign_id}/log` answers with its entries, newest first, in pages as other lists are:",
    ),
    promised("LOG-E4", "fixtures", "| `number` | 1 for the first entry, one more for each that follows |"),
    promised("LOG-E5", "fixtures", "| `at` | when it happened |"),
    promised(
      "LOG-E6",
      "telephony",
      "| `level` | `info`: somebody asked for it, or it was to come; `warning`: it has stopped the campaign by itself;",
    ),
    promised("LOG-E7", "no", "`error`: something was wrong |", "Nobody outside can make it so."),
    promised("LOG-E8", "fixtures", "| `event` | what happened, in one of the words below |"),
    promised("LOG-E9", "no", "| `message` | the same as a sentence in English. It may change |", wording),
    promised(
      "LOG-E10",
      "telephony",
      "| `details` | `actor` says who brought it about: the key of a request, or the system by itself.",
    ),
    informative("What else is in it depends on the event |"),
  ]),
  page("What is told", [
    promised("LOG-E11", "fixtures", "| `created` | the campaign was made | |"),
    promised(
      "LOG-E12",
      "fixtures",
      "| `contacts_added` | a batch of it was made, with the campaign or later | `batch_id`, and `contacts`: how many it has |",
    ),
    promised(
      "LOG-E13",
      "fixtures",
      "| `edited` | a `PATCH` has changed it, or its breaker or its order was set or removed | `fields`: those that were sent |",
    ),
    promised("LOG-E14", "fixtures", "| `paused` | it was paused | |"),
    promised("LOG-E15", "fixtures", "| `resumed` | it was resumed | |"),
    promised("LOG-E16", "fixtures", "| `stopped` | it was cancelled | |"),
    promised("LOG-E17", "fixtures", "| `revived` | it was revived | |"),
    promised("LOG-E18", "fixtures", "| `archived` | it was deleted | |"),
    promised(
      "LOG-E19",
      "telephony",
      "| `completed` | its last batch has finished; behind `resumed` or `edited` where that was so when it went on | |",
    ),
    promised(
      "LOG-E20",
      "telephony",
      "| `expired` | its end has come, and it had not completed | `unfinished_batches`: how many ended with it |",
    ),
    promised(
      "LOG-E21",
      "no",
      "| `mended` | the engine found batches of it that had not ended with it, and has put that right | `unfinished_batches` |",
      "Nobody outside can make it so.",
    ),
    promised("LOG-E22", "fixtures", "All but the first two have the status before, `was`, and after, `status`."),
    promised(
      "LOG-E23",
      "no",
      "An entry is written together with what it tells: where one of them is, the other is, whatever crashes.",
      "Nobody outside can make the server crash.",
    ),
    promised(
      "LOG-E24",
      "fixtures",
      "Requests that were refused are not in it, and neither are those that changed nothing.",
    ),
    informative("Calls and contacts are not in it: `stats` counts them."),
    informative("A batch that is paused or stopped by itself is not, nor is that an operator holds all dialling."),
    informative("Why nothing is dialled at this moment, `explain` says."),
  ]),
  page("What is kept", [
    promised("LOG-E25", "fixtures", "An entry never changes."),
    promised(
      "LOG-E26",
      "no",
      "The last 10,000 of each campaign are kept; with one more the oldest goes.",
      "It would take more requests than a run may make.",
    ),
    promised(
      "LOG-E27",
      "no",
      "No entry holds a phone number or anything else that contacts say of themselves, so an [erasure](erasure.md) leaves them.",
      "Erasing is the operator's.",
    ),
    informative("They [move](moving-an-organization.md) with their organization."),
  ]),
  page("Scopes", [promised("LOG-E28", "fixtures", "Reading needs `calls:read`.")]),
  page("Before the first entry", [
    informative("A campaign that an earlier release made has entries from then on as this one writes to it."),
    informative("Bring every process to this release first: one of an earlier release writes none."),
    informative("Why it is so: [decision 92](../internals/decisions/0092-the-log-of-a-campaign.md)."),
  ]),
]
