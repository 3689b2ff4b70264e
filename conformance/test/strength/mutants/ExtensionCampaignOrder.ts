/** Mistakes in the order of a campaign. */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import { asks, body, cut, elsewhere, forgives, over, row, rows, set, wire, writes } from "../Defects.ts"
import { type Asked, type Defect, objectOf } from "../Mutant.ts"
import { c, m } from "../Table.ts"

const read = "GET /v2/campaigns/*/order"
const put = "PUT /v2/campaigns/*/order"
const remove = "DELETE /v2/campaigns/*/order"
const both = [read, put]
const log = "GET /v2/campaigns/*/log"
const append = "POST /v2/campaigns/*/contacts"
const list = "GET /v2/campaigns/*/contacts"
const hourMs = 3_600_000

const shown = ({ json }: Asked): JsonObject => objectOf(json)

type CampaignRow = Extract<Parameters<Parameters<typeof writes>[0]>[0], { readonly put: "campaign" }>["row"]
type ContactRow = Extract<Parameters<Parameters<typeof writes>[0]>[0], { readonly put: "contact" }>["row"]

/** Writes campaigns otherwise. */
const campaigns = (change: (campaign: CampaignRow) => CampaignRow): Defect =>
  writes((each) => (each.put === "campaign" ? { ...each, row: change(each.row) } : each))

/** Writes contacts that are to be called again otherwise. */
const retries = (change: (contact: ContactRow) => ContactRow): Defect =>
  writes((each) =>
    each.put === "contact" && each.row.status === "retry_scheduled" ? { ...each, row: change(each.row) } : each,
  )

/** Contacts are handed in otherwise. */
const handedIn = (change: (contacts: ReadonlyArray<unknown>) => ReadonlyArray<unknown>): Defect =>
  asks(append, (json) => {
    const { contacts } = json
    return Array.isArray(contacts) ? { ...json, contacts: [...change(contacts)] } : json
  })

/** What each contact says of its priority is read otherwise. */
const readAs = (change: (contact: JsonObject) => JsonObject): Defect =>
  handedIn((contacts) => contacts.map((contact) => (isObject(contact) ? change(objectOf(contact)) : contact)))

const lowestFirst = readAs((contact) =>
  typeof contact["vip"] === "number" ? { ...contact, vip: Math.max(0, 9 - contact["vip"]) } : contact,
)

/** What a request leaves out stays as it was asked for before. */
const merged = (): Defect =>
  wire(() => {
    const known = new Map<string, JsonObject>()
    return async (asked, next) => {
      if (asked.method !== "PUT" || !asked.path.endsWith("/order")) return next(asked)
      const json = { ...known.get(asked.path), ...objectOf(asked.json) }
      known.set(asked.path, json)
      return next({ ...asked, json })
    }
  })

/** The priority that a contact's variable would say. */
const priorityOfVariable = ({ variables }: JsonObject): JsonObject => {
  const vip = isObject(variables) ? objectOf(variables)["vip"] : undefined
  return typeof vip === "number" ? { priority: vip } : {}
}

/** An order is not taken away. */
const kept = wire(
  () => (asked, next) =>
    next(asked.method === "DELETE" && asked.path.endsWith("/order") ? elsewhere(asked, "GET", asked.path) : asked),
)

/** Servers that each break one promise of the order of a campaign. */
export const campaignOrderMutants = [
  m(
    "ORDER-E1",
    "An order changes nothing.",
    campaigns(({ call_order: _order, ...campaign }) => campaign),
  ),
  m(
    "ORDER-E2",
    "Every campaign calls the last ones first.",
    campaigns((campaign) => ({
      ...campaign,
      call_order: campaign.call_order ?? { priority_column: null, contacts: "last_come", updated_at: 0 },
    })),
  ),
  m(
    "ORDER-E4",
    "What is set is shown otherwise.",
    body(
      both,
      over("contacts", (contacts) => (contacts === "last_come" ? "first_come" : "last_come")),
    ),
  ),
  m(
    "ORDER-E5",
    "Another column says the priority.",
    asks(
      put,
      over("priority_column", (column) => `${String(column)}_`),
    ),
  ),
  m("ORDER-E6", "The first ones always come first.", asks(put, set("contacts", "first_come"))),
  c(
    "ORDER-E6",
    "Where nothing is said the last ones come first.",
    asks(put, (json) => ({ contacts: "last_come", ...json })),
  ),
  m("ORDER-E7", "An order that says nothing is taken.", forgives(put, 1000, 200, shown)),
  m("ORDER-E8", "What is left out stays as it was.", merged()),
  m("ORDER-E9", "A cancelled campaign takes an order.", forgives(put, 1201, 200, shown)),
  m(
    "ORDER-E10",
    "Where there is none, nothing is said of it.",
    forgives(read, 1200, 200, () => ({})),
  ),
  m("ORDER-E11", "An order is not removed.", kept),
  m(
    "ORDER-E12",
    "That an order is set is not told.",
    rows(log, (all) => all.filter(({ event }) => event !== "edited")),
  ),
  m("ORDER-E13", "The lowest comes first.", lowestFirst),
  m(
    "ORDER-E14",
    "Who says none comes last.",
    readAs((contact) => ({ vip: 0, ...contact })),
  ),
  c(
    "ORDER-E14",
    "Who says nothing comes first.",
    readAs((contact) => (contact["vip"] === null ? { ...contact, vip: 9 } : contact)),
  ),
  m(
    "ORDER-E15",
    "A priority that is a text is none.",
    readAs(({ vip, ...contact }) => (typeof vip === "string" || vip === undefined ? contact : { ...contact, vip })),
  ),
  m(
    "ORDER-E16",
    "Contacts of before are given theirs, too.",
    rows(list, (all) => all.map((each) => ({ ...each, ...priorityOfVariable(each) }))),
  ),
  m(
    "ORDER-E17",
    "What is none is taken.",
    forgives(append, 1001, 201, () => ({})),
  ),
  m("ORDER-E18", "The variable is taken away.", row(list, cut("variables.vip"))),
  m("ORDER-E19", "Priorities are not shown.", row(list, cut("priority"))),
  m(
    "ORDER-E20",
    "Contacts are listed the other way round.",
    rows(list, (all) => all.toReversed()),
  ),
  m(
    "ORDER-E21",
    "A priority counts in its batch alone.",
    campaigns((campaign) =>
      campaign.status === "active" && campaign.call_order !== undefined
        ? { ...campaign, call_order: { ...campaign.call_order, priority_column: null } }
        : campaign,
    ),
  ),
  m(
    "ORDER-E22",
    "Of one batch the last comes first.",
    handedIn((contacts) => contacts.toReversed()),
  ),
  m(
    "ORDER-E23",
    "Nobody is called a second time.",
    retries((contact) => ({ ...contact, status: "failed", eligible_at: null })),
  ),
  m(
    "ORDER-E24",
    "Retries come after first calls.",
    retries((contact) => ({ ...contact, eligible_at: (contact.eligible_at ?? 0) + hourMs })),
  ),
  m("ORDER-E25", "An order is for ever.", kept),
  m("ORDER-E26", "In its batch the lowest comes first.", lowestFirst),
  m(
    "ORDER-E27",
    "Reading needs no scope.",
    forgives(read, 1102, 200, () => ({})),
  ),
  m("ORDER-E28", "Setting needs no scope.", forgives(put, 1102, 200, shown)),
  c(
    "ORDER-E28",
    "Removing needs no scope.",
    forgives(remove, 1102, 200, () => ({ deleted: true })),
  ),
]
