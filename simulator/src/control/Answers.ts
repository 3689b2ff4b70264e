import { Schema } from "effect"
import { Flag, listOf, Moment, objectOf, optional, orNull, PhoneNumber, Quantity, Text } from "./Fields.ts"
import { Fault, Wallet } from "./Bodies.ts"

/** The answers of the control surface, for its document. A client takes fields that are not in them as well. */

const byName = <S extends Schema.Top>(value: S) => Schema.Record(Text, value)

const Time = { now: Moment, mode: Schema.Literals(["realtime", "scaled", "manual"]), speed: Quantity }

const WaitingRequest = objectOf({ request_id: Text, method: Text, path: Text, since: Moment }).annotate({
  identifier: "WaitingRequest",
  description: "An open request to `/v2` that is answered only when virtual time passes.",
})

export const About = objectOf({
  name: Text,
  version: Text,
  contract: Schema.Literal(1),
  seed: Text,
  clock: objectOf(Time),
  storage: Text,
  counters: Text,
  limits: Text,
  demo: objectOf({ organization_id: Text, agent_id: Text, key: Text }),
})

export const Capabilities = objectOf({
  contract: Schema.Literal(1),
  organizations: optional(Flag),
  inbox: optional(Flag),
  dns: optional(Flag),
  platform: optional(Flag),
  clock: optional(Flag),
  telephony: optional(Flag),
  magic: optional(Flag),
  inbound: optional(Flag),
  snapshot: optional(Flag),
  faults: optional(byName(listOf(Text))),
})

export const ClockState = objectOf({
  ...Time,
  next_due: orNull(Moment),
  waiting: listOf(WaitingRequest),
})

export const Advanced = objectOf({
  now: Moment,
  events: Quantity,
  waiting: listOf(WaitingRequest),
  reached: Flag,
})

export const MadeOrganization = objectOf({
  organization_id: Text,
  phone_numbers: listOf(PhoneNumber),
  keys: listOf(objectOf({ key: Text, key_id: Text, scopes: orNull(listOf(Text)) })),
})

export const PatchedOrganization = objectOf({
  organization_id: Text,
  name: Text,
  plan: Text,
  wallet: Wallet,
  concurrency: objectOf({ organization: orNull(Quantity), per_agent: orNull(Quantity), enforced: Flag }),
  webhook_secret: orNull(Text),
  retention_days: optional(orNull(Quantity)),
  phone_numbers: listOf(PhoneNumber),
})

export const ArrivedCall = objectOf({ execution_id: Text })

export const KeptWorld = objectOf({ snapshot_id: Text })

export const FaultsInForce = byName(Fault)

const Leg = objectOf({
  leg_id: Text,
  execution_id: Text,
  to_number: Text,
  from_number: orNull(Text),
  agent_id: Text,
  campaign_id: orNull(Text),
  placed_at: Moment,
  answered_at: orNull(Moment),
  ended_at: orNull(Moment),
  result: orNull(Text),
  live: Flag,
}).annotate({ identifier: "Leg" })

export const Legs = objectOf({ data: listOf(Leg), peak_live: Quantity })

const InboxRequest = objectOf({
  received_at: Moment,
  method: Text,
  path: Text,
  headers: byName(Text),
  body: Text.annotate({ description: "The raw text: signatures are made over it." }),
  answered: orNull(Quantity).annotate({ description: "The status that was given; null while none has been." }),
}).annotate({ identifier: "InboxRequest" })

export const Inbox = objectOf({ data: listOf(InboxRequest) })

export const Invariants = objectOf({
  checked: listOf(objectOf({ name: Text, description: Text, checks: Quantity })),
  violations: listOf(objectOf({ name: Text, at: Moment, detail: Text })),
})

export const Stats = objectOf({
  calls_by_status: byName(Quantity),
  live: Quantity,
  live_peak: Quantity,
  slots: objectOf({ platform: Quantity, organizations: byName(Quantity) }),
  webhooks: byName(Quantity),
  campaigns: listOf(
    objectOf({ campaign_id: Text, used: Quantity, floor: Quantity, demand: Quantity, share: Quantity }),
  ),
  events_per_second: Quantity,
})

export const Refused = objectOf({ error: Schema.Int, message: Text }).annotate({ identifier: "Refused" })
