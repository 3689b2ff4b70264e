import {
  AccountStore,
  AgentStore,
  AuditStore,
  CallStore,
  ExperimentStore,
  Funds,
  IdempotencyStore,
  KeyStore,
  NumberStore,
  ProviderStore,
  RateStore,
  SlotStore,
  Store,
  Telephony,
  UsageStore,
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
  readonly experiments: ExperimentStore["Service"]
  readonly numbers: NumberStore["Service"]
  readonly providers: ProviderStore["Service"]
  readonly usage: UsageStore["Service"]
  readonly idempotency: IdempotencyStore["Service"]
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
    experiments: Context.get(context, ExperimentStore),
    numbers: Context.get(context, NumberStore),
    providers: Context.get(context, ProviderStore),
    usage: Context.get(context, UsageStore),
    idempotency: Context.get(context, IdempotencyStore),
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
    Layer.succeed(ExperimentStore, ports.experiments),
    Layer.succeed(NumberStore, ports.numbers),
    Layer.succeed(ProviderStore, ports.providers),
    Layer.succeed(UsageStore, ports.usage),
    Layer.succeed(IdempotencyStore, ports.idempotency),
    Layer.succeed(Wakeups, ports.wakeups),
    Layer.succeed(SlotStore, ports.slots),
    Layer.succeed(RateStore, ports.rates),
    Layer.succeed(Telephony, ports.telephony),
    Layer.succeed(Funds, ports.funds),
  )
