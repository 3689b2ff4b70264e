import { isObject, parseJson } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"
import { deliveredByMs, freshInbox, hmac, signatureOf, subscribe } from "../../trial/Webhooks.ts"

const result: Case = {
  id: "webhooks/test/result",
  title: "The test sends one signed event, reports what came of it, and stores nothing",
  clauses: [
    "WEBHOOK-TEST-2",
    "WEBHOOK-TEST-8",
    "WEBHOOK-TEST-9",
    "WEBHOOK-TEST-12",
    "WEBHOOK-TEST-16",
    "WEBHOOK-TEST-19",
    "WEBHOOK-TEST-20",
    "WEBHOOK-TEST-21",
    "WEBHOOK-TEST-22",
    "WEBHOOK-RESULT-1",
    "WEBHOOK-RESULT-2",
    "WEBHOOK-RESULT-3",
    "WEBHOOK-RESULT-4",
    "WEBHOOK-RESULT-7",
    "WEBHOOK-RESULT-9",
    "WEBHOOK-RESULT-11",
    "WEBHOOK-RESULT-12",
    "WEBHOOK-RESULT-13",
    "SIGNATURE-1",
    "SIGNATURE-2",
    "DELIVERY-8",
    "DELIVERY-10",
    "PAYLOAD-44",
  ],
  requires: ["fixtures", "inbox"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const inbox = freshInbox(trial)
    const secret = "whsec_conformance"
    const answer = await trial.settle(
      client.post("/v2/webhooks/test", { callback_url: inbox.url, secret, agent_id: "agt_stamped" }),
    )
    check.status("accepted", "WEBHOOK-TEST-21", answer, 202)
    check.equal("accepted-true", "WEBHOOK-RESULT-1", answer.at("accepted"), true, answer)
    check.equal("delivered", "WEBHOOK-RESULT-2", answer.at("delivered"), true, answer)
    check.equal("status", "WEBHOOK-RESULT-3", answer.at("http_status"), 200, answer)
    check.equal("signed", "WEBHOOK-RESULT-7", answer.at("signed"), true, answer)
    check.equal(
      "type",
      ["WEBHOOK-RESULT-9", "WEBHOOK-TEST-8"],
      answer.at("event_type"),
      "all_processing_completed",
      answer,
    )
    check.equal("method", "WEBHOOK-RESULT-11", answer.at("method_type"), "POST", answer)
    const received = await inbox.received()
    check.equal("one-attempt", ["WEBHOOK-TEST-2", "WEBHOOK-TEST-16"], received.length, 1, answer)
    const [request] = received
    check.must(request !== undefined)
    if (request === undefined) return
    check.equal("exact-body", "WEBHOOK-RESULT-13", answer.at("body"), request.body, answer)
    const { payload } = request
    check.equal("is-a-test", ["WEBHOOK-TEST-20", "PAYLOAD-44"], payload["test"], true, answer)
    check.equal("agent", "WEBHOOK-TEST-9", payload["agent_id"], "agt_stamped", answer)
    check.equal(
      "envelope",
      ["WEBHOOK-TEST-20", "PAYLOAD-44"],
      ["event_type", "event_id", "call_id"].filter((key) => typeof payload[key] !== "string"),
      [],
      answer,
    )
    check.holds(
      "content-type",
      "DELIVERY-8",
      request.headers["content-type"]?.startsWith("application/json") === true,
      "a Content-Type",
      answer,
    )
    const header = request.headers["x-service-signature"] ?? ""
    const signature = signatureOf(header)
    check.holds(
      "signature-form",
      ["SIGNATURE-1", "DELIVERY-10"],
      signature !== undefined,
      "t=<unix_seconds>,v1=<hex>",
      answer,
    )
    const digest = await hmac(secret, `${signature?.t}.${request.body}`)
    check.equal("signature", ["SIGNATURE-2", "WEBHOOK-TEST-12"], signature?.v1, digest, answer)
    const names = answer.items("sent_header_names").map((name) => String(name).toLowerCase())
    check.holds(
      "names",
      "WEBHOOK-RESULT-12",
      names.includes("x-service-signature"),
      "the names of the headers sent",
      answer,
    )
    await inbox.behave({ status: 503 })
    const failed = await trial.settle(client.post("/v2/webhooks/test", { callback_url: inbox.url }))
    check.equal(
      "not-an-api-error",
      ["WEBHOOK-TEST-22", "WEBHOOK-RESULT-4"],
      [failed.status, failed.at("delivered"), failed.at("http_status"), failed.at("error_class")],
      [202, false, 503, "http_error"],
      failed,
    )
    check.equal("no-retry", "WEBHOOK-TEST-16", (await inbox.received()).length, 2, failed)
    const ledger = await client.get("/v2/webhooks/deliveries")
    check.equal("no-ledger", "WEBHOOK-TEST-19", ledger.items().length, 0, ledger)
  },
}

const stored: Case = {
  id: "webhooks/test/stored",
  title: "A subscription is tested as configured, and its secret and headers go nowhere but to its own URL",
  clauses: [
    "WEBHOOK-TEST-6",
    "WEBHOOK-TEST-13",
    "WEBHOOK-TEST-14",
    "WEBHOOK-TEST-15",
    "WEBHOOK-TEST-24",
    "WEBHOOK-TEST-17",
    "WEBHOOK-TEST-P1",
  ],
  requires: ["fixtures", "inbox", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const [inbox, elsewhere] = [freshInbox(trial), freshInbox(trial)]
    const secret = "whsec_stored"
    const id = await subscribe(trial, client, inbox, {
      secret,
      headers: { authorization: "Bearer own" },
      method_type: "PUT",
    })
    const tested = await trial.settle(client.post("/v2/webhooks/test", { subscription_id: id }))
    check.equal("delivered", "WEBHOOK-TEST-6", tested.at("delivered"), true, tested)
    const [request] = await inbox.received()
    check.equal(
      "as-configured",
      "WEBHOOK-TEST-6",
      [request?.method, request?.headers["authorization"]],
      ["PUT", "Bearer own"],
      tested,
    )
    const signature = signatureOf(request?.headers["x-service-signature"] ?? "")
    const digest = await hmac(secret, `${signature?.t}.${request?.body}`)
    check.equal("stored-secret", "WEBHOOK-TEST-6", signature?.v1, digest, tested)
    const other = await client.post("/v2/webhooks/test", { subscription_id: id, callback_url: elsewhere.url })
    check.refused("different-url", "WEBHOOK-TEST-13", other, 1000)
    check.equal("nothing-elsewhere", "WEBHOOK-TEST-15", (await elsewhere.received()).length, 0, other)
    const neither = await client.post("/v2/webhooks/test", {})
    check.status("neither", "WEBHOOK-TEST-14", neither, 400)
    check.refused("neither-code", "WEBHOOK-TEST-P1", neither, 1000)
    const unknown = await client.post("/v2/webhooks/test", { subscription_id: "sub_of_nobody" })
    check.refused("unknown", "WEBHOOK-TEST-24", unknown, 1200)
    await inbox.behave({ error: "timeout" })
    const slow = await trial.settle(client.post("/v2/webhooks/test", { subscription_id: id }))
    check.equal(
      "budget",
      "WEBHOOK-TEST-17",
      [slow.at("error_class"), slow.at("duration_ms")],
      ["timeout", 10_000],
      slow,
    )
  },
}

const names: Case = {
  id: "webhooks/test/names",
  title: "A name is judged by every address that it resolves to",
  clauses: ["WEBHOOK-TARGET-1", "WEBHOOK-TARGET-P4", "WEBHOOK-TARGET-P14", "WEBHOOK-TARGET-P16"],
  requires: ["fixtures", "dns", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    trial.defer(() => trial.control.ask("PUT", "/dns", { records: {} }))
    await trial.control.ask("PUT", "/dns", {
      records: {
        "inner.example.com": ["10.0.0.1"],
        "inner.example.test": ["192.168.0.1"],
        "mixed.example.com": ["93.184.216.34", "127.0.0.1"],
      },
    })
    const test = (host: string) => client.post("/v2/webhooks/test", { callback_url: `https://${host}/x` })
    check.refused("resolves-inside", "WEBHOOK-TARGET-1", await test("inner.example.com"), 1000)
    check.refused("of-any-ending", "WEBHOOK-TARGET-1", await test("inner.example.test"), 1000)
    check.refused("one-of-several", "WEBHOOK-TARGET-P4", await test("mixed.example.com"), 1000)
    const body = parseJson((await test("nowhere.example.com")).text)
    check.equal("unresolved", "WEBHOOK-TARGET-1", isObject(body) ? body["error_class"] : body, "dns_error")
    const agent_id = await activeAgent(trial, client)
    const made = await client.post("/v2/webhooks", { callback_url: "https://inner.example.com/x", agent_id })
    check.status("not-at-create", "WEBHOOK-TARGET-P16", made, 201)
    if (!made.succeeded) return
    await dial(trial, client, agent_id, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    const ledger = await client.get("/v2/webhooks/deliveries")
    const sent = [ledger.at("data.0.status"), ledger.at("data.0.http_status")]
    check.equal("nothing-sent-inside", "WEBHOOK-TARGET-P14", sent, ["failed", null], ledger)
  },
}

/** Cases of `POST /v2/webhooks/test`. */
export const testedCases: ReadonlyArray<Case> = [result, stored, names]
