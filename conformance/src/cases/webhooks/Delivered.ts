import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial, readCall } from "../../trial/Calls.ts"
import { deliveredByMs, freshInbox, hmac, signatureOf, subscribe } from "../../trial/Webhooks.ts"

/** About two minutes, as a span that a server may mean. */
const aboutTwoMinutesMs = 150_000

const all = [
  "call_ringing",
  "call_started",
  "call_completed",
  "recording_completed",
  "platform_analysis_completed",
  "all_processing_completed",
]

const payload: Case = {
  id: "webhooks/events/payload",
  title: "A completed call raises its events once each, the last with every field and in agreement with the call",
  clauses: [
    "EVENT-1",
    "EVENT-ROUTING-1",
    "EVENT-TYPE-1",
    "EVENT-TYPE-P1",
    "EVENT-TYPE-P2",
    "EVENT-TYPE-P4",
    "EVENT-TYPE-P6",
    "EVENT-TYPE-P8",
    "DELIVERY-1",
    "DELIVERY-2",
    "DELIVERY-9",
    "PAYLOAD-1",
    "PAYLOAD-2",
    "PAYLOAD-3",
    "PAYLOAD-6",
    "PAYLOAD-9",
    "PAYLOAD-10",
    "PAYLOAD-13",
    "PAYLOAD-19",
    "PAYLOAD-21",
    "PAYLOAD-22",
    "PAYLOAD-27",
    "PAYLOAD-33",
    "PAYLOAD-42",
    "DELIVERY-6",
  ],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId, event_types: all })
    const id = await dial(trial, client, agentId, trial.numbers.magic("completed", 2))
    await trial.clock.advance(deliveredByMs)
    const received = await inbox.received()
    const types = received.map((request) => request.payload["event_type"])
    check.holds("sent", ["EVENT-1", "EVENT-ROUTING-1"], received.length > 0, "events at the subscription's URL")
    check.equal(
      "each-once",
      ["EVENT-TYPE-P1", "EVENT-TYPE-P2", "EVENT-TYPE-P4"],
      types.map(String).toSorted(),
      all.toSorted(),
    )
    check.equal("one-last", "EVENT-TYPE-P6", types.indexOf("all_processing_completed"), types.length - 1)
    const keys = new Set(received.map((request) => Object.keys(request.payload).sort().join()))
    check.equal("one-envelope", "EVENT-TYPE-P8", keys.size, 1)
    const events = new Set(received.map((request) => request.payload["event_id"]))
    check.equal("event-ids", "DELIVERY-6", events.size, types.length)
    check.equal(
      "delivery-ids",
      "DELIVERY-9",
      new Set(received.map(({ headers }) => headers["x-service-delivery-id"])).size,
      types.length,
    )
    const last = received.find((request) => request.payload["event_type"] === "all_processing_completed")?.payload ?? {}
    const call = await readCall(client, id)
    const facts: ReadonlyArray<readonly [string, string, unknown]> = [
      ["event_type", "PAYLOAD-2", "all_processing_completed"],
      ["call_id", "PAYLOAD-6", id],
      ["organization_id", "PAYLOAD-9", organizationId],
      ["workspace_id", "PAYLOAD-9", organizationId],
      ["status", "PAYLOAD-10", call.at("status")],
      ["calling_source", "PAYLOAD-13", "api"],
      ["call_cost", "PAYLOAD-19", call.at("cost.total")],
      ["call_duration", "PAYLOAD-22", call.at("duration_seconds")],
      ["recording_url", "PAYLOAD-27", call.at("recording_url")],
      ["processing_incomplete", "PAYLOAD-42", false],
      ["processing_incomplete", "DELIVERY-2", false],
    ]
    for (const [field, clause, expected] of facts)
      check.equal(`${field}-${clause}`, clause, last[field], expected, call)
    check.holds("event-id", "PAYLOAD-3", typeof last["event_id"] === "string" && last["event_id"] !== "", "an event_id")
    const breakdown = Object.keys(Object(last["cost_breakdown"])).sort()
    check.equal("cost-breakdown", "PAYLOAD-21", breakdown, ["llm", "network", "platform", "synthesizer", "transcriber"])
    check.equal("analysis", "PAYLOAD-33", Object(last["platform_analysis"])["summary"], call.at("summary"), call)
    const fields = [
      "version",
      "timestamp",
      "call_sid",
      "agent_id",
      "agent_name",
      "sub_status",
      "call_type",
      "custom_args_values",
      "to_number",
      "from_number",
      "bulk_list_id",
      "called_on",
      "created_at",
      "call_cost_currency",
      "agent_message_count",
      "user_message_count",
      "overall_latency_seconds",
      "first_utterance_seconds",
      "transcript",
      "transcript_status",
      "recording_duration",
      "retry_count",
      "attempts",
      "parent_call_id",
      "retry_chain",
      "platform_analysis_status",
      "client_analysis",
      "client_analysis_status",
      "tool_call_logs",
      "answered_by_voice_mail",
      "hangup_by",
      "ab_version_id",
      "ab_is_variant",
      "missing_fields",
    ]
    check.equal(
      "every-field",
      "PAYLOAD-1",
      fields.filter((field) => !(field in last)),
      [],
    )
  },
}

const unanswered: Case = {
  id: "webhooks/events/unanswered",
  title: "A call that nobody answered is never said to have started, and is processed all the same",
  clauses: ["EVENT-TYPE-P2", "EVENT-TYPE-P3", "EVENT-TYPE-P11", "DELIVERY-1"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId, event_types: all })
    const ids: Array<unknown> = []
    for (const outcome of ["busy", "noAnswer"] as const)
      ids.push(await dial(trial, client, agentId, trial.numbers.magic(outcome)))
    await client.post("/v2/calls", { agent_id: agentId, to_number: trial.numbers.magic("providerUnreachable") })
    await trial.clock.advance(deliveredByMs)
    const received = (await inbox.received()).map(({ payload }) => payload)
    const types = received.flatMap((each) => (ids.includes(each["call_id"]) ? [each["event_type"]] : []))
    check.holds("not-started", "EVENT-TYPE-P2", !types.includes("call_started"), "no call_started")
    check.equal("completed", "EVENT-TYPE-P3", types.filter((type) => type === "call_completed").length, 2)
    check.equal("processed", "DELIVERY-1", types.filter((type) => type === "all_processing_completed").length, 2)
    // Whether a call that no carrier took was one, and ended, is a reading.
    const others = received.flatMap((each) => (ids.includes(each["call_id"]) ? [] : [each["event_type"]]))
    check.equal("without-a-leg", "EVENT-TYPE-P11", others, ["call_completed", "all_processing_completed"])
  },
}

const answeredLate: Case = {
  id: "webhooks/events/answered-late",
  title: "A call whose answer is reported only after its end is said to have started, once",
  clauses: ["EVENT-TYPE-P2", "EVENT-TYPE-P6"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId, event_types: all })
    // Which report comes late is drawn: of several calls some are ended before their answer is told.
    const dialled: Array<string> = []
    for (let nth = 0; nth < 8; nth++) {
      dialled.push(await dial(trial, client, agentId, trial.numbers.magic("duplicateReports")))
    }
    await trial.clock.advance(deliveredByMs)
    const received = (await inbox.received()).map(({ payload }) => payload)
    const ofCalls = dialled.map((id) =>
      received.flatMap((each) => (each["call_id"] === id ? [each["event_type"]] : [])),
    )
    const started = ofCalls.map((types) => types.filter((type) => type === "call_started").length)
    check.equal(
      "each-started",
      "EVENT-TYPE-P2",
      started,
      dialled.map(() => 1),
    )
    const isLast = ofCalls.map((types) => types.indexOf("all_processing_completed") === types.length - 1)
    check.holds("each-last", "EVENT-TYPE-P6", !isLast.includes(false), "the last event of each call")
  },
}

const incomplete: Case = {
  id: "webhooks/events/incomplete",
  title: "Analysis that is late leaves the last event incomplete at ten minutes, and corrects it when it comes",
  clauses: [
    "CALL-LATE-P3",
    "EVENT-TYPE-P5",
    "EVENT-TYPE-P7",
    "EVENT-TYPE-P10",
    "PAYLOAD-42",
    "PAYLOAD-43",
    "PAYLOAD-P3",
  ],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, {
      agent_id: agentId,
      event_types: ["all_processing_completed", "call_corrected"],
    })
    const id = await dial(trial, client, agentId, trial.numbers.magic("analysisLate", 1))
    await trial.clock.advance(60 * 60_000)
    const [first, second] = (await inbox.received()).map((request) => request.payload)
    const call = await readCall(client, id)
    check.equal(
      "incomplete",
      "EVENT-TYPE-P7",
      [first?.["event_type"], first?.["processing_incomplete"]],
      ["all_processing_completed", true],
      call,
    )
    const missing = first?.["missing_fields"]
    // Whether the event is sent before everything is there is left open; if it is, it says what is missing.
    if (first?.["platform_analysis"] == null)
      check.holds(
        "missing",
        "PAYLOAD-43",
        Array.isArray(missing) && missing.includes("platform_analysis"),
        "missing_fields names platform_analysis",
        call,
      )
    const isShort = Array.isArray(missing) && missing.length > 0
    check.equal("says-incomplete", "PAYLOAD-42", first?.["processing_incomplete"], isShort, call)
    const waited = Date.parse(String(first?.["timestamp"])) - Date.parse(call.string("completed_at"))
    check.equal("ten-minutes", ["EVENT-TYPE-P7", "EVENT-TYPE-P10"], waited, 600_000, call)
    check.equal("corrected", ["CALL-LATE-P3", "EVENT-TYPE-P5"], second?.["event_type"], "call_corrected", call)
    const { fields, previous } = Object(second?.["correction"])
    check.holds(
      "correction",
      ["EVENT-TYPE-P5", "PAYLOAD-P3"],
      Array.isArray(fields) && fields.includes("platform_analysis") && previous?.platform_analysis === null,
      "correction {fields, previous}",
      call,
    )
  },
}

const attempts: Case = {
  id: "webhooks/deliveries/attempts",
  title: "A failing endpoint is tried four times within two minutes, with one event and one body, and the ledger tells",
  clauses: [
    "DELIVERY-4",
    "DELIVERY-5",
    "DELIVERY-6",
    "DELIVERY-11",
    "DELIVERY-P1",
    "DELIVERY-P2",
    "DELIVERY-P4",
    "DELIVERY-P5",
    "DELIVERY-P8",
    "DELIVERY-P9",
    "SIGNATURE-2",
    "LEDGER-P1",
    "LEDGER-P3",
    "LEDGER-P5",
  ],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    const secret = "whsec_retried"
    const id = await subscribe(trial, client, inbox, { agent_id: agentId, secret })
    await inbox.behave({ statuses: [500, 302, 404] })
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    const received = await inbox.received()
    const first = received[0]?.at ?? 0
    const offsets = received.map(({ at }) => at - first)
    check.equal("four-attempts", ["DELIVERY-4", "DELIVERY-5", "DELIVERY-P2"], received.length, 4)
    check.holds(
      "two-minutes",
      "DELIVERY-5",
      (offsets.at(-1) ?? Infinity) <= aboutTwoMinutesMs,
      "all inside about two minutes",
    )
    check.equal("offsets", "DELIVERY-P1", offsets, [0, 5_000, 30_000, 90_000])
    check.equal("one-event", "DELIVERY-6", new Set(received.map((request) => request.payload["event_id"])).size, 1)
    check.equal("one-body", "DELIVERY-P4", new Set(received.map(({ body }) => body)).size, 1)
    check.equal(
      "one-delivery",
      "DELIVERY-P9",
      new Set(received.map(({ headers }) => headers["x-service-delivery-id"])).size,
      1,
    )
    const signatures = received.map(({ headers }) => headers["x-service-signature"] ?? "")
    check.equal("fresh-signatures", "DELIVERY-P5", new Set(signatures).size, 4)
    for (const [index, header] of signatures.entries()) {
      const signature = signatureOf(header)
      check.equal(
        "signed",
        "SIGNATURE-2",
        signature?.v1,
        await hmac(secret, `${signature?.t}.${received[index]?.body}`),
      )
    }
    const ledger = await client.get("/v2/webhooks/deliveries", { subscription_id: id })
    check.equal("listed", "DELIVERY-11", ledger.items().length, 1, ledger)
    const row = ["status", "attempt_count", "max_attempts", "signed", "http_status", "error_class"].map((field) =>
      ledger.at(`data.0.${field}`),
    )
    check.equal("ledger", "LEDGER-P1", row, ["failed", 4, 4, true, 404, "http_error"], ledger)
    const health = await client.get(`/v2/webhooks/${id}`)
    check.equal(
      "health",
      "DELIVERY-P8",
      [health.string("failing_since") !== "", health.at("enabled")],
      [true, true],
      health,
    )
    const deliveryId = ledger.string("data.0.delivery_id")
    check.status("one-row", "LEDGER-P5", await client.get(`/v2/webhooks/deliveries/${deliveryId}`), 200)
    await inbox.behave({ status: 200 })
    const again = await client.post(`/v2/webhooks/deliveries/${deliveryId}/redeliver`)
    check.equal(
      "redelivered",
      "LEDGER-P3",
      [again.status, again.at("event_id")],
      [202, ledger.at("data.0.event_id")],
      again,
    )
    check.holds("new-delivery", "LEDGER-P3", again.at("delivery_id") !== deliveryId, "a new delivery_id", again)
    await trial.clock.advance(1_000)
    check.equal(
      "same-body",
      ["LEDGER-P3", "DELIVERY-P4"],
      (await inbox.received()).at(-1)?.body,
      received[0]?.body,
      again,
    )
  },
}

const slow: Case = {
  id: "webhooks/deliveries/slow",
  title: "An endpoint that hangs is given thirty seconds, and holds up no other",
  clauses: ["DELIVERY-3", "DELIVERY-5", "DELIVERY-P1", "EVENT-ROUTING-P1", "LEDGER-P1", "LEDGER-P2"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const [hanging, late, quick] = [freshInbox(trial), freshInbox(trial), freshInbox(trial)]
    await hanging.behave({ error: "timeout" })
    await late.behave({ delay_ms: 29_000 })
    for (const inbox of [hanging, late, quick]) await subscribe(trial, client, inbox, { agent_id: agentId })
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    const [first] = await quick.received()
    const offsets = (await hanging.received()).map(({ at }) => at - (first?.at ?? 0))
    check.equal("quick-at-once", ["EVENT-ROUTING-P1", "DELIVERY-P1"], offsets, [0, 30_000, 60_000, 90_000])
    check.equal("within-thirty-seconds", "DELIVERY-3", (await late.received()).length, 1)
    check.equal("four-attempts", "DELIVERY-5", offsets.length, 4)
    const ledger = await client.get("/v2/webhooks/deliveries", { status: "failed" })
    check.equal("timed-out", ["LEDGER-P1", "LEDGER-P2"], ledger.at("data.0.error_class"), "timeout", ledger)
  },
}

const deleted: Case = {
  id: "webhooks/deliveries/deleted",
  title: "Deleting a subscription stops what is pending, falls back to the default, and leaves the ledger readable",
  clauses: [
    "WEBHOOK-DELETE-6",
    "WEBHOOK-DELETE-7",
    "WEBHOOK-DELETE-8",
    "WEBHOOK-DELETE-9",
    "DELIVERY-P7",
    "EVENT-ROUTING-2",
    "EVENT-ROUTING-3",
    "EVENT-ROUTING-P2",
    "EVENT-ROUTING-P3",
    "SIGNATURE-4",
    "SIGNATURE-5",
  ],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const [own, fallback, bare] = [freshInbox(trial), freshInbox(trial), freshInbox(trial)]
    const agentId = await activeAgent(trial, client, { integrations: { webhook: { url: bare.url } } })
    const counts = async () => [
      (await own.received()).length,
      (await fallback.received()).length,
      (await bare.received()).length,
    ]
    const call = async () => {
      await dial(trial, client, agentId, trial.numbers.magic("busy"))
      await trial.clock.advance(deliveredByMs)
    }
    const defaultId = await subscribe(trial, client, fallback, {})
    const ownId = await subscribe(trial, client, own, { agent_id: agentId, enabled: false })
    await call()
    check.equal("disabled", "EVENT-ROUTING-P2", await counts(), [0, 0, 0])
    const aside = (await counts())[1] ?? 0
    trial.made(await client.patch(`/v2/webhooks/${ownId}`, { enabled: true }), 200)
    await own.behave({ status: 500 })
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    const patience = 200
    for (let step = 0; step < patience && (await own.received()).length === 0; step++) await trial.clock.advance(500)
    trial.made(await client.delete(`/v2/webhooks/${ownId}`), 204)
    await trial.clock.advance(deliveredByMs)
    const tried = (await own.received()).length
    check.holds("stopped", "DELIVERY-P7", tried >= 1 && tried < 4, "fewer than four attempts")
    const ledger = await client.get("/v2/webhooks/deliveries", { subscription_id: ownId })
    check.equal("readable", "WEBHOOK-DELETE-6", ledger.at("data.0.status"), "failed", ledger)
    const before = (await counts())[1] ?? 0
    check.equal("not-the-default", "EVENT-ROUTING-2", before, aside)
    await call()
    check.equal("default", ["WEBHOOK-DELETE-7", "EVENT-ROUTING-2"], (await counts())[1], before + 1)
    trial.made(await client.delete(`/v2/webhooks/${defaultId}`), 204)
    await call()
    const told = (await bare.received()).map(({ payload }) => payload["event_type"])
    const last = told.filter((type) => type === "all_processing_completed")
    // Which events go to an agent's own URL is not said.
    check.equal("agent-url", "EVENT-ROUTING-3", last.length, 1)
    check.equal("agent-url-one-type", "EVENT-ROUTING-P3", told, ["all_processing_completed"])
    const unsigned = await client.get("/v2/webhooks/deliveries")
    check.equal("unsigned", "SIGNATURE-5", unsigned.at("data.0.signed"), false, unsigned)
    const [request] = await bare.received()
    check.equal("no-signature", "SIGNATURE-4", request?.headers["x-service-signature"] ?? null, null, unsigned)
  },
}

const disabled: Case = {
  id: "webhooks/deliveries/disabled",
  title: "Disabling a subscription stops what is pending, also where it is enabled again before the next attempt",
  clauses: ["DELIVERY-P7", "LEDGER-P4", "WEBHOOK-DELETE-8"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    const id = await subscribe(trial, client, inbox, { agent_id: agentId })
    await inbox.behave({ status: 500 })
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    const patience = 200
    for (let step = 0; step < patience && (await inbox.received()).length === 0; step++) await trial.clock.advance(500)
    const tried = (await inbox.received()).length
    for (const enabled of [false, true]) trial.made(await client.patch(`/v2/webhooks/${id}`, { enabled }), 200)
    await inbox.behave({ status: 200 })
    await trial.clock.advance(deliveredByMs)
    check.equal("stopped", "DELIVERY-P7", (await inbox.received()).length, tried)
    const ledger = await client.get("/v2/webhooks/deliveries", { subscription_id: id })
    check.equal("failed", ["DELIVERY-P7", "LEDGER-P4"], ledger.at("data.0.status"), "failed", ledger)
    check.holds("says-so", "LEDGER-P4", ledger.string("data.0.error_message") !== "", "an error_message", ledger)
    const before = (await inbox.received()).length
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    check.equal("goes-on", "WEBHOOK-DELETE-8", (await inbox.received()).length, before + 1)
  },
}

const expiry: Case = {
  id: "webhooks/deliveries/expiry",
  title: "The ledger keeps a delivery for thirty days",
  clauses: ["DELIVERY-12", "WEBHOOK-DELETE-6"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await subscribe(trial, client, freshInbox(trial), { agent_id: agentId })
    await dial(trial, client, agentId, trial.numbers.magic("busy"))
    const day = 24 * 3_600_000
    await trial.clock.advance(29 * day)
    check.equal("kept", "DELIVERY-12", (await client.get("/v2/webhooks/deliveries")).items().length, 1)
    await trial.clock.advance(2 * day)
    check.equal(
      "expired",
      ["DELIVERY-12", "WEBHOOK-DELETE-6"],
      (await client.get("/v2/webhooks/deliveries")).items().length,
      0,
    )
  },
}

/** Cases of events and their deliveries. */
export const deliveredCases: ReadonlyArray<Case> = [
  payload,
  unanswered,
  answeredLate,
  incomplete,
  attempts,
  slow,
  deleted,
  disabled,
  expiry,
]
