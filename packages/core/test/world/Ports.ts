import {
  AccountStore,
  AgentStore,
  AuditStore,
  BatchStore,
  CallStore,
  CampaignStore,
  ContactStore,
  DependencyUnavailable,
  DeliveryStore,
  ExperimentStore,
  IdempotencyStore,
  KeyStore,
  LaneStore,
  NumberStore,
  ProviderStore,
  KnowledgeStore,
  RateStore,
  RetrievalIndex,
  SlotStore,
  Store,
  SubscriptionStore,
  TallyStore,
  Telephony,
  Transliterator,
  UsageStore,
  UploadPlaces,
  Wakeups,
  WebhookTransport,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, type MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer } from "effect"

/** Everything outside the engine, as plain services that a test may wrap. */
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
  readonly tallies: TallyStore["Service"]
  readonly lanes: LaneStore["Service"]
  readonly experiments: ExperimentStore["Service"]
  readonly idempotency: IdempotencyStore["Service"]
  readonly numbers: NumberStore["Service"]
  readonly providers: ProviderStore["Service"]
  readonly usage: UsageStore["Service"]
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
}

/** What stands between the engine and one operation of a port, named `store.commit`, `slots.acquire`, … */
export type Interposition = (
  operation: string,
  effect: Effect.Effect<unknown, unknown>,
) => Effect.Effect<unknown, unknown>

export const memoryPorts = (
  tables: MemoryTables,
  slots: MemorySlots.SlotTable,
  telephony: Telephony["Service"],
): Ports => {
  const layers = Layer.mergeAll(MemoryStore.layer(tables), MemorySlots.layer(slots), MemoryRates.layer())
  const context = Effect.runSync(Effect.scoped(Layer.build(layers)))
  return {
    store: Context.get(context, Store),
    calls: Context.get(context, CallStore),
    agents: Context.get(context, AgentStore),
    keys: Context.get(context, KeyStore),
    accounts: Context.get(context, AccountStore),
    audit: Context.get(context, AuditStore),
    campaigns: Context.get(context, CampaignStore),
    batches: Context.get(context, BatchStore),
    contacts: Context.get(context, ContactStore),
    tallies: Context.get(context, TallyStore),
    lanes: Context.get(context, LaneStore),
    experiments: Context.get(context, ExperimentStore),
    idempotency: Context.get(context, IdempotencyStore),
    numbers: Context.get(context, NumberStore),
    providers: Context.get(context, ProviderStore),
    usage: Context.get(context, UsageStore),
    knowledge: Context.get(context, KnowledgeStore),
    retrieval: Context.get(context, RetrievalIndex),
    uploadPlaces: Context.get(context, UploadPlaces),
    wakeups: Context.get(context, Wakeups),
    slots: Context.get(context, SlotStore),
    rates: Context.get(context, RateStore),
    subscriptions: Context.get(context, SubscriptionStore),
    deliveries: Context.get(context, DeliveryStore),
    telephony,
    // Endpoints that acknowledge everything.
    webhooks: { send: () => Effect.succeed({ _tag: "Answered", http_status: 200 }) },
  }
}

/** The answer of a dependency that cannot be reached. */
export const away = Effect.fail(new DependencyUnavailable({ dependency: "call_storage" }))

const isOperation = (member: unknown): member is Effect.Effect<unknown, unknown> => Effect.isEffect(member)

/** The service with something between it and whoever uses it. */
const behind = <Service extends object>(name: string, service: Service, interpose: Interposition): Service =>
  new Proxy(service, {
    get: (target, operation) => {
      const member: unknown = Reflect.get(target, operation)
      const named = `${name}.${String(operation)}`
      if (isOperation(member)) return interpose(named, member)
      if (typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>) => interpose(named, Reflect.apply(member, target, args))
    },
  })

export const interposed = (ports: Ports, interpose: Interposition): Ports => ({
  store: behind("store", ports.store, interpose),
  calls: behind("calls", ports.calls, interpose),
  agents: behind("agents", ports.agents, interpose),
  keys: behind("keys", ports.keys, interpose),
  accounts: behind("accounts", ports.accounts, interpose),
  audit: behind("audit", ports.audit, interpose),
  campaigns: behind("campaigns", ports.campaigns, interpose),
  batches: behind("batches", ports.batches, interpose),
  contacts: behind("contacts", ports.contacts, interpose),
  tallies: behind("tallies", ports.tallies, interpose),
  lanes: behind("lanes", ports.lanes, interpose),
  experiments: behind("experiments", ports.experiments, interpose),
  idempotency: behind("idempotency", ports.idempotency, interpose),
  numbers: behind("numbers", ports.numbers, interpose),
  providers: behind("providers", ports.providers, interpose),
  usage: behind("usage", ports.usage, interpose),
  knowledge: behind("knowledge", ports.knowledge, interpose),
  retrieval: behind("retrieval", ports.retrieval, interpose),
  uploadPlaces: behind("uploadPlaces", ports.uploadPlaces, interpose),
  wakeups: behind("wakeups", ports.wakeups, interpose),
  slots: behind("slots", ports.slots, interpose),
  rates: behind("rates", ports.rates, interpose),
  subscriptions: behind("subscriptions", ports.subscriptions, interpose),
  deliveries: behind("deliveries", ports.deliveries, interpose),
  telephony: behind("telephony", ports.telephony, interpose),
  webhooks: behind("webhooks", ports.webhooks, interpose),
})

/** Writes a text in another script by marking it. */
const echoing = Layer.succeed(Transliterator, {
  transliterate: ({ texts, target_language_code }) =>
    Effect.succeed(texts.map((text) => `${text}@${target_language_code}`)),
})

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
    Layer.succeed(TallyStore, ports.tallies),
    Layer.succeed(LaneStore, ports.lanes),
    echoing,
    Layer.succeed(ExperimentStore, ports.experiments),
    Layer.succeed(IdempotencyStore, ports.idempotency),
    Layer.succeed(NumberStore, ports.numbers),
    Layer.succeed(ProviderStore, ports.providers),
    Layer.succeed(UsageStore, ports.usage),
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
  )
