import { Effect } from "effect"
import type { Agent } from "../../agents/rules/Agent.ts"
import { Agents } from "../../agents/Agents.ts"
import { Batches } from "../../batches/Batches.ts"
import { CallCapsSettings } from "../../callees/CallCapsSettings.ts"
import { HoursSettings } from "../../callees/HoursSettings.ts"
import { Suppressions } from "../../callees/Suppressions.ts"
import type { CampaignBody } from "../../campaigns/rules/CampaignSettings.ts"
import { Breakers } from "../../campaigns/Breakers.ts"
import { CallOrders } from "../../campaigns/CallOrders.ts"
import type { BreakerSetting } from "../../campaigns/rules/BreakerSetting.ts"
import { Campaigns } from "../../campaigns/Campaigns.ts"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import type { Change } from "../../engine/rules/Commit.ts"
import { put } from "../../engine/rules/Put.ts"
import type { EngineError } from "../../Errors.ts"
import { Experiments } from "../../experiments/Experiments.ts"
import { limits } from "../../Limits.ts"
import type { InboundAgent } from "../../inbound/rules/InboundAgent.ts"
import type { DialCommand } from "../../telephony/rules/Dial.ts"
import {
  sampleAgent,
  sampleDelivery,
  sampleEvent,
  sampleExperiment,
  sampleInboundAgent,
  sampleKey,
  sampleKnowledgeBase,
  sampleKnowledgeUpload,
  samplePhoneNumber,
  sampleProvider,
  sampleSubscription,
} from "../Samples.ts"
import type { Script } from "../world/Carrier.ts"
import { testSecrets } from "../world/Seals.ts"
import { agentId, caller, epoch, organizationId, World, type WorldOptions } from "../world/World.ts"

/** What two operations may both touch. */
export type Thing =
  | "agent"
  | "batch"
  | "call"
  | "callee"
  | "campaign"
  | "contact"
  | "delivery"
  | "experiment"
  | "hours"
  | "idempotency"
  | "key"
  | "knowledge"
  | "line"
  | "number"
  | "organization"
  | "provider"
  | "subscription"

/** What is in every scene beside its campaign. */
const standing = {
  challenger: "agt_challenger",
  spare: "agt_spare",
  numbers: { named: "+15555551001", bound: "+15555551002", idle: "+15555551003", free: "+15555551009" },
  destination: "https://hooks.example.com/in",
  /** Somebody whom the campaign of most scenes calls, and somebody who is busy at first. */
  persons: { first: "+15555552010", busy: "+15555552011" },
}

/** What the operations of a scene are about. */
export interface Things {
  readonly campaign: string
  /** The campaign's first batch. */
  readonly batch: string
  /** A call that waits for its time, or an id that nobody has. */
  readonly booked: string
  /** A call that was placed directly, or an id that nobody has. */
  readonly call: string
}

const nowhere: Things = { campaign: "cmp_none", batch: "bat_none", booked: "exec_none", call: "exec_none" }

/** A world at the moment at which two operations meet in it. */
export interface Stage {
  readonly world: World
  readonly things: Things
  /** A service of the engine. */
  readonly service: World["service"]
}

export interface Scene {
  readonly name: string
  /** What the scene is about: operations that touch none of it see the same in another. */
  readonly about: ReadonlyArray<Thing>
  readonly options?: Partial<WorldOptions>
  /** It begins with something wrong that the engine mends as it looks: it is judged once it has come to rest. */
  readonly isWrong?: true
  readonly set: (world: World) => Effect.Effect<Partial<Things>, EngineError>
}

/** Rows that there is one of in every scene. */
const number = (phoneNumber: string, id: string) => ({
  ...samplePhoneNumber(organizationId, phoneNumber),
  phone_number_id: id,
})
const base = sampleKnowledgeBase(organizationId, {
  retrieval_id: "kb_one",
  collection: "one",
  documents: 1,
  chunks_indexed: 3,
})
const binding: InboundAgent = sampleInboundAgent(number(standing.numbers.bound, "pn_bound"), {
  inbound_agent_id: "inb_one",
  agent_id: agentId,
})
const subscription = sampleSubscription(organizationId, agentId, {
  subscription_id: "sub_one",
  event_types: ["call_started", "call_completed", "all_processing_completed"],
})

const furniture: ReadonlyArray<Change> = [
  { put: "agent", row: sampleAgent(organizationId, { agent_id: standing.challenger, status: "ACTIVE" }) },
  { put: "agent", row: sampleAgent(organizationId, { agent_id: standing.spare, status: "INACTIVE" }) },
  { put: "phone_number", row: number(standing.numbers.named, "pn_named") },
  { put: "phone_number", row: number(standing.numbers.bound, "pn_bound") },
  { put: "phone_number", row: number(standing.numbers.idle, "pn_idle") },
  { put: "inbound_agent", row: binding },
  { put: "api_key", row: sampleKey(organizationId, { key_id: "key_other" }) },
  { put: "provider", row: sampleProvider(organizationId, { provider_id: "prv_one", provider_name: "one" }) },
  { put: "knowledge_base", row: base },
  { put: "knowledge_upload", row: sampleKnowledgeUpload(base, { document_id: "doc_one" }) },
  { put: "subscription", row: subscription },
  {
    put: "experiment",
    row: sampleExperiment(organizationId, {
      version_id: "ver_one",
      main_agent_id: agentId,
      variant_agent_id: standing.challenger,
    }),
  },
  { put: "event", row: sampleEvent(organizationId, { event_id: "evt_one", routed_at: epoch, agent_id: agentId }) },
  {
    put: "delivery",
    row: sampleDelivery(organizationId, {
      delivery_id: "dlv_one",
      event_id: "evt_one",
      subscription_id: "sub_one",
      agent_id: agentId,
      status: "failed",
      due_at: null,
    }),
  },
]

export const things = standing

/** Whoever is rung picks up and talks for a while; the last digit says what happens otherwise. */
const scriptOf = ({ retry_count, to_number }: DialCommand): Script => {
  switch (to_number.at(-1)) {
    // Busy at first, reached at the second attempt.
    case "1":
      return retry_count === 0 ? busy : talking
    // The carrier's answer is lost, and it knows of no leg when it is asked.
    case "2":
      return { acknowledgementMs: 3_600_000 }
    // The carrier's answer is lost, and it is certain that it dialled nobody and will not.
    case "4":
      return { acknowledgementMs: 3_600_000, asked: { _tag: "NeverDialled" } }
    // The carrier can take no more for now.
    case "3":
      return { outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 } }
    // The same, and it takes its time to say so.
    case "5":
      return { acknowledgementMs: 5_000, outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 } }
    default:
      return talking
  }
}

const nothing = { llm: 0, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 }

/** What is said costs something, so that wallets are charged. */
const talking: Script = {
  facts: { cost: { total: 0.75, breakdown: { ...nothing, telephony: 0.75 } } },
  reports: [
    [300, "initiated"],
    [1_000, "answered"],
    [15_000, "ended"],
    [16_000, "final"],
    [17_000, "analysis"],
  ],
}

const busy: Script = {
  end: { status: "busy", duration_seconds: null, hangup_by: null, hangup_reason: "dial_busy" },
  reports: [
    [300, "initiated"],
    [3_000, "ended"],
    [4_000, "final"],
  ],
}

const to = (...lastDigits: ReadonlyArray<number>): ReadonlyArray<ContactEntry> =>
  lastDigits.map((digits) => ({ to_number: `+1555555${String(2_000 + digits)}`, variables: { n: digits } }))

/** Short policies, so that a scene comes to rest within minutes. */
const body: CampaignBody = {
  phone_numbers: [standing.numbers.named],
  retry_policy: { max_retries: 1, cooldown_minutes: 0, base_delay_minutes: 1 },
}

const campaign = (world: World, contacts: ReadonlyArray<ContactEntry>, changes: CampaignBody = {}) =>
  world.run(
    Effect.flatMap(Campaigns, (campaigns) =>
      Effect.map(
        campaigns.create(
          caller,
          { name: "Scene", agent_id: agentId, ...body, ...changes },
          { contacts, file_name: null },
        ),
        (record) => ({ campaign: record.campaign_id, batch: record.batch_id ?? nowhere.batch }),
      ),
    ),
  )

const steer = (
  world: World,
  campaignId: string,
  verb: "cancel" | "pause" | "resume" | "revive",
): Effect.Effect<unknown, EngineError> =>
  world.run(Effect.flatMap(Campaigns, (campaigns) => campaigns[verb](caller, campaignId)))

/** Pauses a campaign after each call that fails. */
export const oneFailure: BreakerSetting = {
  window_calls: 1,
  window_minutes: null,
  minimum_calls: 1,
  failed_percent: 0,
  error_percent: null,
  short_call_percent: null,
  short_call_seconds: 1,
  voicemail_percent: null,
  resume_after_minutes: null,
}

const withBreaker = (world: World, campaignId: string, changes: Partial<BreakerSetting> = {}) =>
  world.run(Effect.flatMap(Breakers, (breakers) => breakers.set(caller, campaignId, { ...oneFailure, ...changes })))

/** Comes to a moment without anything of it happening yet. */
const until = (world: World, ms: number): Effect.Effect<void> =>
  Effect.andThen(
    world.advance(ms - 1),
    Effect.sync(() => {
      world.now += 1
    }),
  )

/** A campaign that was ended past the engine, its last call being about to end. */
const ended = Effect.fnUntraced(function* (world: World, status: "cancelled" | "completed") {
  const made = yield* campaign(world, to(10, 20, 30))
  yield* until(world, 15_000)
  const row = world.tables.campaigns.get(made.campaign)
  if (row === undefined) return yield* Effect.die(new Error("There is no campaign."))
  world.write(put("campaign", row, { ...row, status }))
  return made
})

const lines = (organization: number): Partial<WorldOptions> => ({
  organization: { concurrency: { organization, per_agent: null, enforced: true } },
})

const minuteMs = 60_000
/** When the window of an agent closes, after the epoch: no call is booked for earlier. */
const closesMs = 3 * minuteMs
/** How long before its end a window is looked at. */
const beforeMs = 100
/** The epoch is a Monday, at nine. */
const saturday = epoch + 4 * 24 * 3_600_000 + 15 * 3_600_000

/** From now on the agent may call until then. */
const closing = (world: World): void => {
  const row = world.tables.agents.get(agentId)
  if (row === undefined) throw new Error("There is no agent.")
  const calling_guard = { enabled: true, timezone: "UTC", start: "09:00", end: "09:03", days: [] }
  world.write(put("agent", row, { ...row, calling_guard }))
}

const working: ReadonlyArray<Thing> = ["campaign", "batch", "contact", "call", "line", "agent", "number", "experiment"]

const inactive = (world: World, agent: string, verb: "deploy" | "undeploy"): Effect.Effect<Agent, EngineError> =>
  world.run(Effect.flatMap(Agents, (agents) => agents[verb](caller, agent)))

export const scenes: ReadonlyArray<Scene> = [
  {
    name: "an account",
    about: [
      "agent",
      "delivery",
      "experiment",
      "idempotency",
      "key",
      "knowledge",
      "number",
      "organization",
      "provider",
      "subscription",
    ],
    set: () => Effect.succeed({}),
  },
  {
    name: "an agent has all of its subscriptions but one",
    about: ["subscription"],
    set: (world) =>
      Effect.sync(() => {
        // One more stands among the rows of every scene.
        const rows = Array.from({ length: limits.subscriptionsPerAgent - 2 }, (_, nth): Change => {
          const subscription_id = `sub_${nth}`
          return { put: "subscription", row: { ...subscription, subscription_id } }
        })
        world.write(...rows)
        return {}
      }),
  },
  {
    name: "a new campaign",
    about: working,
    set: (world) => campaign(world, to(10, 20)),
  },
  {
    name: "two legs ring",
    about: working,
    set: (world) => Effect.tap(campaign(world, to(10, 20, 30)), () => until(world, 300)),
  },
  {
    name: "the last call ends",
    about: working,
    set: (world) => Effect.tap(campaign(world, to(10)), () => until(world, 15_000)),
  },
  {
    name: "the last call ends of a batch, and another goes on",
    about: ["campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10))
      yield* world.advance(2_000)
      const { batch_id } = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(20), file_name: null }),
        ),
      )
      yield* until(world, 13_000)
      return { ...made, batch: batch_id }
    }),
  },
  {
    name: "the last report comes",
    about: ["call", "line", "campaign", "batch", "contact", "delivery", "subscription", "organization"],
    set: (world) => Effect.tap(campaign(world, to(10)), () => until(world, 16_000)),
  },
  {
    name: "a retry is due",
    about: working,
    set: (world) => Effect.tap(campaign(world, to(11)), () => until(world, 63_000)),
  },
  {
    name: "its number comes again by another agent as a retry is due",
    about: ["campaign", "batch", "contact", "call", "agent"],
    options: { organization: { concurrency: { organization: 3, per_agent: 1, enforced: true } } },
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(11))
      yield* until(world, 63_000)
      yield* world.run(
        Effect.flatMap(Batches, (batches) =>
          batches.create(
            caller,
            { agent_id: standing.challenger, campaign_id: made.campaign },
            { contacts: to(11), file_name: null },
          ),
        ),
      )
      return made
    }),
  },
  {
    name: "one number twice",
    about: ["campaign", "batch", "contact", "call", "agent"],
    set: (world) => Effect.tap(campaign(world, to(10, 10)), () => until(world, 15_000)),
  },
  {
    name: "its number comes again as the last report comes",
    about: ["campaign", "batch", "contact", "call"],
    options: lines(3),
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10))
      yield* world.advance(14_000)
      const append = (digits: number) =>
        world.run(
          Effect.flatMap(Campaigns, (campaigns) =>
            campaigns.append(caller, made.campaign, { contacts: to(digits), file_name: null }),
          ),
        )
      // Another contact keeps the campaign going.
      yield* append(20)
      yield* until(world, 2_000)
      yield* append(10)
      return made
    }),
  },
  {
    name: "one number twice, the first busy",
    about: ["campaign", "batch", "contact", "call"],
    set: (world) =>
      Effect.tap(
        campaign(world, to(11, 11), { retry_policy: { max_retries: 1, cooldown_minutes: 0, base_delay_minutes: 0 } }),
        () => until(world, 3_000),
      ),
  },
  {
    name: "one number thrice, the last hold",
    about: ["campaign", "batch", "contact", "agent", "organization"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10, 10, 10), { retry_policy: { max_retries: 0 } })
      yield* world.advance(2_000)
      yield* inactive(world, agentId, "undeploy")
      yield* world.advance(20_000)
      // The next hold of the second is its last, and the third waits for the number.
      for (;;) {
        const { eligible_at = null, holds = 0 } = world.tables.contacts.get(made.batch, 1) ?? {}
        if (eligible_at === null) return yield* Effect.die(new Error("The contact was not held."))
        world.now = eligible_at
        if (holds + 1 >= limits.holdsPerAttempt) break
        yield* world.advance(0)
      }
      return made
    }),
  },
  {
    name: "paused",
    about: ["campaign", "batch", "contact", "agent", "number"],
    set: (world) => Effect.tap(campaign(world, to(10, 20)), (made) => steer(world, made.campaign, "pause")),
  },
  {
    name: "its call is about to fail, which it does not go on after",
    about: ["campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(11), { start_time: world.now + 1_000 })
      yield* withBreaker(world, made.campaign)
      yield* until(world, 4_000)
      return made
    }),
  },
  {
    name: "it has paused itself, and another call is about to fail",
    about: ["campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(11))
      yield* withBreaker(world, made.campaign, { resume_after_minutes: 30 })
      yield* world.advance(1_500)
      yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(21), file_name: null }),
        ),
      )
      yield* until(world, 3_000)
      return made
    }),
  },
  {
    name: "it has paused itself, and goes on",
    about: ["campaign", "batch", "contact", "call", "agent"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(11, 20, 30), { start_time: world.now + 1_000, max_concurrent_calls: 1 })
      yield* withBreaker(world, made.campaign, { resume_after_minutes: 1 })
      yield* world.advance(5_000)
      const resume_at = world.tables.campaigns.get(made.campaign)?.breaker?.trip?.resume_at ?? null
      if (resume_at === null) return yield* Effect.die(new Error("The campaign has not paused itself."))
      world.now = resume_at
      return made
    }),
  },
  {
    name: "the last ones come first, by their priority",
    about: ["campaign", "batch", "contact"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10), { start_time: world.now + 1_000 })
      const order = { contacts: "last_come", priority_column: "n" } as const
      yield* world.run(Effect.flatMap(CallOrders, (orders) => orders.set(caller, made.campaign, order)))
      yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(4, 7), file_name: null }),
        ),
      )
      yield* until(world, 1_000)
      return made
    }),
  },
  {
    name: "cancelled",
    about: ["campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10, 20, 30))
      yield* world.advance(300)
      yield* steer(world, made.campaign, "cancel")
      return made
    }),
  },
  {
    name: "cancelled long ago",
    about: ["campaign", "batch", "contact", "call", "delivery"],
    options: lines(1),
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10, 20, 30))
      yield* world.advance(17_000)
      yield* steer(world, made.campaign, "cancel")
      yield* world.advance(3_600_000)
      return made
    }),
  },
  {
    name: "a batch of it is over long ago, and another one calls",
    about: [...working, "callee", "delivery"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10))
      yield* world.advance(120_000)
      yield* steer(world, made.campaign, "revive")
      yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(20, 30), file_name: null }),
        ),
      )
      yield* until(world, 15_000)
      return made
    }),
  },
  {
    name: "somebody must not be called",
    about: ["callee", "campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const said = { agent_id: null, campaign_id: null, reason: "opt_out", source: null, note: null, expires_at: null }
      yield* world.run(
        Effect.flatMap(Suppressions, (suppressions) => suppressions.add(caller, [standing.persons.first], said)),
      )
      return yield* campaign(world, to(10, 11, 20))
    }),
  },
  {
    name: "out of hours",
    about: ["callee", "campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const forAll = { agent_id: null, campaign_id: null }
      yield* world.run(
        Effect.flatMap(HoursSettings, (settings) =>
          settings.set(caller, forAll, { enabled: true, timezone_column: null, elsewhere: {} }),
        ),
      )
      const made = yield* campaign(world, to(10, 11, 10))
      yield* world.advance(1_000)
      return made
    }),
  },
  {
    name: "called as often as may be",
    about: ["callee", "campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const caps = { per_day: 1, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
      yield* world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, caps)))
      const made = yield* campaign(world, to(10, 11, 10))
      yield* world.advance(1_000)
      return made
    }),
  },
  {
    name: "called under caps long ago, and to be called again",
    about: ["callee", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const caps = { per_day: 1, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
      yield* world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, caps)))
      yield* campaign(world, to(10))
      // Longer than any cap counts.
      yield* world.advance(31 * 24 * 3_600_000)
      return yield* campaign(world, to(10))
    }),
  },
  {
    name: "called as often as may be by a dial that is taken back",
    about: ["callee", "contact"],
    set: Effect.fnUntraced(function* (world) {
      const caps = { per_day: 1, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
      yield* world.run(Effect.flatMap(CallCapsSettings, (settings) => settings.set(caller, caps)))
      yield* campaign(world, to(15))
      yield* until(world, 5_000)
      return yield* campaign(world, to(15, 20))
    }),
  },
  {
    name: "completed",
    about: ["campaign", "batch", "agent"],
    set: (world) => Effect.tap(campaign(world, to(10)), () => world.advance(20_000)),
  },
  {
    name: "completed, though a batch of it goes on",
    about: ["campaign", "batch"],
    isWrong: true,
    set: (world) => ended(world, "completed"),
  },
  {
    name: "cancelled, though a batch of it goes on",
    about: ["campaign", "batch"],
    isWrong: true,
    set: (world) => ended(world, "cancelled"),
  },
  {
    name: "its end has come",
    about: working,
    options: lines(1),
    set: (world) => Effect.tap(campaign(world, to(10, 20), { end_time: epoch + 10_000 }), () => until(world, 10_000)),
  },
  {
    name: "one line for all",
    about: ["line", "call", "campaign", "contact", "organization"],
    options: lines(1),
    set: Effect.fnUntraced(function* (world) {
      const { call } = yield* world.placed({ to_number: "+15555553010" })
      const made = yield* campaign(world, to(10))
      yield* world.advance(12_000)
      yield* world.place({ to_number: "+15555553020" })
      yield* until(world, 4_000)
      return { ...made, call: call.execution_id }
    }),
  },
  {
    name: "all lines are taken, and an experiment is on",
    about: ["agent", "experiment"],
    options: lines(1),
    set: Effect.fnUntraced(function* (world) {
      yield* world.run(
        Effect.flatMap(Experiments, (experiments) =>
          experiments.patch(caller, agentId, "ver_one", { status: "active", variant_traffic_pct: 100 }),
        ),
      )
      const { call } = yield* world.placed({ to_number: "+15555553010" })
      // Whoever dials now has its line before it gives up.
      yield* until(world, 12_000)
      return { call: call.execution_id }
    }),
  },
  {
    name: "a booked call is due",
    about: ["call", "line", "agent", "experiment", "number", "organization"],
    set: Effect.fnUntraced(function* (world) {
      const { call } = yield* world.placed({
        to_number: "+15555553010",
        from_number: standing.numbers.named,
        scheduled_at: epoch + 180_000,
      })
      yield* until(world, 180_000)
      return { booked: call.execution_id, call: call.execution_id }
    }),
  },
  {
    name: "the window of an agent is about to close",
    about: ["hours"],
    set: Effect.fnUntraced(function* (world) {
      closing(world)
      yield* until(world, closesMs - beforeMs)
      return {}
    }),
  },
  {
    name: "a booked call is due as the window of its agent is about to close",
    about: ["hours"],
    set: Effect.fnUntraced(function* (world) {
      closing(world)
      const { call } = yield* world.placed({ to_number: "+15555553010", scheduled_at: epoch + closesMs - beforeMs })
      yield* until(world, closesMs - beforeMs)
      return { booked: call.execution_id, call: call.execution_id }
    }),
  },
  {
    name: "a follow-up is put off for a working day",
    about: ["hours"],
    set: Effect.fnUntraced(function* (world) {
      // Friday, some seconds before midnight.
      world.now = saturday - 10_000
      const made = yield* campaign(world, to(11), {
        retry_policy: { max_retries: 0 },
        follow_up_policy: { enabled: true, triggers: ["busy"], cooldown_minutes: 1, next_working_day_only: true },
      })
      yield* world.advance(2 * minuteMs)
      return made
    }),
  },
  {
    name: "nobody knows of the dial",
    about: ["campaign", "batch", "contact", "call", "line"],
    set: (world) => Effect.tap(campaign(world, to(12, 20)), () => until(world, 38_000)),
  },
  {
    name: "the carrier is asked so soon that a dial may still come",
    about: ["contact", "call", "line"],
    set: (world) => Effect.tap(campaign(world, to(12, 20)), () => until(world, 11_000)),
  },
  {
    name: "the carrier is certain that nobody was dialled",
    about: ["campaign", "batch", "contact", "call", "line"],
    set: (world) => Effect.tap(campaign(world, to(14, 14, 20)), () => until(world, 11_000)),
  },
  {
    name: "the carrier can take no more",
    about: ["campaign", "batch", "contact", "call", "line"],
    set: (world) => campaign(world, to(13, 13, 20)),
  },
  {
    name: "a booked batch is due",
    about: ["campaign", "batch", "contact", "number"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10))
      yield* world.advance(60_000)
      yield* steer(world, made.campaign, "revive")
      const { batch_id } = yield* world.run(
        Effect.flatMap(Batches, (batches) =>
          batches.create(
            caller,
            { agent_id: agentId, campaign_id: made.campaign, scheduled_at: world.now + 180_000 },
            { contacts: to(20), file_name: null },
          ),
        ),
      )
      yield* until(world, 180_000)
      return { ...made, batch: batch_id }
    }),
  },
  {
    name: "a batch for itself",
    about: ["batch", "contact", "call", "line", "agent", "number"],
    set: Effect.fnUntraced(function* (world) {
      const { batch_id } = yield* world.run(
        Effect.flatMap(Batches, (batches) =>
          batches.create(
            caller,
            { agent_id: agentId, phone_numbers: [standing.numbers.named] },
            { contacts: to(10), file_name: null },
          ),
        ),
      )
      yield* until(world, 15_000)
      return { batch: batch_id }
    }),
  },
  {
    name: "a stopped batch holds the number",
    about: ["campaign", "batch", "contact", "call"],
    set: Effect.fnUntraced(function* (world) {
      const made = yield* campaign(world, to(10))
      yield* world.advance(2_000)
      const { batch_id } = yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(10), file_name: null }),
        ),
      )
      yield* world.run(
        Effect.flatMap(Campaigns, (campaigns) =>
          campaigns.append(caller, made.campaign, { contacts: to(10), file_name: null }),
        ),
      )
      yield* world.advance(1_000)
      yield* world.run(Effect.flatMap(Batches, (batches) => batches.pause(caller, batch_id)))
      yield* until(world, 12_000)
      return { ...made, batch: batch_id }
    }),
  },
]

/** A world as a scene begins, before anything of it has happened. */
export const worldOf = (scene: Scene, interpose: NonNullable<WorldOptions["interpose"]>): World =>
  new World({
    organization: { concurrency: { organization: 2, per_agent: null, enforced: true } },
    script: scriptOf,
    rows: furniture,
    secrets: testSecrets(["one"]),
    ...scene.options,
    interpose,
  })

/** Sets a scene on a world whose engine runs. */
export const setScene = (scene: Scene, world: World): Effect.Effect<Stage> =>
  Effect.orDie(
    Effect.map(scene.set(world), (found) => ({
      world,
      things: { ...nowhere, ...found },
      service: (tag) => world.service(tag),
    })),
  )
