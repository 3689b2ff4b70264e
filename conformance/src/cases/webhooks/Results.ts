import type { Inbox } from "../../control/Inbox.ts"
import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"
import { magicContacts, makeCampaign } from "../../trial/Campaigns.ts"
import { minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"
import { deliveredByMs, freshInbox, hmac, signatureOf, subscribe } from "../../trial/Webhooks.ts"

const test = (trial: Trial, client: Client, body: object): Promise<Answer> =>
  trial.settle(client.post("/v2/webhooks/test", body))

const eventTypes = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
]

/** What a test reports when the endpoint does this. */
const ends: ReadonlyArray<
  readonly [
    name: string,
    behaviour: Parameters<Inbox["behave"]>[0],
    delivered: boolean,
    status: number | null,
    error: string | null,
  ]
> = [
  ["200", { status: 200 }, true, 200, null],
  ["204", { status: 204 }, true, 204, null],
  ["302", { status: 302 }, false, 302, "http_error"],
  ["404", { status: 404 }, false, 404, "http_error"],
  ["500", { status: 500 }, false, 500, "http_error"],
  ["dns", { error: "dns_error" }, false, null, "dns_error"],
  ["connect", { error: "connect_error" }, false, null, "connect_error"],
  ["tls", { error: "tls_error" }, false, null, "tls_error"],
  ["timeout", { delay_ms: 11_000 }, false, null, "timeout"],
  ["just-in-time", { delay_ms: 9_000 }, true, 200, null],
]

const results: Case = {
  id: "webhooks/results/reported",
  title: "A test reports exactly what became of it, whatever the endpoint did",
  clauses: [
    "CONSTANT-16",
    "ERROR-STATUS-4",
    "WEBHOOK-RESULT-1",
    "WEBHOOK-RESULT-2",
    "WEBHOOK-RESULT-3",
    "WEBHOOK-RESULT-4",
    "WEBHOOK-RESULT-5",
    "WEBHOOK-RESULT-6",
    "WEBHOOK-RESULT-7",
    "WEBHOOK-RESULT-8",
    "WEBHOOK-RESULT-9",
    "WEBHOOK-RESULT-10",
    "WEBHOOK-RESULT-11",
    "WEBHOOK-RESULT-12",
    "WEBHOOK-RESULT-13",
    "WEBHOOK-TEST-2",
    "WEBHOOK-TEST-3",
    "WEBHOOK-TEST-16",
    "WEBHOOK-TEST-17",
    "WEBHOOK-TEST-18",
    "WEBHOOK-TEST-20",
    "WEBHOOK-TEST-21",
    "WEBHOOK-TEST-22",
    "DELIVERY-8",
    "DELIVERY-10",
    "PAYLOAD-44",
    "SIGNATURE-1",
    "SIGNATURE-2",
  ],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    for (const [name, behaviour, delivered, status, error] of ends) {
      const inbox = freshInbox(trial)
      await inbox.behave(behaviour)
      const body = { callback_url: inbox.url, secret: "s3cret", method_type: "PUT", headers: { "x-own": "1" } }
      const answer = await test(trial, client, body)
      check.status(`${name}-accepted`, ["ERROR-STATUS-4", "WEBHOOK-TEST-21", "WEBHOOK-TEST-3"], answer, 202)
      check.equal(`${name}-always`, ["WEBHOOK-RESULT-1"], answer.at("accepted"), true, answer)
      const budget = name === "timeout" || name === "just-in-time" ? ["CONSTANT-16", "WEBHOOK-TEST-17"] : []
      const outcome = ["WEBHOOK-RESULT-2", "WEBHOOK-TEST-22", ...budget]
      check.equal(`${name}-delivered`, outcome, answer.at("delivered"), delivered, answer)
      check.equal(`${name}-status`, "WEBHOOK-RESULT-3", answer.at("http_status"), status, answer)
      check.equal(`${name}-class`, "WEBHOOK-RESULT-4", answer.at("error_class"), error, answer)
      const message = answer.at("error_message")
      const isCapped = message === null || (typeof message === "string" && message.length <= 1_000)
      check.holds(`${name}-message`, "WEBHOOK-RESULT-5", isCapped, "null, or a capped text", answer)
      const duration = answer.at("duration_ms")
      check.equal(`${name}-duration`, "WEBHOOK-RESULT-6", typeof duration, "number", answer)
      check.equal(`${name}-signed`, "WEBHOOK-RESULT-7", answer.at("signed"), true, answer)
      check.equal(`${name}-method`, "WEBHOOK-RESULT-11", answer.at("method_type"), "PUT", answer)
      check.equal(`${name}-host`, "WEBHOOK-RESULT-11", answer.at("callback_host"), new URL(inbox.url).host, answer)
      const names = answer.items("sent_header_names").map((each) => String(each).toLowerCase())
      check.holds(`${name}-own-header`, "WEBHOOK-RESULT-12", names.includes("x-own"), "x-own among the names", answer)
      const isNames = names.every((each) => /^[a-z0-9-]+$/.test(each))
      check.holds(`${name}-names-only`, "WEBHOOK-RESULT-12", isNames, "names without values", answer)
      const received = await inbox.received()
      check.holds(`${name}-once`, ["WEBHOOK-TEST-16", "WEBHOOK-TEST-18"], received.length <= 1, "one attempt")
      const [one] = received
      if (delivered) check.equal(`${name}-sent`, "WEBHOOK-TEST-2", received.length, 1)
      if (one === undefined) continue
      await arrived(trial, name, answer, one)
    }
    const inbox = freshInbox(trial)
    const bare = await test(trial, client, { callback_url: inbox.url })
    check.equal("unsigned", "WEBHOOK-RESULT-7", bare.at("signed"), false, bare)
    const ids = [bare.at("delivery_id"), bare.at("event_id")]
    check.holds(
      "ids",
      ["WEBHOOK-RESULT-9", "WEBHOOK-RESULT-10"],
      ids.every((id) => typeof id === "string"),
      "ids",
      bare,
    )
  },
}

const arrived = async (
  { check }: Trial,
  name: string,
  answer: Answer,
  { body, headers, method, payload }: Awaited<ReturnType<Inbox["received"]>>[number],
): Promise<void> => {
  check.equal(`${name}-by`, "WEBHOOK-RESULT-11", method, "PUT")
  check.equal(`${name}-body`, "WEBHOOK-RESULT-13", answer.at("body"), body, answer)
  check.equal(`${name}-event`, "WEBHOOK-RESULT-9", answer.at("event_id"), payload["event_id"], answer)
  check.equal(`${name}-type`, "WEBHOOK-RESULT-9", answer.at("event_type"), payload["event_type"], answer)
  check.equal(`${name}-marked`, ["WEBHOOK-TEST-20", "PAYLOAD-44"], payload["test"], true)
  for (const key of ["event_type", "event_id", "call_id", "agent_id"]) {
    check.holds(`${name}-envelope`, ["WEBHOOK-TEST-20", "PAYLOAD-44"], key in payload, `${key} in the payload`)
  }
  const type = headers["content-type"] ?? ""
  check.holds(`${name}-content-type`, "DELIVERY-8", type.toLowerCase().startsWith("application/json"), "JSON")
  const header = answer.string("signature_header").toLowerCase()
  check.equal(`${name}-header`, "WEBHOOK-RESULT-8", header, "x-service-signature", answer)
  const signature = signatureOf(headers["x-service-signature"] ?? "")
  check.holds(
    `${name}-signature`,
    ["SIGNATURE-1", "DELIVERY-10", "WEBHOOK-TEST-2"],
    signature !== undefined,
    "a signature",
  )
  if (signature === undefined) return
  const expected = await hmac("s3cret", `${signature.t}.${body}`)
  check.equal(`${name}-hmac`, "SIGNATURE-2", signature.v1, expected)
}

const stored: Case = {
  id: "webhooks/results/stored",
  title: "A subscription is tested as it is configured, and keeps what an update does not name",
  clauses: [
    "EVENT-TYPE-2",
    "SUBSCRIPTION-2",
    "SUBSCRIPTION-3",
    "SUBSCRIPTION-4",
    "SUBSCRIPTION-5",
    "SUBSCRIPTION-6",
    "SUBSCRIPTION-7",
    "SUBSCRIPTION-8",
    "WEBHOOK-DELETE-2",
    "WEBHOOK-DELETE-9",
    "WEBHOOK-ROUTES-1",
    "WEBHOOK-TEST-5",
    "WEBHOOK-TEST-6",
    "WEBHOOK-TEST-8",
    "WEBHOOK-TEST-9",
    "WEBHOOK-TEST-11",
    "WEBHOOK-TEST-12",
    "WEBHOOK-TEST-14",
    "WEBHOOK-TEST-15",
    "WEBHOOK-TEST-P2",
    "EVENT-TYPE-3",
  ],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    const settings = {
      agent_id: agentId,
      method_type: "PUT",
      headers: { "x-stored": "one" },
      secret: "stored",
      event_types: eventTypes.slice(0, 3),
    }
    const made = await client.post("/v2/webhooks", { callback_url: inbox.url, ...settings })
    const id = made.string("subscription_id")
    const path = `/v2/webhooks/${id}`
    const shown = (name: string, answer: Answer, at = "") => {
      check.equal(`${name}-url`, "SUBSCRIPTION-2", answer.at(`${at}callback_url`), inbox.url, answer)
      check.equal(`${name}-method`, "SUBSCRIPTION-3", answer.at(`${at}method_type`), "PUT", answer)
      check.equal(
        `${name}-types`,
        "SUBSCRIPTION-6",
        answer.items(`${at}event_types`).map(String).toSorted(),
        [...settings.event_types].toSorted(),
        answer,
      )
      check.equal(`${name}-enabled`, "SUBSCRIPTION-7", answer.at(`${at}enabled`), true, answer)
      check.equal(`${name}-agent`, "SUBSCRIPTION-8", answer.at(`${at}agent_id`), agentId, answer)
      check.equal(`${name}-secret`, "SUBSCRIPTION-5", answer.at(`${at}secret`), undefined, answer)
      check.equal(`${name}-headers`, "SUBSCRIPTION-4", answer.at(`${at}headers`), undefined, answer)
    }
    const list = await client.get("/v2/webhooks")
    check.exists("list", "WEBHOOK-ROUTES-1", list)
    if (list.items().length === 1) shown("listed", list, "data.0.")
    check.exists("patch", "WEBHOOK-ROUTES-1", await client.patch(path, { description: "x", enabled: true }))
    const patched = await client.get("/v2/webhooks")
    if (patched.items().length === 1) shown("patched", patched, "data.0.")
    const last = async () => (await inbox.received()).at(-1)
    const asIs = await test(trial, client, { subscription_id: id })
    const first = await last()
    check.status("by-subscription", "WEBHOOK-TEST-5", asIs, 202)
    check.equal(
      "own-method",
      ["WEBHOOK-TEST-6", "SUBSCRIPTION-3"],
      [asIs.at("method_type"), first?.method],
      ["PUT", "PUT"],
      asIs,
    )
    check.equal("own-headers", ["WEBHOOK-TEST-6", "SUBSCRIPTION-4"], first?.headers["x-stored"], "one", asIs)
    await signed(trial, "own-secret", ["WEBHOOK-TEST-6", "SUBSCRIPTION-5"], "stored", first)
    await test(trial, client, { subscription_id: id, secret: "other", headers: { "x-extra": "two" } })
    const second = await last()
    await signed(trial, "other-secret", ["WEBHOOK-TEST-12"], "other", second)
    check.equal("extra-header", "WEBHOOK-TEST-P2", second?.headers["x-extra"], "two")
    const untyped = await test(trial, client, { subscription_id: id, event_type: null, agent_id: "agt_any" })
    check.status("null-taken", "WEBHOOK-TEST-8", untyped, 202)
    const third = await last()
    check.equal("null-type", "WEBHOOK-TEST-8", third?.payload["event_type"], "all_processing_completed")
    check.equal("stamped", "WEBHOOK-TEST-9", third?.payload["agent_id"], "agt_any")
    check.equal("nothing-kept", "WEBHOOK-TEST-11", third?.headers["x-extra"], undefined)
    const same = await test(trial, client, { subscription_id: id, callback_url: inbox.url })
    check.status("same-url", "WEBHOOK-TEST-5", same, 202)
    await elsewhere(trial, client)
    await updated(trial, client, path, id)
    // What a create answers with is not shown, nor whether an agent may have several.
    const more = async (body: object) => {
      const agent_id = await activeAgent(trial, client)
      const answer = await client.post("/v2/webhooks", { callback_url: inbox.url, agent_id, ...body })
      const own = answer.string("subscription_id")
      const listed = await client.get("/v2/webhooks", { page_size: 100 })
      const row = listed
        .items()
        .filter(isObject)
        .find(({ subscription_id }) => subscription_id === own)
      return { ...row, ...(isObject(answer.json) ? answer.json : {}) }
    }
    for (const event_types of [[], undefined]) {
      const { event_types: types } = await more({ event_types })
      check.equal("types", ["EVENT-TYPE-2", "EVENT-TYPE-3"], types, ["all_processing_completed"])
    }
    check.equal("off", "SUBSCRIPTION-7", (await more({ enabled: false }))["enabled"], false)
    const types = await client.patch(`/v2/agents/${agentId}/event-subscriptions`, { event_types: ["call_completed"] })
    check.exists("event-subscriptions", "WEBHOOK-ROUTES-1", types)
    trial.made(await client.delete(path), 204)
    const gone = await client.get("/v2/webhooks")
    check.holds("gone", "WEBHOOK-DELETE-2", !gone.text.includes(id), "no such subscription", gone)
    const read = await client.get(path)
    check.holds("not-read", "WEBHOOK-DELETE-2", read.status === 404 || read.status === 405, "no such resource", read)
    check.exists("ledger", "WEBHOOK-ROUTES-1", await client.get("/v2/webhooks/deliveries"))
  },
}

const signed = async (
  { check }: Trial,
  name: string,
  clauses: ReadonlyArray<string>,
  secret: string,
  one: Awaited<ReturnType<Inbox["received"]>>[number] | undefined,
): Promise<void> => {
  const signature = signatureOf(one?.headers["x-service-signature"] ?? "")
  const expected = signature === undefined ? "" : await hmac(secret, `${signature.t}.${one?.body ?? ""}`)
  check.equal(name, clauses, signature?.v1, expected)
}

/** What is stored goes to nobody else. */
const elsewhere = async (trial: Trial, client: Client): Promise<void> => {
  const { check } = trial
  const other = freshInbox(trial)
  const answer = await test(trial, client, { callback_url: other.url })
  const [one] = await other.received()
  check.equal("no-stored-header", "WEBHOOK-TEST-15", one?.headers["x-stored"], undefined)
  check.equal("no-stored-secret", "WEBHOOK-TEST-15", one?.headers["x-service-signature"], undefined)
  check.equal("unsigned", "WEBHOOK-TEST-15", answer.at("signed"), false, answer)
  check.status("no-url", "WEBHOOK-TEST-14", await client.post("/v2/webhooks/test", { callback_url: null }), 400)
}

const updated = async (trial: Trial, client: Client, path: string, id: string): Promise<void> => {
  const { check } = trial
  const inbox = freshInbox(trial)
  const changes = { callback_url: inbox.url, method_type: "POST", headers: { "x-stored": "new" }, secret: "new" }
  await client.patch(path, changes)
  const read = await client.get(path)
  const url = ["SUBSCRIPTION-2", "WEBHOOK-DELETE-9"]
  if (read.succeeded) check.equal("read", url, read.at("callback_url"), inbox.url, read)
  await test(trial, client, { subscription_id: id })
  const [one] = await inbox.received()
  check.equal("new-method", ["SUBSCRIPTION-3", "WEBHOOK-DELETE-9"], one?.method, "POST")
  check.equal("new-header", ["SUBSCRIPTION-4", "WEBHOOK-DELETE-9"], one?.headers["x-stored"], "new")
  await signed(trial, "new-secret", ["SUBSCRIPTION-5", "WEBHOOK-DELETE-9"], "new", one)
}

/** Addresses that nobody may be called at. */
const refusedHosts = [
  "127.0.0.1",
  "10.1.2.3",
  "192.168.1.1",
  "172.16.0.1",
  "172.31.9.9",
  "169.254.169.254",
  "localhost",
  "[::1]",
  "0.0.0.0",
]

/** Hosts that the specification's own words do not name: a name is judged by what it resolves to. */
const byReading: Readonly<Record<string, string>> = { localhost: "WEBHOOK-TARGET-P15", "0.0.0.0": "WEBHOOK-TARGET-P8" }

const targets: Case = {
  id: "webhooks/results/targets",
  title: "Private, loopback and metadata addresses are refused, and what is malformed is 1000",
  clauses: [
    "CONSTANT-15",
    "DECODE-P15",
    "SUBSCRIPTION-2",
    "WEBHOOK-TARGET-2",
    "WEBHOOK-TARGET-3",
    "WEBHOOK-TARGET-4",
    "WEBHOOK-TARGET-5",
    "WEBHOOK-TARGET-P8",
    "WEBHOOK-TARGET-P15",
    "WEBHOOK-TEST-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const send = (body: object) =>
      client.post("/v2/webhooks/test", { callback_url: "https://hooks.example.invalid/x", ...body })
    for (const host of refusedHosts) {
      const answer = await send({ callback_url: `http://${host}/x` })
      const clause = byReading[host] ?? "WEBHOOK-TARGET-2"
      const isUnknown = answer.at("error_class") === "dns_error"
      if (host === "localhost" && !isUnknown) check.refused("host-localhost-known", "WEBHOOK-TARGET-2", answer, 1000)
      check.refused(`host-${host.replaceAll(/[^a-z0-9.]/g, "")}`, clause, answer, 1000)
    }
    check.refused("event-type", "WEBHOOK-TARGET-3", await send({ event_type: "call_ended" }), 1000)
    for (const method_type of ["GET", "PATCH", "DELETE"]) {
      check.refused("method", "WEBHOOK-TARGET-4", await send({ method_type }), 1000)
    }
    for (const name of ["Host", "Content-Length", "X-Service-Signature", "X-Service-Delivery-Id"]) {
      check.refused("header", "WEBHOOK-TARGET-5", await send({ headers: { [name]: "x" } }), 1000)
    }
    const url = (length: number) => `https://hooks.example.com/${"x".repeat(length - 26)}`
    const clauses = ["CONSTANT-15", "WEBHOOK-TEST-4"]
    const long = await send({ callback_url: url(2_049) })
    check.rejected("too-long", clauses, long)
    check.refused("too-long-code", "DECODE-P15", long, 1001)
    const fits = await trial.settle(send({ callback_url: url(2_048) }))
    check.holds("fits", clauses, fits.code !== 1001, "a URL of 2048 characters", fits)
    const subscription = await client.post("/v2/webhooks", {
      callback_url: url(2_048),
      agent_id: await activeAgent(trial, client),
    })
    check.holds(
      "subscribed",
      ["CONSTANT-15", "SUBSCRIPTION-2"],
      subscription.succeeded,
      "a URL of 2048 characters",
      subscription,
    )
    const id = subscription.string("subscription_id")
    if (id !== "") trial.defer(() => client.delete(`/v2/webhooks/${id}`))
    const over = await client.post("/v2/webhooks", {
      callback_url: url(2_049),
      agent_id: await activeAgent(trial, client),
    })
    const stray = over.string("subscription_id")
    if (stray !== "") trial.defer(() => client.delete(`/v2/webhooks/${stray}`))
    check.rejected("not-subscribed", ["CONSTANT-15", "SUBSCRIPTION-2"], over)
  },
}

const payloads: Case = {
  id: "webhooks/results/payloads",
  title: "The final event of every call tells what the call is, and every attempt is signed and numbered alike",
  clauses: [
    "DELIVERY-1",
    "DELIVERY-4",
    "DELIVERY-6",
    "DELIVERY-8",
    "DELIVERY-9",
    "DELIVERY-10",
    "EVENT-ROUTING-1",
    "EVENT-TYPE-3",
    "PAYLOAD-1",
    "PAYLOAD-2",
    "PAYLOAD-8",
    "PAYLOAD-10",
    "PAYLOAD-13",
    "PAYLOAD-14",
    "PAYLOAD-16",
    "PAYLOAD-19",
    "PAYLOAD-22",
    "PAYLOAD-23",
    "PAYLOAD-26",
    "PAYLOAD-27",
    "PAYLOAD-29",
    "PAYLOAD-31",
    "PAYLOAD-33",
    "PAYLOAD-36",
    "PAYLOAD-38",
    "PAYLOAD-39",
    "PAYLOAD-P2",
    "SIGNATURE-1",
    "SIGNATURE-2",
    "SIGNATURE-5",
  ],
  requires: ["fixtures", "inbox", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: agentId, secret: "s3cret" })
    const outcomes = ["completed", "busy", "noAnswer", "voicemail", "failed", "noRecording"] as const
    for (const outcome of outcomes) await dial(trial, client, agentId, trial.numbers.magic(outcome, 1))
    const contacts = [...magicContacts(trial, 1, "busy"), ...magicContacts(trial, 1, "completed")]
    const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
    const made = await makeCampaign(trial, client, agentId, { contacts, retry_policy })
    await trial.clock.advance(20 * minuteMs + deliveredByMs)
    const list = await client.get("/v2/calls", { page_size: 100 })
    const all = await inbox.received()
    check.equal("once-each", ["DELIVERY-1", "EVENT-ROUTING-1"], all.length, list.items().length)
    const sources: Array<unknown> = []
    for (const { body, headers, payload } of all) {
      check.equal("type", ["PAYLOAD-2", "EVENT-TYPE-3"], payload["event_type"], "all_processing_completed")
      check.holds("delivery-id", "DELIVERY-9", (headers["x-service-delivery-id"] ?? "") !== "", "a delivery id")
      check.holds("not-the-event", "DELIVERY-9", headers["x-service-delivery-id"] !== payload["event_id"], "another id")
      const type = headers["content-type"] ?? ""
      check.holds("content-type", "DELIVERY-8", type.toLowerCase().startsWith("application/json"), "JSON")
      const signature = signatureOf(headers["x-service-signature"] ?? "")
      check.holds(
        "signed",
        ["DELIVERY-10", "SIGNATURE-1"],
        signature !== undefined && signature.t.length < 12,
        "t and v1",
      )
      if (signature !== undefined)
        check.equal("hmac", "SIGNATURE-2", signature.v1, await hmac("s3cret", `${signature.t}.${body}`))
      const call = await client.get(`/v2/calls/${String(payload["call_id"])}`)
      check.status("read", "PAYLOAD-1", call, 200)
      const agrees = (clause: string, field: string, value: unknown) => {
        const got = payload[field]
        if (got !== null && got !== undefined) check.equal(field.replaceAll("_", "-"), clause, got, value, call)
      }
      agrees("PAYLOAD-10", "status", call.at("status"))
      agrees("PAYLOAD-16", "bulk_list_id", call.at("batch_id"))
      agrees("PAYLOAD-19", "call_cost", call.at("cost.total"))
      agrees("PAYLOAD-22", "call_duration", call.at("duration_seconds"))
      agrees("PAYLOAD-27", "recording_url", call.at("recording_url"))
      agrees("PAYLOAD-29", "retry_count", call.at("retry_count"))
      agrees("PAYLOAD-31", "parent_call_id", call.at("parent_execution_id"))
      agrees("PAYLOAD-38", "answered_by_voice_mail", call.at("answered_by_voicemail"))
      agrees("PAYLOAD-39", "hangup_by", call.at("hangup_by"))
      agrees("PAYLOAD-14", "custom_args_values", call.at("variables"))
      if (call.number("retry_count") > 0)
        check.equal(
          "parent",
          "PAYLOAD-31",
          payload["parent_call_id"] ?? call.at("parent_execution_id"),
          call.at("parent_execution_id"),
          call,
        )
      told(trial, payload)
      sources.push(payload["calling_source"] ?? expectedSource(call))
      const expected = expectedSource(call)
      agrees("PAYLOAD-13", "calling_source", expected)
    }
    const isThere = ["api", "campaign", "retry"].every((source) => sources.includes(source))
    check.holds("sources", ["PAYLOAD-13", "DELIVERY-1", "EVENT-ROUTING-1"], isThere, "calls of every source")
    check.holds("campaign", "EVENT-ROUTING-1", made.string("batch_id") !== "", "a batch")
    const ledger = await client.get("/v2/webhooks/deliveries", { page_size: 100 })
    const signs = ledger.items().map((_row, n) => ledger.at(`data.${n}.signed`))
    check.holds(
      "ledger-signed",
      "SIGNATURE-5",
      signs.every((each) => each !== false),
      "signed deliveries",
      ledger,
    )
  },
}

const expectedSource = (call: Answer): string => {
  if (call.at("campaign_id") === null) return "api"
  return call.number("retry_count") > 0 ? "retry" : "campaign"
}

const isTurn = (turn: unknown): boolean =>
  isObject(turn) && typeof turn["role"] === "string" && typeof turn["content"] === "string"

/** What the payload says of itself. */
const told = ({ check }: Trial, payload: Readonly<Record<string, unknown>>): void => {
  const { agent_id, agent_name, client_analysis, client_analysis_status, transcript, transcript_status } = payload
  if (typeof agent_name === "string") {
    check.holds("agent-name", "PAYLOAD-8", agent_name !== agent_id && agent_name.startsWith("Conformance"), "its name")
  }
  const turns = Array.isArray(transcript) ? transcript : undefined
  if (turns === undefined || turns.length === 0) {
    check.holds("no-transcript", "PAYLOAD-26", transcript_status !== "available", "not available without turns")
  } else {
    check.holds("turns", "PAYLOAD-P2", turns.every(isTurn), "turns {role, content}")
    const of = (role: RegExp) => turns.filter((turn) => role.test(String(Object(turn).role))).length
    // What a turn is made of is a reading.
    const isTold = turns.every(isTurn)
    const [agent, user] = isTold ? [payload["agent_message_count"], payload["user_message_count"]] : []
    if (typeof agent === "number") check.equal("agent-turns", "PAYLOAD-23", agent, of(/agent|assistant/))
    if (typeof user === "number") check.equal("user-turns", "PAYLOAD-23", user, of(/user|customer/))
  }
  if (client_analysis === null && client_analysis_status !== null && client_analysis_status !== undefined) {
    check.holds("client-analysis", "PAYLOAD-36", client_analysis_status !== "completed", "not completed without one")
  }
  const { platform_analysis, platform_analysis_status } = payload
  if (platform_analysis_status === "completed") {
    const analysis = Object(platform_analysis)
    for (const name of ["summary", "sentiment"])
      check.holds("analysis", "PAYLOAD-33", name in analysis, `${name} in it`)
  }
}

/** Webhooks as their receivers see them. */
export const resultCases: ReadonlyArray<Case> = [results, stored, targets, payloads]
