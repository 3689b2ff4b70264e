import { agentRow } from "./agents/rules/AgentRow.ts"
import { batchRow } from "./batches/rules/BatchRow.ts"
import { calleeRow } from "./callees/rules/CalleeRow.ts"
import { hoursRow } from "./callees/rules/HoursRow.ts"
import { callMediaRow, callRow } from "./calls/rules/CallRow.ts"
import { campaignEntryRow } from "./campaigns/rules/CampaignEntry.ts"
import { campaignRow } from "./campaigns/rules/CampaignRow.ts"
import { contactRow } from "./contacts/rules/ContactRow.ts"
import type { Revised, RowDescription } from "./engine/rules/RowDescription.ts"
import { experimentRow } from "./experiments/rules/ExperimentRow.ts"
import { inboundAgentRow } from "./inbound/rules/InboundAgentRow.ts"
import { apiKeyRow } from "./keys/rules/ApiKeyRow.ts"
import { knowledgeBaseRow, knowledgeUploadRow } from "./knowledge/rules/KnowledgeRows.ts"
import { phoneNumberRow } from "./numbers/rules/PhoneNumberRow.ts"
import { organizationRow, platformRow } from "./organizations/rules/OrganizationRows.ts"
import { providerRow } from "./providers/rules/ProviderRow.ts"
import { purgeRow } from "./retention/rules/PurgeRow.ts"
import { deliveryRow, eventRow, subscriptionRow } from "./webhooks/rules/WebhookRows.ts"

/** Every kind of row there is, in the order in which stores lock them. */
const collected = {
  platform: platformRow,
  organization: organizationRow,
  purge: purgeRow,
  api_key: apiKeyRow,
  provider: providerRow,
  phone_number: phoneNumberRow,
  inbound_agent: inboundAgentRow,
  experiment: experimentRow,
  agent: agentRow,
  subscription: subscriptionRow,
  campaign: campaignRow,
  campaign_entry: campaignEntryRow,
  batch: batchRow,
  contact: contactRow,
  callee: calleeRow,
  callee_hours: hoursRow,
  call: callRow,
  call_media: callMediaRow,
  knowledge_base: knowledgeBaseRow,
  knowledge_upload: knowledgeUploadRow,
  event: eventRow,
  delivery: deliveryRow,
}

export type RowKind = keyof typeof collected

type Described<Description> = Description extends RowDescription<infer Row extends Revised> ? Row : never

/** The rows of each kind. A row carries its own `revision`, which each put raises by one, starting at 1 where its kind does not say otherwise (`first`). */
export type Rows = { readonly [K in RowKind]: Described<(typeof collected)[K]> }

/** What is known of each kind of row. */
export const descriptions: { readonly [K in RowKind]: RowDescription<Rows[K]> } = collected

const isKind = (name: string): name is RowKind => name in collected

/** The kinds in the order in which stores lock their rows. */
export const rowKinds: ReadonlyArray<RowKind> = Object.keys(collected).filter(isKind)

/** A row as it shall be. It replaces the one at the revision before its own; `from: 0` is a new row that does not begin at 1 (`first`). */
export type Put<K extends RowKind = RowKind> = {
  readonly [P in K]: { readonly put: P; readonly row: Rows[P]; readonly from?: 0 }
}[K]

/** The revision at which the row must stand that a put replaces; 0 where there must be none. */
export const replacedRevision = ({ from, row }: { readonly row: Revised; readonly from?: 0 }): number =>
  from ?? row.revision - 1

/** Rows that customers delete for good, and calls and callees that were kept for their time; all others end in a status, or are discarded. */
export type RemovableKind =
  | "call"
  | "callee"
  | "phone_number"
  | "experiment"
  | "provider"
  | "inbound_agent"
  | "knowledge_base"
  | "knowledge_upload"

/** Rows of which nothing is left once they are over. A contact goes with what was handed in of it, and the oldest entry of a log as the newest comes. */
export type DiscardableKind = "subscription" | "event" | "delivery" | "call_media" | "contact" | "campaign_entry"

/** The id of a row that is put. */
export const putId = <K extends RowKind>({ put, row }: { readonly put: K; readonly row: Rows[K] }): string =>
  descriptions[put].id(row)
