import type { Telephony } from "@carillon/core"
import type {
  AccountStore,
  AgentStore,
  AuditStore,
  BatchStore,
  CallStore,
  CampaignStore,
  CalleeStore,
  ContactStore,
  DeliveryStore,
  ExperimentStore,
  IdempotencyStore,
  KeyStore,
  KnowledgeStore,
  LaneStore,
  NumberStore,
  ProviderStore,
  RateStore,
  RetrievalIndex,
  SlotStore,
  Store,
  SubscriptionStore,
  TallyStore,
  UploadPlaces,
  UsageStore,
  Wakeups,
  WebhookTransport,
} from "@carillon/core/ports"
import type { Layer } from "effect"

/** The ports in the order in which a forgotten one is named: what a host most likely has still to bring comes first. */
type PortList = [
  Telephony,
  WebhookTransport,
  Store,
  SlotStore,
  RateStore,
  CallStore,
  CampaignStore,
  BatchStore,
  ContactStore,
  CalleeStore,
  TallyStore,
  LaneStore,
  AgentStore,
  ExperimentStore,
  KeyStore,
  AccountStore,
  NumberStore,
  ProviderStore,
  UsageStore,
  IdempotencyStore,
  AuditStore,
  KnowledgeStore,
  RetrievalIndex,
  UploadPlaces,
  Wakeups,
  SubscriptionStore,
  DeliveryStore,
]

/** What a host brings: its storage, its counters, its carrier, and the way out for webhooks. */
export type Ports = PortList[number]

/** The last word of a service's key: `Telephony` of `@carillon/core/telephony/Telephony`. */
type LastWord<Key> = Key extends `${string}/${infer Rest}` ? LastWord<Rest> : Key

type NameOf<Service> = Service extends { readonly key: infer Key } ? LastWord<Key> & string : never

/** A property that no layer has, under the name of a service: what the compiler says of it begins with that name. */
export type Forgotten<Service> = { readonly [Name in NameOf<Service>]: "not among the ports" }

/** The first of the list that is not provided. */
type FirstForgotten<List, Provided> = List extends [infer Port, ...infer Rest]
  ? [Exclude<Port, Provided>] extends [never]
    ? FirstForgotten<Rest, Provided>
    : Port
  : never

/** A layer as it is, where it has every port and needs nothing more; else what it lacks, by name. */
export type WholePorts<L> =
  L extends Layer.Layer<infer Provided, infer _E, infer Needed>
    ? [Needed] extends [never]
      ? [Exclude<Ports, Provided>] extends [never]
        ? L
        : Forgotten<FirstForgotten<PortList, Provided>>
      : Forgotten<Needed>
    : never
