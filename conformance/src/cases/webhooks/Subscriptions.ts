import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"

const hook = "https://hooks.example.com/in"

const life: Case = {
  id: "webhooks/subscriptions/life",
  title: "A subscription is made, read, changed and deleted for good, and never shows its secret and headers",
  clauses: [
    "SUBSCRIPTION-1",
    "SUBSCRIPTION-2",
    "SUBSCRIPTION-3",
    "SUBSCRIPTION-4",
    "SUBSCRIPTION-5",
    "SUBSCRIPTION-6",
    "SUBSCRIPTION-7",
    "SUBSCRIPTION-8",
    "SUBSCRIPTION-P1",
    "SUBSCRIPTION-P2",
    "SUBSCRIPTION-P3",
    "EVENT-TYPE-2",
    "WEBHOOK-DELETE-3",
    "WEBHOOK-DELETE-4",
    "WEBHOOK-DELETE-5",
    "WEBHOOK-ROUTES-1",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const other = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const created = await client.post("/v2/webhooks", {
      callback_url: hook,
      agent_id: agentId,
      secret: "whsec_conformance_secret",
      headers: { "x-conformance": "conformance-header" },
      event_types: [],
    })
    check.status("created", "SUBSCRIPTION-P3", created, 201)
    const id = created.string("subscription_id")
    check.holds("has-id", "SUBSCRIPTION-1", id !== "", "a subscription_id", created)
    check.must(id !== "")
    check.equal("created-whole", "SUBSCRIPTION-P1", created.at("callback_url"), hook, created)
    const every = await client.get("/v2/webhooks")
    // What the answer to a create shows is not said.
    check.equal("url", "SUBSCRIPTION-2", every.at("data.0.callback_url"), hook, every)
    check.equal("method", "SUBSCRIPTION-3", every.at("data.0.method_type"), "POST", every)
    check.equal(
      "types",
      ["SUBSCRIPTION-6", "EVENT-TYPE-2"],
      every.at("data.0.event_types"),
      ["all_processing_completed"],
      every,
    )
    check.equal("enabled", "SUBSCRIPTION-7", every.at("data.0.enabled"), true, every)
    check.equal("agent", "SUBSCRIPTION-8", every.at("data.0.agent_id"), agentId, every)
    const ids = every.items().map((_row, nth) => every.string(`data.${nth}.subscription_id`))
    if (every.items().length > 0) check.holds("listed-ids", "SUBSCRIPTION-1", !ids.includes(""), "ids on lists", every)
    const read = await client.get(`/v2/webhooks/${id}`)
    check.status("read", "SUBSCRIPTION-P3", read, 200)
    const changed = await client.patch(`/v2/webhooks/${id}`, { enabled: false, method_type: "PUT" })
    check.equal("changed", "SUBSCRIPTION-P1", changed.at("method_type"), "PUT", changed)
    const list = await client.get("/v2/webhooks")
    check.equal("listed", "SUBSCRIPTION-P3", list.at("data.0.subscription_id"), id, list)
    check.equal(
      "changed-on-list",
      ["SUBSCRIPTION-7", "WEBHOOK-ROUTES-1"],
      [list.at("data.0.enabled"), list.at("data.0.method_type")],
      [false, "PUT"],
      list,
    )
    for (const answer of [created, read, changed, list]) {
      check.holds(
        "secret-hidden",
        ["SUBSCRIPTION-5", "SUBSCRIPTION-P2"],
        !answer.text.includes("whsec_conformance_secret"),
        "no secret",
        answer,
      )
      check.holds(
        "headers-hidden",
        ["SUBSCRIPTION-4", "SUBSCRIPTION-P2"],
        !answer.text.includes("conformance-header"),
        "no header values",
        answer,
      )
    }
    check.refused("foreign", "WEBHOOK-DELETE-4", await other.client.delete(`/v2/webhooks/${id}`), 1200)
    const deleted = await client.delete(`/v2/webhooks/${id}`)
    check.status("deleted", "WEBHOOK-DELETE-3", deleted, 204)
    check.equal("deleted-empty", "WEBHOOK-DELETE-3", deleted.text, "", deleted)
    check.refused(
      "deleted-twice",
      ["WEBHOOK-DELETE-4", "WEBHOOK-DELETE-5"],
      await client.delete(`/v2/webhooks/${id}`),
      1200,
    )
  },
}

const refused: Case = {
  id: "webhooks/subscriptions/refused",
  title: "Destinations, headers, methods and event types that are not allowed are refused",
  clauses: [
    "WEBHOOK-TARGET-2",
    "WEBHOOK-TARGET-3",
    "WEBHOOK-TARGET-4",
    "WEBHOOK-TARGET-5",
    "WEBHOOK-TARGET-P1",
    "WEBHOOK-TARGET-P2",
    "WEBHOOK-TARGET-P3",
    "WEBHOOK-TARGET-P6",
    "WEBHOOK-TARGET-P8",
    "WEBHOOK-TARGET-P9",
    "WEBHOOK-TARGET-P10",
    "WEBHOOK-TARGET-P11",
    "WEBHOOK-TARGET-P12",
    "WEBHOOK-TARGET-P13",
    "WEBHOOK-TARGET-P15",
    "SUBSCRIPTION-P6",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const test = (body: object) => client.post("/v2/webhooks/test", body)
    const urls: ReadonlyArray<readonly [string, string, string]> = [
      ["loopback", "http://127.0.0.1/x", "WEBHOOK-TARGET-2"],
      ["private", "http://10.1.2.3/x", "WEBHOOK-TARGET-2"],
      ["metadata", "http://169.254.169.254/latest", "WEBHOOK-TARGET-2"],
      ["short-loopback", "http://127.1/x", "WEBHOOK-TARGET-P6"],
      ["decimal-loopback", "http://2130706433/x", "WEBHOOK-TARGET-P6"],
      ["hex-loopback", "http://0x7f.1/x", "WEBHOOK-TARGET-P6"],
      ["shared", "http://100.64.0.1/x", "WEBHOOK-TARGET-P8"],
      ["platform", "http://168.63.129.16/x", "WEBHOOK-TARGET-P8"],
      ["multicast", "http://224.0.0.1/x", "WEBHOOK-TARGET-P8"],
      ["ipv6-loopback", "http://[::1]/x", "WEBHOOK-TARGET-P9"],
      ["ipv6-local", "http://[fd00::1]/x", "WEBHOOK-TARGET-P9"],
      ["ipv6-documentation", "http://[2001:db8::1]/x", "WEBHOOK-TARGET-P9"],
      ["mapped", "http://[::ffff:127.0.0.1]/x", "WEBHOOK-TARGET-P10"],
      ["translated", "http://[64:ff9b::7f00:1]/x", "WEBHOOK-TARGET-P10"],
      ["metadata-name", "http://metadata.google.internal/x", "WEBHOOK-TARGET-P11"],
      ["metadata-name-dot", "http://metadata.google.internal./x", "WEBHOOK-TARGET-P11"],
      ["local-name", "http://localhost/x", "WEBHOOK-TARGET-P15"],
      ["single-label", "http://intranet/x", "WEBHOOK-TARGET-P15"],
      ["local-ending", "http://printer.local/x", "WEBHOOK-TARGET-P15"],
      ["scheme", "ftp://hooks.example.com/x", "WEBHOOK-TARGET-P3"],
      ["credentials", "https://user:pw@hooks.example.com/x", "WEBHOOK-TARGET-P3"],
    ]
    for (const [name, url, clause] of urls) {
      check.refused(`test-${name}`, clause, await test({ callback_url: url }), 1000)
      // When and with which code a subscription is refused is not shown.
      const made = await client.post("/v2/webhooks", { callback_url: url })
      check.rejected(`create-${name}`, clause === "WEBHOOK-TARGET-2" ? "WEBHOOK-TARGET-P13" : clause, made)
      check.refused(`create-${name}-code`, "WEBHOOK-TARGET-P12", made, 1000)
    }
    check.refused("event-type", "WEBHOOK-TARGET-3", await test({ callback_url: hook, event_type: "call_dreamt" }), 1000)
    check.refused("method", "WEBHOOK-TARGET-4", await test({ callback_url: hook, method_type: "DELETE" }), 1000)
    for (const name of ["Host", "Content-Length", "X-Service-Signature"]) {
      check.refused("reserved", "WEBHOOK-TARGET-5", await test({ callback_url: hook, headers: { [name]: "x" } }), 1000)
    }
    for (const name of [
      "Content-Type",
      "Transfer-Encoding",
      "Connection",
      "TE",
      "Upgrade",
      "Proxy-X",
      "Sec-X",
      "Cookie",
    ]) {
      check.refused(
        "reserved-here",
        "WEBHOOK-TARGET-P1",
        await test({ callback_url: hook, headers: { [name]: "x" } }),
        1000,
      )
    }
    // The list of the refused is whole: what a customer's own endpoint asks for goes through.
    for (const name of ["User-Agent", "Webhook-Token", "X-Forwarded-For", "Date"]) {
      const tested = await test({ callback_url: hook, headers: { [name]: "x" } })
      check.status("not-listed", "WEBHOOK-TARGET-P1", tested, 202)
    }
    for (const wrong of [{ event_types: ["call_dreamt"] }, { method_type: "DELETE" }]) {
      const made = await client.post("/v2/webhooks", { callback_url: hook, ...wrong })
      check.refused("never-subscribed", "SUBSCRIPTION-P6", made, 1000)
    }
    const authorized = await client.post("/v2/webhooks", { callback_url: hook, headers: { authorization: "Bearer x" } })
    check.status("authorization-allowed", "WEBHOOK-TARGET-P2", authorized, 201)
  },
}

const defaults: Case = {
  id: "webhooks/subscriptions/default",
  title: "An organization has one default, an agent any number, and the agent's route sets the types of all of them",
  clauses: ["SUBSCRIPTION-P4", "SUBSCRIPTION-P5", "EVENT-ROUTING-P1"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    trial.done(await client.post("/v2/webhooks", { callback_url: hook }))
    check.refused("second-default", "SUBSCRIPTION-P4", await client.post("/v2/webhooks", { callback_url: hook }), 1201)
    const types = { event_types: ["call_started"] }
    const route = `/v2/agents/${agentId}/event-subscriptions`
    check.refused("none", "SUBSCRIPTION-P5", await client.patch(route, types), 1200)
    for (const nth of [1, 2]) {
      const made = await client.post("/v2/webhooks", { callback_url: `${hook}/${nth}`, agent_id: agentId })
      check.status("several", "EVENT-ROUTING-P1", made, 201)
    }
    check.status("set", "SUBSCRIPTION-P5", await client.patch(route, types), 200)
    const list = await client.get("/v2/webhooks", { agent_id: agentId })
    check.equal(
      "all-set",
      "SUBSCRIPTION-P5",
      [list.at("data.0.event_types"), list.at("data.1.event_types")],
      [["call_started"], ["call_started"]],
      list,
    )
  },
}

/** Cases of webhook subscriptions. */
export const subscriptionCases: ReadonlyArray<Case> = [life, refused, defaults]
