import type { Case } from "../../run/Case.ts"
import { isObject } from "../../http/Json.ts"
import { freshInbox, subscribe } from "../../trial/Webhooks.ts"
import { limitOf } from "../rate/Pace.ts"

const types = [
  "all_processing_completed",
  "call_completed",
  "call_corrected",
  "call_ringing",
  "call_started",
  "client_analysis_completed",
  "platform_analysis_completed",
  "recording_completed",
]

const route = "/v2/webhooks/test"

const urlOf = (length: number): string => `https://example.com/${"a".repeat(length - "https://example.com/".length)}`

const bounds: Case = {
  id: "webhooks/test/bounds",
  title: "The test route counts in its bucket and takes an address of at most 2048 characters",
  clauses: ["WEBHOOK-TEST-1", "WEBHOOK-TEST-3", "WEBHOOK-TEST-4", "WEBHOOK-TEST-5", "CONSTANT-15", "DECODE-P15"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const rest = limitOf(await client.get("/v2/user/me"))
    const neither = await client.post(route, { callback_url: null })
    check.equal("bucket", "WEBHOOK-TEST-1", limitOf(neither), rest, neither)
    check.rejected("neither", "WEBHOOK-TEST-5", neither)
    check.rejected("no-json", "WEBHOOK-TEST-3", await client.send("POST", route, { raw: "{" }))
    for (const value of [5, {}, ["https://example.com"], "not a url"]) {
      check.rejected("no-url", "WEBHOOK-TEST-4", await client.post(route, { callback_url: value }))
    }
    const long = { callback_url: urlOf(2_049) }
    const tooLong = await client.post(route, long)
    check.rejected("too-long", ["WEBHOOK-TEST-4", "CONSTANT-15"], tooLong)
    check.refused("too-long-code", "DECODE-P15", tooLong, 1001)
    check.rejected("too-long-subscription", "CONSTANT-15", await client.post("/v2/webhooks", long))
    const longest = await client.post("/v2/webhooks", { callback_url: urlOf(2_048), enabled: false })
    check.that("longest", "CONSTANT-15", longest.status !== 422, {
      expected: "2048 characters are not too many",
      got: `HTTP ${longest.status}`,
      at: longest,
    })
    if (longest.succeeded) await client.delete(`/v2/webhooks/${longest.string("subscription_id")}`)
  },
}

const fields: Case = {
  id: "webhooks/test/fields",
  title: "Every event type, method and header of a test arrives as it was asked for, and is stored nowhere",
  clauses: [
    "WEBHOOK-TEST-7",
    "WEBHOOK-TEST-10",
    "WEBHOOK-TEST-11",
    "WEBHOOK-RESULT-5",
    "WEBHOOK-RESULT-6",
    "WEBHOOK-RESULT-8",
    "WEBHOOK-RESULT-10",
  ],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const inbox = freshInbox(trial)
    const test = (body: Readonly<Record<string, unknown>>) =>
      trial.settle(client.post(route, { callback_url: inbox.url, ...body }))
    for (const event_type of types) {
      const answer = await test({ event_type })
      check.equal(`type-${event_type}`, "WEBHOOK-TEST-7", answer.at("event_type"), event_type, answer)
      const got = (await inbox.received()).at(-1)
      check.equal(`sent-${event_type}`, "WEBHOOK-TEST-7", got?.payload["event_type"], event_type, answer)
    }
    for (const event_type of ["call_ended", "ALL_PROCESSING_COMPLETED", ""]) {
      check.rejected(
        `no-type-${event_type}`,
        "WEBHOOK-TEST-7",
        await client.post(route, { callback_url: inbox.url, event_type }),
      )
    }
    for (const method_type of ["POST", "PUT"]) {
      const answer = await test({ method_type, headers: { "x-own": `own-${method_type}` } })
      const got = (await inbox.received()).at(-1)
      check.equal(`method-${method_type}`, "WEBHOOK-TEST-10", got?.method, method_type, answer)
      check.equal(`header-${method_type}`, "WEBHOOK-TEST-11", got?.headers["x-own"], `own-${method_type}`, answer)
    }
    const plain = await test({})
    const got = (await inbox.received()).at(-1)
    check.equal("post-by-default", "WEBHOOK-TEST-10", got?.method, "POST", plain)
    check.equal("nothing-stored", "WEBHOOK-TEST-11", got?.headers["x-own"], undefined, plain)
    const signed = await test({ secret: "whsec_fields" })
    const name = signed.string("signature_header").toLowerCase()
    check.equal("signature-header", "WEBHOOK-RESULT-8", name, "x-service-signature", signed)
    check.holds("duration", "WEBHOOK-RESULT-6", signed.number("duration_ms") >= 0, "a duration in milliseconds", signed)
    const deliveryId = signed.string("delivery_id")
    check.holds("delivery-id", "WEBHOOK-RESULT-10", deliveryId !== "", "an id of its own", signed)
    const ledger = await client.get("/v2/webhooks/deliveries")
    const listed = ledger
      .items()
      .filter(isObject)
      .some(({ delivery_id }) => delivery_id === deliveryId)
    check.holds("delivery-not-listed", "WEBHOOK-RESULT-10", !listed, "no row in the ledger", ledger)
    await inbox.behave({ status: 500 })
    const failed = await test({})
    const message = failed.at("error_message")
    check.holds(
      "error-message",
      "WEBHOOK-RESULT-5",
      message === null || typeof message === "string",
      "text or null",
      failed,
    )
  },
}

const budget: Case = {
  id: "webhooks/test/budget",
  title: "A test takes one attempt and ten seconds at most",
  clauses: ["WEBHOOK-TEST-18", "CONSTANT-16"],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const inbox = freshInbox(trial)
    const test = () => trial.settle(client.post(route, { callback_url: inbox.url }))
    await inbox.behave({ delay_ms: 9_000 })
    const late = await test()
    check.equal("in-time", ["WEBHOOK-TEST-18", "CONSTANT-16"], late.at("delivered"), true, late)
    await inbox.behave({ delay_ms: 11_000 })
    const before = await trial.clock.now()
    const tooLate = await test()
    const took = (await trial.clock.now()) - before
    check.equal("out-of-time", "CONSTANT-16", tooLate.at("delivered"), false, tooLate)
    check.holds("budget", "CONSTANT-16", took <= 11_000, "an answer after ten seconds", tooLate)
    await inbox.behave({ status: 500 })
    const count = (await inbox.received()).length
    await test()
    await trial.clock.advance(10 * 60_000)
    check.equal("one-attempt", ["WEBHOOK-TEST-18", "CONSTANT-16"], (await inbox.received()).length, count + 1)
  },
}

const away: Case = {
  id: "webhooks/test/store-away",
  title: "A test of a subscription that cannot be read is 1501",
  clauses: ["WEBHOOK-TEST-25"],
  requires: ["fixtures", "inbox", "faults:webhook_store"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const id = await subscribe(trial, client, freshInbox(trial), {})
    await trial.breaks("webhook_store", { mode: "unreachable" })
    check.refused("away", "WEBHOOK-TEST-25", await client.post(route, { subscription_id: id }), 1501)
    await trial.restores("webhook_store")
    const again = await client.post(route, { subscription_id: id })
    check.status("back", "WEBHOOK-TEST-25", again, 202)
  },
}

/** Cases of the fields and bounds of `POST /v2/webhooks/test`. */
export const testFieldCases: ReadonlyArray<Case> = [bounds, fields, budget, away]
