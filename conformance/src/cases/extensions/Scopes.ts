import type { Case } from "../../run/Case.ts"
import { checkScopes, type ScopedRoute } from "../../trial/Callees.ts"

const number = "+15556000001"
const numbers = { to_numbers: [number] }

const suppressions: Case = {
  id: "extensions/suppressions/rights",
  title: "Reading, adding, and taking away suppressions need a scope each",
  clauses: ["SUPPRESSION-E70"],
  requires: ["fixtures", "extension:suppressions"],
  run: (trial) =>
    checkScopes(
      trial,
      () => "SUPPRESSION-E70",
      ["calls:read", "calls:write", "agents:write"],
      [
        { method: "GET", path: "/v2/suppressions", scope: "calls:read" },
        { method: "POST", path: "/v2/suppressions/check", body: numbers, scope: "calls:read" },
        { method: "GET", path: "/v2/suppressions/rules", scope: "calls:read" },
        { method: "POST", path: "/v2/suppressions", body: numbers, scope: "calls:write" },
        { method: "POST", path: "/v2/suppressions/remove", body: numbers, scope: "agents:write" },
        { method: "PUT", path: "/v2/suppressions/rules", body: { suppress_on: [] }, scope: "agents:write" },
      ],
    ),
}

const byScope =
  (reading: string, writing: string) =>
  ({ scope }: ScopedRoute): string =>
    scope === "agents:read" ? reading : writing

const hours: Case = {
  id: "extensions/callee-hours/rights",
  title: "Reading, presets and checks of callee hours need agents:read, setting and removing agents:write",
  clauses: ["HOURS-E44", "HOURS-E45"],
  requires: ["fixtures", "extension:callee-hours"],
  run: (trial) =>
    checkScopes(
      trial,
      byScope("HOURS-E44", "HOURS-E45"),
      ["agents:read", "agents:write"],
      [
        { method: "GET", path: "/v2/callee-hours", scope: "agents:read" },
        { method: "GET", path: "/v2/callee-hours/presets", scope: "agents:read" },
        { method: "POST", path: "/v2/callee-hours/check", body: numbers, scope: "agents:read" },
        { method: "PUT", path: "/v2/callee-hours", body: {}, scope: "agents:write" },
        { method: "DELETE", path: "/v2/callee-hours", scope: "agents:write" },
      ],
    ),
}

const caps: Case = {
  id: "extensions/call-caps/rights",
  title: "Reading call caps needs agents:read, setting and removing agents:write",
  clauses: ["CAPS-E31", "CAPS-E32"],
  requires: ["fixtures", "extension:call-caps"],
  run: (trial) =>
    checkScopes(
      trial,
      byScope("CAPS-E31", "CAPS-E32"),
      ["agents:read", "agents:write"],
      [
        { method: "GET", path: "/v2/call-caps", scope: "agents:read" },
        { method: "PUT", path: "/v2/call-caps", body: {}, scope: "agents:write" },
        { method: "DELETE", path: "/v2/call-caps", scope: "agents:write" },
      ],
    ),
}

const log: Case = {
  id: "extensions/campaign-log/rights",
  title: "Reading the log of a campaign needs calls:read",
  clauses: ["LOG-E28"],
  requires: ["fixtures", "extension:campaign-log"],
  run: (trial) =>
    checkScopes(
      trial,
      () => "LOG-E28",
      ["calls:read", "calls:write"],
      [{ method: "GET", path: "/v2/campaigns/cmp_unknown/log", scope: "calls:read" }],
    ),
}

const breaker: Case = {
  id: "extensions/campaign-breaker/rights",
  title: "Reading the breaker of a campaign needs calls:read, setting and removing batches:write",
  clauses: ["BREAKER-E37", "BREAKER-E38"],
  requires: ["fixtures", "extension:campaign-breaker"],
  run: (trial) =>
    checkScopes(
      trial,
      ({ scope }) => (scope === "calls:read" ? "BREAKER-E37" : "BREAKER-E38"),
      ["calls:read", "batches:write"],
      [
        { method: "GET", path: "/v2/campaigns/cmp_unknown/breaker", scope: "calls:read" },
        {
          method: "PUT",
          path: "/v2/campaigns/cmp_unknown/breaker",
          body: { failed_percent: 50 },
          scope: "batches:write",
        },
        { method: "DELETE", path: "/v2/campaigns/cmp_unknown/breaker", scope: "batches:write" },
      ],
    ),
}

const order: Case = {
  id: "extensions/campaign-order/rights",
  title: "Reading the order of a campaign needs calls:read, setting and removing batches:write",
  clauses: ["ORDER-E27", "ORDER-E28"],
  requires: ["fixtures", "extension:campaign-order"],
  run: (trial) =>
    checkScopes(
      trial,
      ({ scope }) => (scope === "calls:read" ? "ORDER-E27" : "ORDER-E28"),
      ["calls:read", "batches:write"],
      [
        { method: "GET", path: "/v2/campaigns/cmp_unknown/order", scope: "calls:read" },
        {
          method: "PUT",
          path: "/v2/campaigns/cmp_unknown/order",
          body: { contacts: "last_come" },
          scope: "batches:write",
        },
        { method: "DELETE", path: "/v2/campaigns/cmp_unknown/order", scope: "batches:write" },
      ],
    ),
}

/** Cases of the scopes that the routes of extensions need. */
export const extensionScopeCases: ReadonlyArray<Case> = [suppressions, hours, caps, log, breaker, order]
