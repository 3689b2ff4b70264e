import type { Case } from "../../run/Case.ts"

const first: Case = {
  id: "authentication/order/before-everything",
  title: "Who is not known learns nothing else: 401 comes before every other refusal",
  clauses: ["PIPELINE-P1", "PIPELINE-P3", "AUTH-KEY-4"],
  requires: ["http"],
  run: async ({ check, anonymous }) => {
    check.refused("unknown-route", "PIPELINE-P3", await anonymous.get("/v2/no-such-thing"), 1100)
    check.refused("wrong-method", "PIPELINE-P3", await anonymous.delete("/v2/user/me"), 1100)
    check.refused("unknown-resource", "AUTH-KEY-4", await anonymous.get("/v2/calls/exec_unknown"), 1100)
    check.refused(
      "foreign-organization",
      "PIPELINE-P1",
      await anonymous.get("/v2/user/me", { organization_id: "org_x" }),
      1100,
    )
    check.refused("empty-body", "AUTH-KEY-4", await anonymous.post("/v2/agents", {}), 1100)
    const malformed = await anonymous.send("POST", "/v2/agents", {
      raw: "{",
      headers: { "content-type": "application/json" },
    })
    check.refused("malformed-body", "AUTH-KEY-4", malformed, 1100)
    check.refused("bad-query", "AUTH-KEY-4", await anonymous.get("/v2/agents", { page: "x" }), 1100)
  },
}

const zoo: Case = {
  id: "authentication/order/status-then-organization",
  title: "An inactive key is 1100, an active one without organization 1102, and both are refused everywhere",
  clauses: [
    "AUTH-REJECT-1",
    "AUTH-REJECT-5",
    "AUTH-REJECT-6",
    "SCOPES-ROUTE-4",
    "AUTH-REJECT-G4",
    "AUTH-REJECT-G5",
    "ERROR-6",
    "ERROR-8",
    "PIPELINE-P1",
    "PIPELINE-P3",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({
      keys: [{}, { status: "inactive" }, { bound: false }, { status: "inactive", bound: false }],
    })
    const [active, inactive, unbound, both] = clients
    if (active === undefined || inactive === undefined || unbound === undefined || both === undefined) return

    check.status("active", "AUTH-REJECT-5", await active.get("/v2/user/me"), 200)
    const asleep = await inactive.get("/v2/user/me")
    check.refused("inactive", ["AUTH-REJECT-5", "ERROR-6"], asleep, 1100)
    check.equal("inactive-wording", "AUTH-REJECT-G4", asleep.message, "API key is inactive.", asleep)
    const homeless = await unbound.get("/v2/user/me")
    check.refused("unbound", ["AUTH-REJECT-6", "ERROR-8"], homeless, 1102)
    check.equal(
      "unbound-wording",
      "AUTH-REJECT-G5",
      homeless.message,
      "This API key is not bound to an organization.",
      homeless,
    )
    check.refused("inactive-before-unbound", "AUTH-REJECT-1", await both.get("/v2/user/me"), 1100)

    for (const path of ["/v2/scopes", "/v2/api-keys", "/v2/agents", "/v2/calls"]) {
      check.refused(`inactive-on${path}`, ["AUTH-REJECT-5", "SCOPES-ROUTE-4"], await inactive.get(path), 1100)
      check.refused(`unbound-on${path}`, ["AUTH-REJECT-6", "SCOPES-ROUTE-4"], await unbound.get(path), 1102)
    }
    check.refused("inactive-on-unknown-route", "PIPELINE-P3", await inactive.get("/v2/no-such-thing"), 1100)
    check.refused("unbound-on-unknown-route", "PIPELINE-P3", await unbound.get("/v2/no-such-thing"), 1102)
    check.refused(
      "unbound-with-organization",
      "PIPELINE-P1",
      await unbound.get("/v2/user/me", { organization_id: "org_x" }),
      1102,
    )
  },
}

const headers: Case = {
  id: "authentication/order/headers-on-refusals",
  title: "A refused request carries the rate headers, with the whole ceiling left",
  clauses: ["RATE-HEADERS-1", "RATE-HEADERS-P1"],
  requires: ["http"],
  run: async ({ check, anonymous }) => {
    for (const path of ["/v2/user/me", "/v2/calls", "/v2/no-such-thing"]) {
      const answer = await anonymous.get(path)
      const limit = answer.integerHeader("x-ratelimit-limit")
      check.holds(`present-on${path}`, "RATE-HEADERS-1", limit > 0, "X-RateLimit-Limit on a 401", answer)
      const remaining = answer.integerHeader("x-ratelimit-remaining")
      check.equal(`full-on${path}`, "RATE-HEADERS-P1", remaining, limit, answer)
    }
  },
}

export const orderCases: ReadonlyArray<Case> = [first, zoo, headers]
