import { placeOf } from "../contacts/rules/Contact.ts"
import type { Platform } from "../organizations/rules/Organization.ts"
import type { DiscardableKind, RemovableKind, RowKind, Rows } from "../Rows.ts"
import type { Tables } from "./Tables.ts"

/** Where the rows of a kind are. */
export interface RowPlace<Row> {
  readonly get: (id: string) => Row | undefined
  /** `sequence` is the place of a new row among those that are created at the same moment. */
  readonly put: (row: Row, sequence: number) => void
  /** Whose id of an organization has the second key. */
  readonly holder?: (organizationId: string, key: string) => string | null
}

export type RowPlaces = { readonly [K in RowKind]: RowPlace<Rows[K]> }

type RowRemovals = { readonly [K in RemovableKind | DiscardableKind]: (id: string, organizationId: string) => void }

/** Where the rows of each kind are. The row of the platform is in no table. */
export const placesIn = (tables: Tables, platform: RowPlace<Platform>): RowPlaces => ({
  platform,
  organization: tables.organizations,
  purge: {
    get: (id) => tables.purges.get(id),
    put: (purge) => tables.purges.set(purge.organization_id, purge),
  },
  api_key: tables.keys,
  provider: tables.providers,
  phone_number: tables.phoneNumbers,
  inbound_agent: tables.inboundAgents,
  experiment: tables.experiments,
  agent: tables.agents,
  subscription: tables.subscriptions,
  campaign: {
    get: (id) => tables.campaigns.get(id),
    put: (campaign, sequence) => tables.campaigns.put(campaign.campaign_id, campaign, sequence),
  },
  campaign_entry: tables.campaignLogs,
  batch: tables.batches,
  contact: {
    get: (id) => {
      const place = placeOf(id)
      return place === null ? undefined : tables.contacts.get(place.batch_id, place.row)
    },
    put: (contact) => tables.contacts.put(contact),
  },
  callee: tables.callees,
  callee_hours: {
    get: (id) => tables.calleeHours.get(id),
    put: (hours) => tables.calleeHours.set(hours.organization_id, hours),
  },
  call: tables.calls,
  call_media: { get: (id) => tables.calls.media(id), put: (media) => tables.calls.putMedia(media) },
  knowledge_base: tables.knowledge.bases,
  knowledge_upload: tables.knowledge.uploads,
  event: { get: (id) => tables.webhooks.event(id), put: (event) => tables.webhooks.putEvent(event) },
  delivery: {
    get: (id) => tables.webhooks.delivery(id),
    put: (delivery, sequence) => tables.webhooks.putDelivery(delivery, sequence),
  },
})

/** How a row of each kind that may go is taken away. */
export const removalsIn = (tables: Tables): RowRemovals => ({
  call: (id) => tables.calls.erase(id),
  call_media: (id) => tables.calls.removeMedia(id),
  callee: (id) => tables.callees.remove(id),
  campaign_entry: (id) => tables.campaignLogs.remove(id),
  contact: (id) => {
    const place = placeOf(id)
    if (place !== null) tables.contacts.remove(place.batch_id, place.row)
  },
  provider: (id) => tables.providers.remove(id),
  phone_number: (id) => tables.phoneNumbers.remove(id),
  inbound_agent: (id) => tables.inboundAgents.remove(id),
  experiment: (id) => tables.experiments.remove(id),
  subscription: (id, organizationId) => tables.subscriptions.remove(id, organizationId),
  knowledge_base: (id, organizationId) => tables.knowledge.removeBase(organizationId, id),
  knowledge_upload: (id) => tables.knowledge.uploads.remove(id),
  event: (id) => tables.webhooks.removeEvent(id),
  delivery: (id) => tables.webhooks.removeDelivery(id),
})
