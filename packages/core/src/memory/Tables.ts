import type { HoursSetting } from "../callees/rules/HoursRow.ts"
import type { Campaign } from "../campaigns/rules/Campaign.ts"
import type { Purge } from "../retention/rules/PurgeRow.ts"
import { descriptions } from "../Rows.ts"
import { AgentTable } from "./AgentTable.ts"
import { AuditTable } from "./AuditTable.ts"
import { BatchTable } from "./BatchTable.ts"
import { CalleeTable } from "./CalleeTable.ts"
import { CallTable } from "./CallTable.ts"
import { CampaignLogTable } from "./CampaignLogTable.ts"
import { ContactTable } from "./ContactTable.ts"
import { IdempotencyTable } from "./IdempotencyTable.ts"
import { KeyTable } from "./KeyTable.ts"
import { KnowledgeTable } from "./KnowledgeTable.ts"
import { LaneTable } from "./LaneTable.ts"
import { ListedRows } from "./ListedRows.ts"
import { RetrievalTable } from "./MemoryRetrieval.ts"
import { UploadPlaceTable } from "./MemoryUploadPlaces.ts"
import { WakeupTable } from "./MemoryWakeups.ts"
import { OrganizationTable } from "./OrganizationTable.ts"
import { RowTable } from "./RowTable.ts"
import { SubscriptionTable } from "./SubscriptionTable.ts"
import { TallyTable } from "./TallyTable.ts"
import { UsageTable } from "./UsageTable.ts"
import { WebhookTable } from "./WebhookTable.ts"

/** The tables of a world. */
export class Tables {
  readonly calls = new CallTable()
  readonly agents = new AgentTable()
  readonly subscriptions = new SubscriptionTable()
  readonly webhooks = new WebhookTable()
  readonly experiments = new RowTable(descriptions.experiment)
  readonly phoneNumbers = new RowTable(descriptions.phone_number)
  readonly providers = new RowTable(descriptions.provider)
  readonly inboundAgents = new RowTable(descriptions.inbound_agent)
  readonly usage = new UsageTable()
  readonly idempotency = new IdempotencyTable()
  readonly knowledge = new KnowledgeTable()
  readonly retrieval = new RetrievalTable()
  readonly uploadPlaces = new UploadPlaceTable()
  readonly wakeups = new WakeupTable()
  readonly campaigns = new ListedRows<"status", Campaign>(["status"])
  readonly campaignLogs = new CampaignLogTable()
  readonly batches = new BatchTable()
  readonly contacts = new ContactTable()
  readonly callees = new CalleeTable()
  readonly calleeHours = new Map<string, HoursSetting>()
  readonly tallies = new TallyTable()
  readonly lanes = new LaneTable()
  readonly audit = new AuditTable()
  readonly keys = new KeyTable()
  readonly organizations = new OrganizationTable()
  readonly purges = new Map<string, Purge>()
}
