import type { Context } from "effect"
import { Effect, Stream } from "effect"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import { Agents } from "../../agents/Agents.ts"
import { Audit } from "../../audit/Audit.ts"
import { Batches } from "../../batches/Batches.ts"
import { Calls } from "../../calls/Calls.ts"
import { CallCapsSettings } from "../../callees/CallCapsSettings.ts"
import { HoursSettings } from "../../callees/HoursSettings.ts"
import { Suppressions } from "../../callees/Suppressions.ts"
import type { SuppressOn } from "../../callees/rules/SuppressionRule.ts"
import { Breakers } from "../../campaigns/Breakers.ts"
import { CallOrders } from "../../campaigns/CallOrders.ts"
import { Campaigns } from "../../campaigns/Campaigns.ts"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import { weekdays } from "../../dispatch/rules/CallingWindow.ts"
import { Dispatcher } from "../../dispatch/Dispatcher.ts"
import { Engine } from "../../Engine.ts"
import type { EngineError } from "../../Errors.ts"
import { Parking } from "../../engine/Parking.ts"
import { Wakeups } from "../../engine/ports/Wakeups.ts"
import { Erasure } from "../../erasure/Erasure.ts"
import { Experiments } from "../../experiments/Experiments.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { InboundAgents } from "../../inbound/InboundAgents.ts"
import type { ContactIntake } from "../../intake/rules/ContactIntake.ts"
import { Keys } from "../../keys/Keys.ts"
import { Knowledge } from "../../knowledge/Knowledge.ts"
import { PlatformLines } from "../../limits/PlatformLines.ts"
import { Reconciler } from "../../limits/Reconciler.ts"
import { Numbers } from "../../numbers/Numbers.ts"
import { Organizations } from "../../organizations/Organizations.ts"
import { Portable } from "../../portable/Portable.ts"
import { Providers } from "../../providers/Providers.ts"
import { Retention } from "../../retention/Retention.ts"
import { Resealing } from "../../secrets/Resealing.ts"
import { Dialling } from "../../telephony/Dialling.ts"
import { Deliveries } from "../../webhooks/Deliveries.ts"
import { Subscriptions } from "../../webhooks/Subscriptions.ts"
import { WebhookTests } from "../../webhooks/WebhookTests.ts"
import { agentId, caller, type EngineServices, organizationId, request } from "../world/World.ts"
import { sampleCaller } from "../Samples.ts"
import { moved } from "./Moved.ts"
import { oneFailure, type Stage, type Thing, things } from "./Scenes.ts"

/** Something that the engine does with a write: on request, by a report of the carrier, or because the time has come. */
export interface Operation {
  readonly name: string
  readonly touches: ReadonlyArray<Thing>
  readonly run: (stage: Stage) => Effect.Effect<unknown, EngineError, EngineServices>
}

type Use<S> = (service: S, stage: Stage) => Effect.Effect<unknown, EngineError, EngineServices>

/** Operations of one service, each in a line. */
const of =
  <I extends EngineServices, S>(tag: Context.Key<I, S>, ...touches: ReadonlyArray<Thing>) =>
  (name: string, use: Use<S>, ...besides: ReadonlyArray<Thing>): Operation => ({
    name,
    touches: [...touches, ...besides],
    run: (stage) => Effect.suspend(() => use(stage.service(tag), stage)),
  })

const contacts = (lastDigits: number): ContactIntake => {
  const entry: ContactEntry = { to_number: `+1555555${String(2_000 + lastDigits)}`, variables: {} }
  return { contacts: [entry], file_name: null }
}

const campaign = of(Campaigns, "campaign", "batch", "contact")
const breaker = of(Breakers, "campaign", "batch", "contact")
const callOrder = of(CallOrders, "campaign", "batch", "contact")
const batch = of(Batches, "campaign", "batch", "contact")
const call = of(Calls, "call", "line")
const agent = of(Agents, "agent")
const experiment = of(Experiments, "experiment", "agent")
const number = of(Numbers, "number")
const binding = of(InboundAgents, "number", "agent")
const key = of(Keys, "key")
const provider = of(Providers, "provider")
const knowledge = of(Knowledge, "knowledge")
const organization = of(Organizations, "organization", "line")
const suppression = of(Suppressions, "callee")
const calleeHours = of(HoursSettings, "callee", "contact", "call")
const callCaps = of(CallCapsSettings, "callee", "contact", "call")
const erasure = of(Erasure, "contact", "batch", "call", "callee", "delivery")
const portable = of(Portable, "organization", "number")
const retention = of(Retention, "campaign", "batch", "contact", "call", "callee", "delivery")
const dialling = of(Dialling, "organization", "line")
const subscription = of(Subscriptions, "subscription", "agent")
const delivery = of(Deliveries, "delivery", "subscription")
const engine = of(Engine, "campaign", "batch", "contact", "call", "line", "delivery")

const lines = of(Reconciler, "call", "line")
const platformLines = of(PlatformLines, "organization", "line")
const audit = of(Audit, "key")

const text = { name: "notes.txt", bytes: utf8ToBytes("Opening hours are from nine to five.") }

const upload = (service: Knowledge["Service"], effect: Effect.Effect<unknown, EngineError>) =>
  service.alone(caller, effect)

const body = { callback_url: things.destination }

const soon = 200_000

/** From just before a full minute to just after it. */
const strikesMs = 200

const allDay = { start: "00:00", end: "23:59" }
const everyDay = Object.fromEntries(weekdays.map((day) => [day, allDay]))

/** What ended so long ago is not spoken of any more: rows are kept for days. */
const longAgoMs = 60_000

/** Everybody who is called in the scenes and by the operations, by the numbers that races are about. */
const everybody = [things.persons.first, things.persons.busy, "+15555553010", "+15555553110"]

const forAll = { agent_id: null, campaign_id: null }
const atNoEnd: SuppressOn = {
  ...{ agent_id: null, campaign_id: null, suppress_for: "organization", days: null, reason: "opt_out" },
  ...{ outcomes: [], hangup_reasons: [], extracted: [] },
}
const noHours = { enabled: true, timezone_column: "timezone" }
const noCaps = { per_day: null, per_week: null, per_thirty_days: null, minimum_rest_seconds: null }
const said = { reason: "opt_out", source: null, note: null, expires_at: null }

/** More than there are in any scene. */
const hintsAtOnce = 1_000

/** Who asks for an organization beside the one of the scenes. */
const another = sampleCaller("org_another")

/** Everything that the engine does with a write. A new operation is one more line. */
export const operations: ReadonlyArray<Operation> = [
  campaign(
    "campaign.create",
    (service) =>
      service.create(
        caller,
        { name: "Another", agent_id: agentId, phone_numbers: [things.numbers.named] },
        contacts(40),
      ),
    "number",
    "agent",
    "line",
  ),
  campaign("campaign.append", (service, { things: { campaign: id } }) => service.append(caller, id, contacts(50))),
  campaign(
    "campaign.append the same number",
    (service, { things: { campaign: id } }) => service.append(caller, id, contacts(10)),
    "call",
  ),
  campaign("campaign.pause", (service, { things: { campaign: id } }) => service.pause(caller, id)),
  campaign("campaign.resume", (service, { things: { campaign: id } }) => service.resume(caller, id)),
  campaign("campaign.cancel", (service, { things: { campaign: id } }) => service.cancel(caller, id), "call"),
  campaign("campaign.revive", (service, { things: { campaign: id } }) => service.revive(caller, id)),
  campaign("campaign.delete", (service, { things: { campaign: id } }) => service.remove(caller, id)),
  campaign("campaign.rename", (service, { things: { campaign: id } }) =>
    service.patch(caller, id, { name: "Renamed" }),
  ),
  campaign(
    "campaign.give hours",
    (service, { things: { campaign: id } }) => service.patch(caller, id, { working_hours: everyDay }),
    "hours",
  ),
  campaign(
    "campaign.give no hours",
    (service, { things: { campaign: id } }) => service.patch(caller, id, { working_hours: {} }),
    "hours",
  ),
  campaign("campaign.end later", (service, { world, things: { campaign: id } }) =>
    service.patch(caller, id, { end_time: world.now + 3_600_000 }),
  ),
  campaign("campaign.end soon", (service, { world, things: { campaign: id } }) =>
    service.patch(caller, id, { end_time: world.now + 1_000 }),
  ),
  campaign(
    "campaign.change agent",
    (service, { things: { campaign: id } }) => service.patch(caller, id, { agent_id: things.challenger }),
    "agent",
  ),
  campaign(
    "campaign.change number",
    (service, { things: { campaign: id } }) => service.patch(caller, id, { phone_numbers: [things.numbers.idle] }),
    "number",
  ),
  batch("batch.create in the campaign", (service, { things: { campaign: id } }) =>
    service.create(caller, { agent_id: agentId, campaign_id: id }, contacts(60)),
  ),
  batch(
    "batch.create for itself",
    (service) => service.create(caller, { agent_id: agentId, phone_numbers: [things.numbers.idle] }, contacts(70)),
    "number",
    "line",
  ),
  batch("batch.schedule", (service, { world, things: { batch: id } }) =>
    service.schedule(caller, id, world.now + soon),
  ),
  batch("batch.stop", (service, { things: { batch: id } }) => service.stop(caller, id), "call"),
  batch("batch.pause", (service, { things: { batch: id } }) => service.pause(caller, id)),
  batch("batch.resume", (service, { things: { batch: id } }) => service.resume(caller, id)),
  call(
    "call.place",
    (service) => service.place(caller, request({ to_number: "+15555553110" })),
    "organization",
    "agent",
    "hours",
  ),
  call(
    "call.place a contact's number",
    (service) => service.place(caller, request({ to_number: "+15555552010", from_number: things.numbers.named })),
    "contact",
    "number",
  ),
  call(
    "call.place whoever must not be called",
    (service) => service.place(caller, request({ to_number: things.persons.first, override_suppression: true })),
    "callee",
  ),
  call(
    "call.book",
    (service, { world }) =>
      service.place(
        caller,
        request({ to_number: "+15555553120", from_number: things.numbers.idle, scheduled_at: world.now + soon }),
      ),
    "agent",
    "number",
  ),
  call("call.stop", (service, { things: { call: id } }) => service.stop(caller, id, null)),
  call(
    "call.stop a contact's call",
    (service, { world }) => {
      const live = world.carrier.live()[0]?.execution_id ?? "exec_none"
      return service.stop(caller, live, null)
    },
    "contact",
  ),
  call("call.stop booked", (service, { things: { booked: id } }) => service.stop(caller, id, null)),
  engine("carrier.speaks", (_, { world }) => {
    const report = world.carrier.step(Infinity)
    return report === null ? Effect.void : world.delivery(report)
  }),
  engine("carrier.repeats", (_, { world }) => {
    const live = world.carrier.dials[0]?.execution_id ?? "exec_none"
    return world.delivery({ type: "initiated", execution_id: live, at: world.now, call_sid: `leg-${live}` })
  }),
  {
    // The carrier answers to a dial, or nobody waits for its answer any longer.
    name: "patience ends",
    touches: ["contact", "call"],
    run: ({ service, world }) => Effect.sync(() => service(Parking).expire(world.now)),
  },
  engine(
    "call arrives",
    (service) =>
      service.arrive({
        organization_id: organizationId,
        agent_id: null,
        from_number: "+15555553210",
        to_number: things.numbers.bound,
        call_sid: "leg_in",
      }),
    "number",
    "agent",
  ),
  engine(
    "wake-ups",
    (service) => service.runDue,
    ...(["agent", "number", "experiment", "organization", "subscription", "hours"] as const),
  ),
  {
    // No row changes when a window closes.
    name: "the clock strikes",
    touches: ["hours"],
    run: ({ world }) =>
      Effect.sync(() => {
        world.now += strikesMs
      }),
  },
  {
    // Whose lease is over goes on for as long as it does not see that, and another one has begun.
    name: "dispatch elsewhere",
    touches: ["contact", "hours"],
    run: ({ world }) =>
      world.elsewhere(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run(organizationId, () => true))),
  },
  engine("repair", (service) => service.repair),
  {
    // Calls that nobody has heard of are asked about soon, by who finds the wake-up.
    name: "unheard calls",
    touches: ["call", "line"],
    run: Effect.fnUntraced(function* ({ service, world }) {
      const wakeups = service(Wakeups)
      yield* service(Engine).unheard("gap")
      // As if it were set when the calls were silent already, and its time had come.
      yield* wakeups.setAnew({ kind: "slots", subject: "unheard", at: world.now })
      yield* service(Engine).runDue
      // Nor where the carrier was away meanwhile.
      yield* wakeups.setAnew({ kind: "slots", subject: "unheard carrier", at: world.now })
      yield* service(Engine).runDue
    }),
  },
  engine("rebuild", (service) => service.rebuildWakeups),
  {
    // A hint is no more than that: its row says when the time has come. An upload that goes on has no row that says so, and nobody rebuilds its wake-up.
    name: "every hint comes early",
    touches: ["campaign", "batch", "contact", "call", "line", "delivery"],
    run: Effect.fnUntraced(function* ({ service, world }) {
      const wakeups = service(Wakeups)
      const ahead = yield* wakeups.claimDue(Number.MAX_SAFE_INTEGER, hintsAtOnce, { owner: "prc_early", ms: 1 })
      for (const { kind, subject } of ahead) {
        if (kind !== "intake") yield* wakeups.setAnew({ kind, subject, at: world.now })
      }
      yield* service(Engine).runDue
    }),
  },
  lines("reconciler", (service) => service.tick),
  lines("lines lost", (service) => service.afterLoss),
  agent("agent.create", (service) => service.create(caller, { display_name: "Another" })),
  agent("agent.rename", (service) => service.patch(caller, things.spare, { display_name: "Renamed" })),
  agent(
    "agent.use knowledge",
    (service) => service.patch(caller, things.spare, { knowledge_base: "one" }),
    "knowledge",
  ),
  agent("agent.replace", (service) => service.replace(caller, things.spare, { display_name: "Replaced" })),
  agent("agent.deploy", (service) => service.deploy(caller, agentId)),
  agent("agent.undeploy", (service) => service.undeploy(caller, agentId)),
  agent("agent.archive", (service) => service.archive(caller, agentId)),
  agent("agent.undeploy challenger", (service) => service.undeploy(caller, things.challenger), "experiment"),
  agent("agent.archive spare", (service) => service.archive(caller, things.spare)),
  agent("agent.clone", (service) => service.clone(caller, agentId, null)),
  experiment("experiment.create", (service) =>
    service.create(caller, agentId, {
      variant_agent_id: things.challenger,
      version_name: "Another",
      status: "active",
      variant_traffic_pct: 50,
    }),
  ),
  experiment("experiment.start", (service) =>
    service.patch(caller, agentId, "ver_one", { status: "active", variant_traffic_pct: 100 }),
  ),
  experiment("experiment.pause", (service) => service.patch(caller, agentId, "ver_one", { status: "paused" })),
  experiment("experiment.no traffic", (service) =>
    service.patch(caller, agentId, "ver_one", { variant_traffic_pct: 0 }),
  ),
  experiment("experiment.conclude", (service) =>
    service.patch(caller, agentId, "ver_one", { status: "concluded", winner: "control" }),
  ),
  experiment("experiment.delete", (service) => service.remove(caller, agentId, "ver_one")),
  number("number.register", (service) => service.register(caller, things.numbers.free, {})),
  number("number.register for another", (service) => service.register(another, things.numbers.free, {})),
  number("number.change", (service) => service.change(caller, "pn_named", { label: "Front desk" })),
  number("number.release", (service) => service.release(caller, "pn_named"), "campaign", "batch", "call"),
  number("number.release bound", (service) => service.release(caller, "pn_bound")),
  number("number.release idle", (service) => service.release(caller, "pn_idle"), "campaign", "batch"),
  number("number.assign to another", (service) => service.assign(another.organization_id, things.numbers.free)),
  number("number.take idle", (service) => service.take(organizationId, "pn_idle"), "campaign", "batch"),
  binding("inbound.bind", (service) => service.bind(caller, { agent_id: agentId, phone_number_id: "pn_idle" })),
  binding("inbound.unbind", (service) => service.unbind(caller, "inb_one")),
  key("key.mint", (service) => service.mint(caller, { name: "another" })),
  key("key.revoke", (service) => service.revoke(caller, "key_other")),
  audit("request denied", (service) =>
    service.denied(caller, { action: "call.create", route: "POST /v2/calls", scope: "calls:write" }),
  ),
  audit("request failed", (service) =>
    service.failed(caller, { action: "call.create", route: "POST /v2/calls", code: 1201, status: 409 }),
  ),
  provider("provider.add", (service) => service.add(caller, { provider_name: "two", provider_value: "secret" })),
  provider("provider.remove", (service) => service.remove(caller, "one")),
  knowledge("knowledge.create", (service) =>
    upload(
      service,
      service.create(caller, { collection: "two", description: null, chunk_size: 200, overlapping: 20, files: [text] }),
    ),
  ),
  knowledge("knowledge.add", (service) => upload(service, service.add(caller, "one", [text]))),
  knowledge("knowledge.remove", (service) => service.remove(caller, "one")),
  knowledge("knowledge.remove upload", (service) => service.removeUpload(caller, "one", "doc_one")),
  organization("organization.one line", (service) =>
    service.change(organizationId, { concurrency: { organization: 1, per_agent: null, enforced: true } }),
  ),
  organization(
    "organization.no funds",
    (service) => service.change(organizationId, { wallet: { balance: 0, currency: "USD" } }),
    "contact",
    "call",
  ),
  organization(
    "organization.open",
    (service) => service.open({ name: "Another", phone_numbers: [things.numbers.free] }),
    "number",
  ),
  organization("organization.give key", (service) => service.giveKey(organizationId, "another"), "key"),
  organization("organization.revoke key", (service) => service.revokeKey(organizationId, "key_other"), "key"),
  organization(
    "organization.revoke the caller's key",
    (service) => service.revokeKey(organizationId, caller.key.key_id),
    "key",
  ),
  of(Resealing, "organization", "subscription", "provider")("secrets.walk", (service) => service.walk),
  erasure("erasure.of who is called first", (service) => service.erase(organizationId, things.persons.first)),
  erasure("erasure.of who is busy at first", (service) => service.erase(organizationId, things.persons.busy)),
  retention("retention.purge what is over", (service, { world }) =>
    service.purge(organizationId, world.now - longAgoMs),
  ),
  portable(
    "organization.export",
    (service) => service.export(organizationId, () => Effect.void),
    "campaign",
    "batch",
    "contact",
    "call",
    "callee",
    "delivery",
  ),
  portable("organization.import", (service) => service.import(Stream.suspend(() => Stream.succeed(moved())))),
  organization("organization.keep for a time", (service) => service.change(organizationId, { retention_days: 7 })),
  suppression(
    "suppression.add",
    (service) => service.add(caller, everybody, { ...forAll, ...said }),
    "contact",
    "call",
  ),
  suppression(
    "suppression.add for the agent",
    (service) => service.add(caller, everybody, { ...forAll, ...said, agent_id: agentId }),
    "contact",
    "call",
  ),
  suppression(
    "suppression.at the end of calls",
    (service) => service.setSuppressOn(caller, [{ ...atNoEnd, outcomes: ["completed", "busy", "no-answer"] }]),
    "contact",
    "call",
    "organization",
  ),
  suppression("suppression.remove", (service) => service.remove(caller, everybody, forAll)),
  calleeHours("callee_hours.never open", (service) => service.set(caller, forAll, { ...noHours, elsewhere: {} })),
  calleeHours("callee_hours.at any time for the agent", (service) =>
    service.set(caller, { ...forAll, agent_id: agentId }, { ...noHours, enabled: false }),
  ),
  calleeHours("callee_hours.remove", (service) => service.remove(caller, forAll)),
  breaker("breaker.one failure", (service, { things: { campaign: id } }) => service.set(caller, id, oneFailure)),
  breaker("breaker.goes on", (service, { things: { campaign: id } }) =>
    service.set(caller, id, { ...oneFailure, resume_after_minutes: 1 }),
  ),
  breaker("breaker.delete", (service, { things: { campaign: id } }) => service.remove(caller, id)),
  callOrder("call_order.the last first", (service, { things: { campaign: id } }) =>
    service.set(caller, id, { contacts: "last_come", priority_column: "priority" }),
  ),
  callOrder("call_order.delete", (service, { things: { campaign: id } }) => service.remove(caller, id)),
  callCaps("call_caps.one a day", (service) => service.set(caller, { ...noCaps, per_day: 1 })),
  callCaps("call_caps.remove", (service) => service.remove(caller)),
  dialling("dialling.hold", (service) => service.hold("A test holds it."), "call", "contact"),
  dialling("dialling.release", (service) => service.release, "call", "contact"),
  platformLines("platform.one line", (service) => service.change(1)),
  subscription("subscription.create", (service) => service.create(caller, { ...body, agent_id: agentId })),
  subscription("subscription.create default", (service) => service.create(caller, body)),
  subscription("subscription.patch", (service) => service.patch(caller, "sub_one", { enabled: false }), "delivery"),
  subscription("subscription.event types", (service) => service.setEventTypes(caller, agentId, ["call_completed"])),
  subscription("subscription.delete", (service) => service.remove(caller, "sub_one"), "delivery"),
  delivery("delivery.again", (service) => service.redeliver(caller, "dlv_one")),
  delivery("delivery.sweep", (service) => service.sweep),
  of(WebhookTests, "subscription")("webhook.test", (service) =>
    service.send(caller, {
      callback_url: null,
      subscription_id: "sub_one",
      event_type: null,
      agent_id: null,
      method_type: null,
      headers: null,
      secret: null,
    }),
  ),
  of(Idempotency, "idempotency")("idempotent request", (service, { world }) =>
    service.run(
      { organization_id: organizationId, route: "POST /v2/calls", key: "k", content: "{}", makes: "execution" },
      {
        handle: (keyed) =>
          Effect.as(
            world.run(
              Effect.suspend(() =>
                world.service(Calls).place({ ...caller, keyed }, request({ to_number: "+15555553310" })),
              ),
            ),
            { status: 201, body: "{}" },
          ),
        recall: (subject) =>
          Effect.map(world.run(Effect.suspend(() => world.service(Calls).recall(caller, subject))), (found) =>
            found._tag === "Made" ? { _tag: "Made", made: { status: 201, body: "{}" } } : found,
          ),
      },
    ),
  ),
  of(Idempotency, "idempotency")("expired keys are swept", (service) => service.sweep),
]
