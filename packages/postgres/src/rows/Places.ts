import type { RowKind, Rows } from "@carillon/core"
import type { Table } from "./Table.ts"
import {
  agents,
  apiKeys,
  batches,
  callMedia,
  calls,
  campaigns,
  deliveries,
  events,
  experiments,
  inboundAgents,
  knowledgeBases,
  knowledgeUploads,
  organizations,
  phoneNumbers,
  platforms,
  providers,
  subscriptions,
} from "./Tables.ts"

/** Where the rows of a kind lie, and how they are told apart. Contacts have no column of their own for it before they are touched. */
export const places: {
  readonly [K in Exclude<RowKind, "contact">]: Pick<Table<Rows[K]>, "name" | "id" | "idOf">
} = {
  platform: platforms,
  organization: organizations,
  api_key: apiKeys,
  provider: providers,
  phone_number: phoneNumbers,
  inbound_agent: inboundAgents,
  experiment: experiments,
  agent: agents,
  subscription: subscriptions,
  campaign: campaigns,
  batch: batches,
  call: calls,
  call_media: callMedia,
  knowledge_base: knowledgeBases,
  knowledge_upload: knowledgeUploads,
  event: events,
  delivery: deliveries,
}

/** Kinds in the order in which their rows are locked. */
export const lockOrder: ReadonlyArray<RowKind> = [
  "platform",
  "organization",
  "api_key",
  "provider",
  "phone_number",
  "inbound_agent",
  "experiment",
  "agent",
  "subscription",
  "campaign",
  "batch",
  "contact",
  "call",
  "call_media",
  "knowledge_base",
  "knowledge_upload",
  "event",
  "delivery",
]

type Put = { readonly [K in RowKind]: { readonly put: K; readonly row: Rows[K] } }[RowKind]

const placedId = <K extends Exclude<RowKind, "contact">>({ put, row }: { readonly put: K; readonly row: Rows[K] }) =>
  places[put].idOf(row)

/** The id of a row that is put. */
export const rowIdOf = (change: Put): string => (change.put === "contact" ? change.row.contact_id : placedId(change))
