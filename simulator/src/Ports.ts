import {
  AccountStore,
  AgentStore,
  AuditStore,
  CallStore,
  Funds,
  KeyStore,
  KnowledgeStore,
  RateStore,
  RetrievalIndex,
  SlotStore,
  Store,
  Telephony,
  UploadPlaces,
  Wakeups,
} from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, type MemoryTables } from "@carillon/core/memory"
import { Context, Effect, Layer } from "effect"

/** Everything that an engine asks of the world around it, as plain objects that faults and observers can wrap. */
export interface Ports {
  readonly store: Store["Service"]
  readonly calls: CallStore["Service"]
  readonly agents: AgentStore["Service"]
  readonly keys: KeyStore["Service"]
  readonly accounts: AccountStore["Service"]
  readonly audit: AuditStore["Service"]
  readonly knowledge: KnowledgeStore["Service"]
  readonly retrieval: RetrievalIndex["Service"]
  readonly uploadPlaces: UploadPlaces["Service"]
  readonly wakeups: Wakeups["Service"]
  readonly slots: SlotStore["Service"]
  readonly rates: RateStore["Service"]
  readonly telephony: Telephony["Service"]
  readonly funds: Funds["Service"]
}

/** The part of the world that lies in memory. */
export type StoragePorts = Omit<Ports, "telephony" | "funds">

/** The storage ports over tables that outlive the engine. */
export const storagePorts = (
  tables: MemoryTables,
  slots: MemorySlots.SlotTable,
  rates: MemoryRates.RateTable,
): StoragePorts => {
  const layers = Layer.mergeAll(MemoryStore.layer(tables), MemorySlots.layer(slots), MemoryRates.layer(rates))
  const context = Effect.runSync(Effect.scoped(Layer.build(layers)))
  return {
    store: Context.get(context, Store),
    calls: Context.get(context, CallStore),
    agents: Context.get(context, AgentStore),
    keys: Context.get(context, KeyStore),
    accounts: Context.get(context, AccountStore),
    audit: Context.get(context, AuditStore),
    knowledge: Context.get(context, KnowledgeStore),
    retrieval: Context.get(context, RetrievalIndex),
    uploadPlaces: Context.get(context, UploadPlaces),
    wakeups: Context.get(context, Wakeups),
    slots: Context.get(context, SlotStore),
    rates: Context.get(context, RateStore),
  }
}

/** The ports as the engine takes them. */
export const portsLayer = (ports: Ports) =>
  Layer.mergeAll(
    Layer.succeed(Store, ports.store),
    Layer.succeed(CallStore, ports.calls),
    Layer.succeed(AgentStore, ports.agents),
    Layer.succeed(KeyStore, ports.keys),
    Layer.succeed(AccountStore, ports.accounts),
    Layer.succeed(AuditStore, ports.audit),
    Layer.succeed(KnowledgeStore, ports.knowledge),
    Layer.succeed(RetrievalIndex, ports.retrieval),
    Layer.succeed(UploadPlaces, ports.uploadPlaces),
    Layer.succeed(Wakeups, ports.wakeups),
    Layer.succeed(SlotStore, ports.slots),
    Layer.succeed(RateStore, ports.rates),
    Layer.succeed(Telephony, ports.telephony),
    Layer.succeed(Funds, ports.funds),
  )
