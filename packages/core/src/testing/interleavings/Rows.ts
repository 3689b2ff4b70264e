import type { Change, RowKind, Rows } from "../../engine/Commit.ts"

type Table<K extends RowKind> = Map<string, Rows[K]>

/** Every row as the commits so far have left it, whatever store they were written to. */
export class RowsByKind {
  readonly organizations: Table<"organization"> = new Map()
  readonly agents: Table<"agent"> = new Map()
  readonly numbers: Table<"phone_number"> = new Map()
  readonly bindings: Table<"inbound_agent"> = new Map()
  readonly keys: Table<"api_key"> = new Map()
  readonly campaigns: Table<"campaign"> = new Map()
  readonly batches: Table<"batch"> = new Map()
  readonly contacts: Table<"contact"> = new Map()
  readonly calls: Table<"call"> = new Map()
  readonly experiments: Table<"experiment"> = new Map()
  readonly providers: Table<"provider"> = new Map()
  readonly bases: Table<"knowledge_base"> = new Map()
  readonly uploads: Table<"knowledge_upload"> = new Map()
  readonly subscriptions: Table<"subscription"> = new Map()
  readonly events: Table<"event"> = new Map()
  readonly deliveries: Table<"delivery"> = new Map()
  /** Whether dialling is held. */
  isHeld = false

  apply(change: Change): void {
    switch (change.put) {
      case "platform":
        this.isHeld = change.row.hold !== undefined
        return
      case "organization":
        this.organizations.set(change.row.organization_id, change.row)
        return
      case "agent":
        this.agents.set(change.row.agent_id, change.row)
        return
      case "phone_number":
        this.numbers.set(change.row.phone_number_id, change.row)
        return
      case "inbound_agent":
        this.bindings.set(change.row.inbound_agent_id, change.row)
        return
      case "api_key":
        this.keys.set(change.row.key_id, change.row)
        return
      case "campaign":
        this.campaigns.set(change.row.campaign_id, change.row)
        return
      case "batch":
        this.batches.set(change.row.batch_id, change.row)
        return
      case "contact":
        this.contacts.set(change.row.contact_id, change.row)
        return
      case "call":
        this.calls.set(change.row.execution_id, change.row)
        return
      case "erased_call":
        this.calls.delete(change.call.execution_id)
        return
      case "experiment":
        this.experiments.set(change.row.version_id, change.row)
        return
      case "provider":
        this.providers.set(change.row.provider_id, change.row)
        return
      case "knowledge_base":
        this.bases.set(change.row.retrieval_id, change.row)
        return
      case "knowledge_upload":
        this.uploads.set(change.row.document_id, change.row)
        return
      case "subscription":
        this.subscriptions.set(change.row.subscription_id, change.row)
        return
      case "event":
        this.events.set(change.row.event_id, change.row)
        return
      case "delivery":
        this.deliveries.set(change.row.delivery_id, change.row)
        return
      case "removal":
        this.#remove(change.kind, change.id)
        return
      case "discard":
        if (change.kind === "subscription") this.subscriptions.delete(change.id)
        else if (change.kind === "event") this.events.delete(change.id)
        else this.deliveries.delete(change.id)
        return
      case "call_media":
      case "debit":
      case "guard":
      case "endpoint_attempt":
      case "tally":
      case "usage":
    }
  }

  #remove(kind: Extract<Change, { readonly put: "removal" }>["kind"], id: string): void {
    switch (kind) {
      case "phone_number":
        this.numbers.delete(id)
        return
      case "experiment":
        this.experiments.delete(id)
        return
      case "provider":
        this.providers.delete(id)
        return
      case "inbound_agent":
        this.bindings.delete(id)
        return
      case "knowledge_base":
        this.bases.delete(id)
        for (const upload of this.uploads.values()) {
          if (upload.retrieval_id === id) this.uploads.delete(upload.document_id)
        }
        return
      case "knowledge_upload":
        this.uploads.delete(id)
    }
  }
}
