import { Context, Layer } from "effect"
import { AgentStore } from "./agents/ports/AgentStore.ts"
import { AuditStore } from "./audit/ports/AuditStore.ts"
import { BatchStore } from "./batches/ports/BatchStore.ts"
import { CalleeStore } from "./callees/ports/CalleeStore.ts"
import { CallStore } from "./calls/ports/CallStore.ts"
import { CampaignStore } from "./campaigns/ports/CampaignStore.ts"
import { ContactStore } from "./contacts/ports/ContactStore.ts"
import { LaneStore } from "./dispatch/ports/LaneStore.ts"
import { Store } from "./engine/ports/Store.ts"
import { Wakeups } from "./engine/ports/Wakeups.ts"
import { ExperimentStore } from "./experiments/ports/ExperimentStore.ts"
import { IdempotencyStore } from "./idempotency/ports/IdempotencyStore.ts"
import { KeyStore } from "./keys/ports/KeyStore.ts"
import { KnowledgeStore } from "./knowledge/ports/KnowledgeStore.ts"
import { RetrievalIndex } from "./knowledge/ports/RetrievalIndex.ts"
import { UploadPlaces } from "./knowledge/ports/UploadPlaces.ts"
import { RateStore } from "./limits/ports/RateStore.ts"
import { SlotStore } from "./limits/ports/SlotStore.ts"
import { NumberStore } from "./numbers/ports/NumberStore.ts"
import { AccountStore } from "./organizations/ports/AccountStore.ts"
import { Funds } from "./organizations/ports/Funds.ts"
import { ProviderStore } from "./providers/ports/ProviderStore.ts"
import { TallyStore } from "./tallies/ports/TallyStore.ts"
import { Telephony } from "./telephony/ports/Telephony.ts"
import { Transliterator } from "./transliteration/ports/Transliterator.ts"
import { UsageStore } from "./usage/ports/UsageStore.ts"
import { DeliveryStore } from "./webhooks/ports/DeliveryStore.ts"
import { SubscriptionStore } from "./webhooks/ports/SubscriptionStore.ts"
import { WebhookTransport } from "./webhooks/ports/WebhookTransport.ts"

/** Everything that an engine asks of the world around it, as plain objects that faults, observers and tests can wrap. */
export interface Ports {
  readonly store: Store["Service"]
  readonly calls: CallStore["Service"]
  readonly agents: AgentStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly accounts: AccountStore["Service"]
  readonly audit: AuditStore["Service"]
  readonly campaigns: CampaignStore["Service"]
  readonly batches: BatchStore["Service"]
  readonly contacts: ContactStore["Service"]
  readonly callees: CalleeStore["Service"]
  readonly tallies: TallyStore["Service"]
  readonly lanes: LaneStore["Service"]
  readonly transliterator: Transliterator["Service"]
  readonly experiments: ExperimentStore["Service"]
  readonly numbers: NumberStore["Service"]
  readonly providers: ProviderStore["Service"]
  readonly usage: UsageStore["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly knowledge: KnowledgeStore["Service"]
  readonly retrieval: RetrievalIndex["Service"]
  readonly uploadPlaces: UploadPlaces["Service"]
  readonly wakeups: Wakeups["Service"]
  readonly slots: SlotStore["Service"]
  readonly rates: RateStore["Service"]
  readonly subscriptions: SubscriptionStore["Service"]
  readonly deliveries: DeliveryStore["Service"]
  readonly telephony: Telephony["Service"]
  readonly webhooks: WebhookTransport["Service"]
  readonly funds: Funds["Service"]
}

/** What is kept: the rows and the counters. */
export type StoragePorts = Omit<Ports, "telephony" | "funds" | "webhooks" | "transliterator">

/** The ports of what is counted, and could be counted anew. */
export type CounterPorts = Pick<StoragePorts, "slots" | "rates">

/** The ports whose rows must not be lost. */
export type RowPorts = Omit<StoragePorts, keyof CounterPorts>

/** The services behind the ports whose rows must not be lost. */
export type RowServices =
  | Store
  | CallStore
  | AgentStore
  | KeyStore
  | AccountStore
  | AuditStore
  | CampaignStore
  | BatchStore
  | ContactStore
  | CalleeStore
  | TallyStore
  | LaneStore
  | ExperimentStore
  | NumberStore
  | ProviderStore
  | UsageStore
  | IdempotencyStore
  | KnowledgeStore
  | RetrievalIndex
  | UploadPlaces
  | Wakeups
  | SubscriptionStore
  | DeliveryStore

/** The counters as plain objects. */
export const counterPorts = (context: Context.Context<SlotStore | RateStore>): CounterPorts => ({
  slots: Context.get(context, SlotStore),
  rates: Context.get(context, RateStore),
})

/** The ports over rows as plain objects. */
export const rowPorts = (context: Context.Context<RowServices>): RowPorts => ({
  store: Context.get(context, Store),
  calls: Context.get(context, CallStore),
  agents: Context.get(context, AgentStore),
  keys: Context.get(context, KeyStore),
  accounts: Context.get(context, AccountStore),
  audit: Context.get(context, AuditStore),
  campaigns: Context.get(context, CampaignStore),
  batches: Context.get(context, BatchStore),
  contacts: Context.get(context, ContactStore),
  callees: Context.get(context, CalleeStore),
  tallies: Context.get(context, TallyStore),
  lanes: Context.get(context, LaneStore),
  experiments: Context.get(context, ExperimentStore),
  numbers: Context.get(context, NumberStore),
  providers: Context.get(context, ProviderStore),
  usage: Context.get(context, UsageStore),
  idempotency: Context.get(context, IdempotencyStore),
  knowledge: Context.get(context, KnowledgeStore),
  retrieval: Context.get(context, RetrievalIndex),
  uploadPlaces: Context.get(context, UploadPlaces),
  wakeups: Context.get(context, Wakeups),
  subscriptions: Context.get(context, SubscriptionStore),
  deliveries: Context.get(context, DeliveryStore),
})

/** The ports as the engine takes them. */
export const portsLayer = (ports: Ports) =>
  Layer.mergeAll(
    Layer.succeed(Store, ports.store),
    Layer.succeed(CallStore, ports.calls),
    Layer.succeed(AgentStore, ports.agents),
    Layer.succeed(KeyStore, ports.keys),
    Layer.succeed(AccountStore, ports.accounts),
    Layer.succeed(AuditStore, ports.audit),
    Layer.succeed(CampaignStore, ports.campaigns),
    Layer.succeed(BatchStore, ports.batches),
    Layer.succeed(ContactStore, ports.contacts),
    Layer.succeed(CalleeStore, ports.callees),
    Layer.succeed(TallyStore, ports.tallies),
    Layer.succeed(LaneStore, ports.lanes),
    Layer.succeed(Transliterator, ports.transliterator),
    Layer.succeed(ExperimentStore, ports.experiments),
    Layer.succeed(NumberStore, ports.numbers),
    Layer.succeed(ProviderStore, ports.providers),
    Layer.succeed(UsageStore, ports.usage),
    Layer.succeed(IdempotencyStore, ports.idempotency),
    Layer.succeed(KnowledgeStore, ports.knowledge),
    Layer.succeed(RetrievalIndex, ports.retrieval),
    Layer.succeed(UploadPlaces, ports.uploadPlaces),
    Layer.succeed(Wakeups, ports.wakeups),
    Layer.succeed(SlotStore, ports.slots),
    Layer.succeed(RateStore, ports.rates),
    Layer.succeed(SubscriptionStore, ports.subscriptions),
    Layer.succeed(DeliveryStore, ports.deliveries),
    Layer.succeed(Telephony, ports.telephony),
    Layer.succeed(WebhookTransport, ports.webhooks),
    Layer.succeed(Funds, ports.funds),
  )
