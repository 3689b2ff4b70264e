import type { Answer } from "../../http/Answer.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { allScopes, grandfatheredScopes } from "../../trial/Scopes.ts"

const sorted = (values: ReadonlyArray<unknown>): ReadonlyArray<string> => values.map(String).sort()

const grantedIn = (answer: Answer): ReadonlyArray<string> =>
  sorted(
    answer
      .items("scopes")
      .filter(isObject)
      .flatMap(({ scope, granted }) => (granted === true ? [scope] : [])),
  )

const taxonomy: Case = {
  id: "identity/scopes/taxonomy",
  title: "The eight scopes are listed with what they open",
  clauses: [
    "SCOPE-1",
    "SCOPE-7",
    "SCOPES-1",
    "SCOPES-2",
    "SCOPES-3",
    "SCOPES-4",
    "SCOPES-5",
    "SCOPES-8",
    "SCOPES-9",
    "SCOPES-ROUTE-3",
    "SCOPE-OPEN-3",
    "VERSION-6",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    const answer = await client.get("/v2/scopes")
    check.status("answered", "SCOPES-ROUTE-3", answer, 200)
    const rows = answer.items("scopes").filter(isObject)
    const listed = sorted(rows.map(({ scope }) => scope))
    check.equal("eight", ["SCOPE-1", "SCOPES-1"], listed, sorted(allScopes), answer)
    check.holds(
      "webhooks-write-published",
      ["SCOPE-7", "VERSION-6"],
      listed.includes("webhooks:write"),
      "webhooks:write",
      answer,
    )
    check.holds(
      "described",
      "SCOPES-2",
      rows.every(({ description }) => typeof description === "string" && description !== ""),
      "a description each",
      answer,
    )
    const isRoute = (route: unknown) => typeof route === "string" && /^(GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(route)
    check.holds(
      "routes",
      "SCOPES-4",
      rows.every(({ routes }) => Array.isArray(routes) && routes.every(isRoute)),
      "strings like METHOD /path",
      answer,
    )
    const writes = rows.find(({ scope }) => scope === "webhooks:write")?.["routes"]
    check.holds(
      "webhooks-write-routes",
      "SCOPE-OPEN-3",
      Array.isArray(writes) && writes.includes("POST /v2/webhooks") && !writes.includes("GET /v2/webhooks"),
      "the webhook writes",
      answer,
    )
    check.equal("organization", "SCOPES-5", answer.at("key.organization_id"), organizationId, answer)
    const me = await client.get("/v2/user/me")
    check.equal("key-id", "SCOPES-5", answer.at("key.key_id"), me.at("developer.key_id"), answer)
    const held = sorted(answer.items("key.granted"))
    // A wildcard stands in the list for scopes that the rows name one by one.
    if (!held.some((scope) => scope.includes("*"))) {
      check.equal("granted-agrees", ["SCOPES-3", "SCOPES-8"], grantedIn(answer), held, answer)
    }
    check.holds("note", "SCOPES-9", answer.string("note") !== "", "a note", answer)
  },
}

const policies: Case = {
  id: "identity/scopes/policies",
  title: "What a key may do follows from the scopes stored with it",
  clauses: [
    "SCOPE-POLICY-1",
    "SCOPE-POLICY-2",
    "SCOPE-POLICY-3",
    "SCOPE-POLICY-4",
    "SCOPE-POLICY-P1",
    "SCOPE-POLICY-P2",
    "SCOPES-6",
    "SCOPES-7",
    "SCOPES-8",
    "SCOPES-ROUTE-2",
    "SCOPE-9",
    "AUTH-KEY-3",
    "VERSION-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const rows: ReadonlyArray<{
      readonly name: string
      readonly clause: string | ReadonlyArray<string>
      readonly scopes: ReadonlyArray<string> | null
      readonly keys_write?: boolean
      readonly granted: ReadonlyArray<string>
    }> = [
      {
        name: "grandfathered",
        clause: ["SCOPE-POLICY-1", "SCOPE-9", "VERSION-4"],
        scopes: null,
        granted: grandfatheredScopes,
      },
      {
        name: "grandfathered-with-keys",
        clause: "SCOPE-POLICY-P2",
        scopes: null,
        keys_write: true,
        granted: allScopes,
      },
      { name: "nothing", clause: ["SCOPE-POLICY-2", "SCOPES-ROUTE-2"], scopes: [], granted: [] },
      ...allScopes.map((scope) => ({
        name: scope,
        clause: ["SCOPE-POLICY-3", "AUTH-KEY-3"],
        scopes: [scope],
        granted: [scope],
      })),
      {
        name: "two",
        clause: "SCOPE-POLICY-3",
        scopes: ["calls:read", "audit:read"],
        granted: ["calls:read", "audit:read"],
      },
      { name: "calls:*", clause: "SCOPE-POLICY-4", scopes: ["calls:*"], granted: ["calls:read", "calls:write"] },
      { name: "agents:*", clause: "SCOPE-POLICY-4", scopes: ["agents:*"], granted: ["agents:read", "agents:write"] },
      {
        name: "everything",
        clause: "SCOPE-POLICY-P1",
        scopes: ["*"],
        granted: grandfatheredScopes,
      },
      { name: "keys:*", clause: "SCOPE-POLICY-P1", scopes: ["keys:*"], granted: [] },
    ]
    const { clients } = await trial.organization({
      keys: rows.map(({ scopes, keys_write }) => (keys_write === undefined ? { scopes } : { scopes, keys_write })),
    })
    for (const [index, { name, clause, scopes, granted }] of rows.entries()) {
      const client = clients[index]
      if (client === undefined) continue
      const answer = await client.get("/v2/scopes")
      check.status(`${name}-answered`, clause, answer, 200)
      check.equal(`${name}-granted`, clause, grantedIn(answer), sorted(granted), answer)
      const grandfathered = scopes === null
      check.equal(`${name}-flag`, "SCOPES-7", answer.at("key.grandfathered"), grandfathered, answer)
      const source = answer.at("key.scopes_source") === "grandfathered"
      check.equal(`${name}-source`, ["SCOPES-6", "SCOPE-POLICY-1"], source, grandfathered, answer)
      if (scopes !== null && !scopes.some((scope) => scope.includes("*"))) {
        check.equal(`${name}-list`, "SCOPES-8", sorted(answer.items("key.granted")), sorted(granted), answer)
      }
    }
  },
}

export const scopeCases: ReadonlyArray<Case> = [taxonomy, policies]
