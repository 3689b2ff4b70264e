import { type ExtensionSection, informative, pageOf, promised } from "../Clause.ts"

const page = pageOf("campaign-order", "docs/guides/campaign-order.md", "The order of a campaign")

/** The order of a campaign, as its page promises it. */
export const campaignOrder: ReadonlyArray<ExtensionSection> = [
  page("The order of a campaign", [
    informative("A campaign calls its contacts in the order in which they were handed in."),
    promised("ORDER-E1", "telephony", "With an order it first calls who matters most, or who came last."),
    informative("It is an extension:"),
    promised("ORDER-E2", "telephony", "no campaign has an order until it is set, and"),
    promised(
      "ORDER-E3",
      "no",
      "what the specification says of campaigns stays as it is.",
      "The clauses of the contract judge it.",
    ),
    promised("ORDER-E4", "fixtures", "`PUT /v2/campaigns/{campaign_id}/order` sets it:"),
    promised(
      "ORDER-E5",
      "telephony",
      "| `priority_column` | the call variable, or the column of a CSV file, that says the priority of a contact; 1 to 100 characters | contacts have no priority |",
    ),
    promised(
      "ORDER-E6",
      "telephony",
      "| `contacts` | of contacts of one priority, those of the batch that came first (`first_come`) or last (`last_come`) are called first | `first_come` |",
    ),
    promised("ORDER-E7", "fixtures", "An order without either is refused (1000/400)."),
    promised("ORDER-E8", "fixtures", "The `PUT` replaces the whole order."),
    promised("ORDER-E9", "fixtures", "A campaign that is cancelled or archived takes none (1201/409)."),
    promised(
      "ORDER-E10",
      "fixtures",
      "`GET /v2/campaigns/{campaign_id}/order` reads it, and is 404 where the campaign has none.",
    ),
    promised("ORDER-E11", "fixtures", "`DELETE` takes it away."),
    promised(
      "ORDER-E12",
      "fixtures",
      "That an order was set or removed is in the log of the campaign as `edited`, with `order` among its `fields`.",
    ),
  ]),
  page("Priorities", [
    promised("ORDER-E13", "telephony", "A priority is a whole number from 0 to 9, and the highest is called first."),
    promised(
      "ORDER-E14",
      "telephony",
      "Where a contact says none, or its variable is null or empty, it is called as with 5.",
    ),
    promised("ORDER-E15", "fixtures", "Contacts are given their priority as they are handed in."),
    informative("So set the order first, and add the contacts then:"),
    informative("The second is called first, then the third."),
    promised("ORDER-E16", "fixtures", "Contacts of before, and those with which the campaign was created, have none."),
    promised(
      "ORDER-E17",
      "fixtures",
      "Whatever else the variable says is refused by name, and nothing is stored (1001/422): a contact of a body as `contacts[1].vip`, one of a file by its line.",
    ),
    promised("ORDER-E18", "fixtures", "The variable stays one, and agents see it."),
    promised(
      "ORDER-E19",
      "fixtures",
      "`GET /v2/campaigns/{campaign_id}/contacts` shows the `priority` of those that were given one.",
    ),
    promised(
      "ORDER-E20",
      "fixtures",
      "It lists the contacts of each batch in the order in which they are called for the first time.",
    ),
  ]),
  page("Who is called first", [
    promised(
      "ORDER-E21",
      "telephony",
      "Priority goes before batches: somebody who is handed in later with a higher one is called before all others that were never called.",
    ),
    promised(
      "ORDER-E22",
      "telephony",
      "Of one priority, contacts of one batch are called as they were handed in, whatever `contacts` says.",
    ),
    promised("ORDER-E23", "telephony", "An order is for first calls alone."),
    promised(
      "ORDER-E24",
      "telephony",
      "Retries and follow-ups that are due go before them as ever, whatever their priority.",
    ),
    informative(
      "So does a contact whose turn had come and who had to wait then: for its hours, its agent, its number, the carrier, credit or caps.",
    ),
    informative("An order holds nobody back: hours, caps, lines and [fair share](campaigns.md) are as without one."),
    informative(
      "Two campaigns share the lines as ever, whatever priorities they have, and `explain` counts what it always does.",
    ),
    promised(
      "ORDER-E25",
      "telephony",
      "Without `priority_column`, and once the order is removed, batches are called one after the other again.",
    ),
    promised("ORDER-E26", "telephony", "In its batch a contact keeps its place."),
  ]),
  page("Scopes", [
    promised("ORDER-E27", "fixtures", "Reading needs `calls:read`,"),
    promised("ORDER-E28", "fixtures", "setting and removing need `batches:write`."),
  ]),
  page("How soon", [
    informative("Calls that are being dialled as somebody is handed in are dialled."),
    informative("The order and the priorities [move](moving-an-organization.md) with their campaign."),
    informative(
      "Bring every process to this release first: one of an earlier release gives no priorities, and calls batch after batch.",
    ),
    informative("Why it is so: [decision 98](../internals/decisions/0098-the-order-of-a-campaign.md)."),
  ]),
]
