import type { Change, RowKind, Rows } from "@carillon/core"

type Grouped = { readonly [K in RowKind]: Array<Rows[K]> }

type Relative = "removal" | "debit" | "endpoint_attempt" | "discard" | "tally" | "guard" | "erased_call" | "usage"

type Others = { readonly [K in Relative]: Array<Extract<Change, { readonly put: K }>> }

/** The changes of a commit by what they concern. */
export type ChangesByKind = Grouped & Others

/** Sorts changes by kind, so that each kind is one statement and tables are locked in one order. */
export const byKind = (changes: ReadonlyArray<Change>): ChangesByKind => {
  const found: ChangesByKind = {
    platform: [],
    organization: [],
    phone_number: [],
    api_key: [],
    agent: [],
    call: [],
    call_media: [],
    subscription: [],
    event: [],
    delivery: [],
    campaign: [],
    batch: [],
    contact: [],
    experiment: [],
    provider: [],
    inbound_agent: [],
    knowledge_base: [],
    knowledge_upload: [],
    removal: [],
    debit: [],
    endpoint_attempt: [],
    discard: [],
    tally: [],
    guard: [],
    erased_call: [],
    usage: [],
  }
  for (const change of changes) {
    switch (change.put) {
      case "platform":
        found.platform.push(change.row)
        break
      case "organization":
        found.organization.push(change.row)
        break
      case "phone_number":
        found.phone_number.push(change.row)
        break
      case "api_key":
        found.api_key.push(change.row)
        break
      case "agent":
        found.agent.push(change.row)
        break
      case "call":
        found.call.push(change.row)
        break
      case "call_media":
        found.call_media.push(change.row)
        break
      case "subscription":
        found.subscription.push(change.row)
        break
      case "event":
        found.event.push(change.row)
        break
      case "delivery":
        found.delivery.push(change.row)
        break
      case "campaign":
        found.campaign.push(change.row)
        break
      case "batch":
        found.batch.push(change.row)
        break
      case "contact":
        found.contact.push(change.row)
        break
      case "experiment":
        found.experiment.push(change.row)
        break
      case "provider":
        found.provider.push(change.row)
        break
      case "inbound_agent":
        found.inbound_agent.push(change.row)
        break
      case "knowledge_base":
        found.knowledge_base.push(change.row)
        break
      case "knowledge_upload":
        found.knowledge_upload.push(change.row)
        break
      case "removal":
        found.removal.push(change)
        break
      case "debit":
        found.debit.push(change)
        break
      case "endpoint_attempt":
        found.endpoint_attempt.push(change)
        break
      case "discard":
        found.discard.push(change)
        break
      case "tally":
        found.tally.push(change)
        break
      case "guard":
        found.guard.push(change)
        break
      case "erased_call":
        found.erased_call.push(change)
        break
      case "usage":
        found.usage.push(change)
    }
  }
  return found
}
