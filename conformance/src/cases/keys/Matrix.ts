import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { isNewestFirst } from "../../trial/CreationOrder.ts"
import { keyIdOf, mintedKeyIn } from "../../trial/KeyId.ts"
import { allScopes, grandfatheredScopes } from "../../trial/Scopes.ts"

type Route = readonly [method: string, path: string]

/** The routes that each scope gates today, with the clauses of the table that say so. */
const gated: ReadonlyArray<
  readonly [scope: string, clauses: readonly [allows: string, enforced: string], routes: ReadonlyArray<Route>]
> = [
  [
    "agents:read",
    ["SCOPE-2", "SCOPE-ENFORCED-3"],
    [
      ["GET", "/v2/agents"],
      ["GET", "/v2/agents/agt_none"],
      ["GET", "/v2/agents/agt_none/executions"],
    ],
  ],
  [
    "agents:write",
    ["SCOPE-3", "SCOPE-ENFORCED-4"],
    [
      ["POST", "/v2/agents"],
      ["PUT", "/v2/agents/agt_none"],
      ["PATCH", "/v2/agents/agt_none"],
      ["DELETE", "/v2/agents/agt_none"],
      ["POST", "/v2/agents/agt_none/clone"],
    ],
  ],
  [
    "calls:read",
    ["SCOPE-4", "SCOPE-ENFORCED-5"],
    [
      ["GET", "/v2/calls"],
      ["GET", "/v2/calls/exec_none"],
      ["GET", "/v2/calls/exec_none/transcript"],
      ["GET", "/v2/batches"],
      ["GET", "/v2/batches/bat_none"],
      ["GET", "/v2/batches/bat_none/executions"],
    ],
  ],
  [
    "calls:write",
    ["SCOPE-5", "SCOPE-ENFORCED-6"],
    [
      ["POST", "/v2/calls"],
      ["POST", "/v2/calls/exec_none/stop"],
    ],
  ],
  [
    "batches:write",
    ["SCOPE-6", "SCOPE-ENFORCED-7"],
    [
      ["POST", "/v2/batches"],
      ["POST", "/v2/batches/upload"],
      ["POST", "/v2/batches/bat_none/schedule"],
      ["POST", "/v2/batches/bat_none/stop"],
      ["POST", "/v2/batches/bat_none/pause"],
      ["POST", "/v2/batches/bat_none/resume"],
    ],
  ],
  [
    "keys:write",
    ["SCOPE-8", "SCOPE-ENFORCED-8"],
    [
      ["POST", "/v2/api-keys"],
      ["DELETE", "/v2/api-keys/key_none"],
    ],
  ],
  [
    "audit:read",
    ["SCOPE-10", "SCOPE-ENFORCED-9"],
    [
      ["GET", "/v2/audit-logs"],
      ["GET", "/v2/audit-logs/aud_none"],
      ["GET", "/v2/audit-logs/verify"],
    ],
  ],
]

/** Routes that need only a valid key, with the clause that says so. */
const open: ReadonlyArray<readonly [clauses: ReadonlyArray<string>, route: Route]> = [
  [
    ["SCOPE-OPEN-1", "ME-ROUTE-2"],
    ["GET", "/v2/user/me"],
  ],
  [["SCOPE-OPEN-1"], ["GET", "/v2/usage"]],
  [
    ["SCOPE-OPEN-1", "KEY-LIST-1"],
    ["GET", "/v2/api-keys"],
  ],
  [
    ["SCOPE-OPEN-1", "SCOPES-ROUTE-2"],
    ["GET", "/v2/scopes"],
  ],
  [["SCOPE-OPEN-2"], ["GET", "/v2/webhooks"]],
  [["SCOPE-OPEN-2"], ["GET", "/v2/webhooks/deliveries"]],
  [
    ["SCOPE-OPEN-2", "SCOPE-OPEN-3", "VERSION-6"],
    ["POST", "/v2/webhooks"],
  ],
  [
    ["SCOPE-OPEN-2", "SCOPE-OPEN-3", "VERSION-6"],
    ["POST", "/v2/webhooks/test"],
  ],
  [
    ["SCOPE-OPEN-2", "SCOPE-OPEN-3", "VERSION-6"],
    ["PATCH", "/v2/webhooks/sub_none"],
  ],
  [
    ["SCOPE-OPEN-2", "SCOPE-OPEN-3", "VERSION-6"],
    ["DELETE", "/v2/webhooks/sub_none"],
  ],
  [
    ["SCOPE-OPEN-2", "KB-SCOPE-1"],
    ["GET", "/v2/knowledge-bases"],
  ],
  [
    ["SCOPE-OPEN-2", "KB-SCOPE-1"],
    ["GET", "/v2/knowledge-bases/none/documents"],
  ],
  [
    ["SCOPE-OPEN-2", "KB-SCOPE-2"],
    ["POST", "/v2/knowledge-bases"],
  ],
  [
    ["SCOPE-OPEN-2", "KB-SCOPE-2"],
    ["POST", "/v2/knowledge-bases/none/documents"],
  ],
  [
    ["SCOPE-OPEN-2", "KB-SCOPE-2"],
    ["DELETE", "/v2/knowledge-bases/none/documents/doc_none"],
  ],
  [
    ["SCOPE-OPEN-2", "EXPERIMENT-ROUTES-1"],
    ["GET", "/v2/agents/agt_none/versions"],
  ],
  [
    ["SCOPE-OPEN-2", "EXPERIMENT-GET-2"],
    ["GET", "/v2/agents/agt_none/versions/ver_none"],
  ],
  [["SCOPE-OPEN-2"], ["GET", "/v2/phone-numbers"]],
  [["SCOPE-OPEN-2"], ["POST", "/v2/phone-numbers"]],
  [["SCOPE-OPEN-2"], ["GET", "/v2/providers"]],
  [["SCOPE-OPEN-2"], ["POST", "/v2/providers"]],
  [["SCOPE-OPEN-2"], ["GET", "/v2/inbound-agents"]],
  [["SCOPE-OPEN-2"], ["POST", "/v2/inbound-agents"]],
]

const ask = (client: Client, [method, path]: Route): Promise<Answer> =>
  client.send(method, path, method === "GET" || method === "DELETE" ? {} : { body: {} })

const routesOfScopes: Case = {
  id: "keys/matrix/gated",
  title: "Every route that a scope gates is refused without it, and opened by it alone",
  clauses: [
    ...gated.flatMap(([, clauses]) => clauses),
    "AUTH-KEY-3",
    "AGENT-CREATE-2",
    "AGENT-GET-1",
    "AGENT-LIST-4",
    "AGENT-UPDATE-3",
    "BATCH-ROUTES-8",
    "BATCH-ROUTES-9",
    "CALL-CREATE-2",
    "CALL-GET-2",
    "CALL-LIST-2",
    "CALL-OF-AGENT-2",
    "CALL-STOP-2",
    "CALL-TRANSCRIPT-2",
    "KEY-MINT-1",
    "KEY-REVOKE-1",
    "OTHER-4",
    "SCOPE-DENIED-1",
    "SCOPE-ENFORCED-1",
    "SCOPE-POLICY-1",
    "SCOPE-POLICY-2",
    "SCOPE-POLICY-3",
    "SCOPE-POLICY-4",
    "VERSION-4",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const scopesOf = (scope: string) => [
      { scopes: allScopes.filter((other) => other !== scope) },
      { scopes: [scope] },
      { scopes: [`${scope.split(":")[0]}:*`] },
    ]
    for (const [scope, [allows, enforced], routes] of gated) {
      const keys = [...scopesOf(scope), { scopes: [] }, { scopes: null }, { scopes: null, keys_write: true }]
      const { clients } = await trial.organization({ keys: [...keys, { scopes: ["*"] }] })
      const [without, alone, family, nothing, grandfathered, all, any] = clients
      if (!without || !alone || !family || !nothing || !grandfathered || !all || !any) return
      for (const route of routes) {
        const clauses = [enforced, "SCOPE-ENFORCED-1", "SCOPE-POLICY-3", "AUTH-KEY-3", ...denied(route)]
        check.refused(`without ${route.join(" ")}`, clauses, await ask(without, route), 1102)
        const name = `nothing ${route.join(" ")}`
        check.refused(name, [enforced, "SCOPE-POLICY-2"], await ask(nothing, route), 1102)
        isOpen(`alone ${scope}`, [allows, enforced], await ask(alone, route))
        if (scope === "keys:write") {
          const unmarked = await ask(grandfathered, route)
          check.refused("grandfathered-keys", ["SCOPE-POLICY-1", "VERSION-4"], unmarked, 1102)
        } else {
          isOpen(`grandfathered ${scope}`, ["SCOPE-POLICY-1", "VERSION-4"], await ask(grandfathered, route))
          isOpen(`family ${scope}`, "SCOPE-POLICY-4", await ask(family, route))
          isOpen(`any ${scope}`, "SCOPE-POLICY-4", await ask(any, route))
        }
        isOpen(`all ${scope}`, allows, await ask(all, route))
      }
    }
    function isOpen(name: string, cited: string | ReadonlyArray<string>, answer: Answer): void {
      const isRefused = answer.status === 403 || answer.status === 401
      check.that(name.replaceAll(" ", "-"), cited, !isRefused, { expected: "no refusal", got: answer.text, at: answer })
    }
  },
}

/** The clauses of an endpoint that name its scope. */
const denied = ([method, path]: Route): ReadonlyArray<string> => {
  const rows: Readonly<Record<string, string>> = {
    "GET /v2/agents": "AGENT-LIST-4",
    "GET /v2/agents/agt_none": "AGENT-GET-1",
    "GET /v2/agents/agt_none/executions": "CALL-OF-AGENT-2",
    "POST /v2/agents": "AGENT-CREATE-2",
    "GET /v2/calls": "CALL-LIST-2",
    "GET /v2/calls/exec_none": "CALL-GET-2",
    "GET /v2/calls/exec_none/transcript": "CALL-TRANSCRIPT-2",
    "POST /v2/calls": "CALL-CREATE-2",
    "POST /v2/calls/exec_none/stop": "CALL-STOP-2",
    "POST /v2/api-keys": "KEY-MINT-1",
    "DELETE /v2/api-keys/key_none": "KEY-REVOKE-1",
    "GET /v2/audit-logs/verify": "OTHER-4",
  }
  const own = rows[`${method} ${path}`]
  const isAgentWrite = /^\/v2\/agents\/agt_none(\/clone)?$/.test(path) && method !== "GET"
  const isBatch = path.startsWith("/v2/batches")
  return [
    ...(own === undefined ? [] : [own]),
    ...(isAgentWrite ? ["AGENT-UPDATE-3"] : []),
    ...(isBatch ? [method === "GET" ? "BATCH-ROUTES-9" : "BATCH-ROUTES-8"] : []),
    ...(path.startsWith("/v2/api-keys") ? ["SCOPE-DENIED-1"] : []),
  ]
}

const openRoutes: Case = {
  id: "keys/matrix/open",
  title: "Routes that need only a valid key answer a key that may do nothing",
  clauses: [...new Set(open.flatMap(([clauses]) => clauses)), "SCOPE-7", "SCOPE-POLICY-P3"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const keys = [{ scopes: [] }, { scopes: ["webhooks:write"] }, { scopes: ["audit:read"] }]
    const { clients } = await trial.organization({ keys })
    for (const [nth, client] of clients.entries()) {
      for (const [clauses, route] of open) {
        const answer = await ask(client, route)
        const holds = answer.status !== 401 && answer.status !== 403
        // Of a key that holds nothing it is also said that it is denied everything, but for the list of scopes.
        const isTorn = nth === 0 && route[1] !== "/v2/scopes"
        const [id, cited] = isTorn ? [`nothing-${route.join("-")}`, ["SCOPE-POLICY-P3"]] : [route.join("-"), clauses]
        check.that(id, cited, holds, { expected: "no refusal", got: answer.text, at: answer })
      }
    }
    const [, marked] = clients
    const scopes = await marked?.get("/v2/scopes")
    const granted = scopes?.items("key.granted") ?? []
    check.equal("known", "SCOPE-7", granted, ["webhooks:write"], scopes)
    const rows = (scopes?.items("scopes") ?? []).filter(isObject).map(({ scope }) => String(scope))
    check.equal("eight", "SCOPE-7", rows.toSorted(), [...allScopes].toSorted(), scopes)
  },
}

const inherited: Case = {
  id: "keys/matrix/inherited",
  title: "A key that is minted without scopes holds what its minter holds, written out, and never keys:write",
  clauses: [
    "KEY-FORMAT-1",
    "KEY-FORMAT-2",
    "KEY-LIST-3",
    "KEY-LIST-4",
    "KEY-MINT-3",
    "KEY-MINT-4",
    "KEY-MINT-5",
    "KEY-MINT-6",
    "KEY-MINT-7",
    "KEY-MINT-11",
    "KEY-RECORD-1",
    "KEY-CACHE-P2",
    "KEY-MINT-P2",
    "KEY-RECORD-2",
    "KEY-RECORD-11",
    "KEY-RECORD-13",
    "KEY-RECORD-14",
    "KEY-REVOKE-2",
    "SCOPE-9",
    "SCOPES-3",
    "SCOPES-8",
    "VERSION-4",
    "VERSION-5",
  ],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const keys = [{ keys_write: true }, { scopes: ["keys:write", "agents:read"] }]
    const { client, clients } = await trial.organization({ keys })
    const minter = clients[1]
    if (minter === undefined) return
    const holds = async (by: Client, body: object, name: string, expected: ReadonlyArray<string>) => {
      const made = await by.post("/v2/api-keys", body)
      check.status(`${name}-minted`, "KEY-MINT-5", made, 201)
      const key = mintedKeyIn(made)
      check.holds(`${name}-secret`, ["KEY-MINT-5", "KEY-FORMAT-1"], /^gat_[\w-]{43,}$/.test(key), "a key", made)
      trial.secret(key)
      const seen = await client.as(key).get("/v2/scopes")
      const clauses = ["KEY-MINT-3", "KEY-MINT-6", "KEY-MINT-7", "SCOPES-8", "SCOPE-9", "VERSION-5"]
      check.equal(
        `${name}-granted`,
        clauses,
        seen.items("key.granted").map(String).toSorted(),
        [...expected].toSorted(),
        seen,
      )
      const rows = seen.items("scopes").filter(isObject)
      const granted = rows.filter((row) => row["granted"] === true).map((row) => String(row["scope"]))
      check.equal(`${name}-rows`, "SCOPES-3", granted.toSorted(), [...expected].toSorted(), seen)
      check.equal(`${name}-source`, "VERSION-5", seen.at("key.grandfathered"), false, seen)
      return made
    }
    const name = "A name of more than ten letters"
    const whole = await holds(client, { name }, "grandfathered", grandfatheredScopes)
    await holds(minter, { name }, "limited", ["agents:read"])
    await holds(client, { name, scopes: ["agents:read", "calls:read"] }, "two", ["agents:read", "calls:read"])
    await holds(client, { name, scopes: [] }, "none", [])
    const grant = { name, scopes: ["keys:write"] }
    const unmarked = await client.post("/v2/api-keys", grant)
    check.rejected("not-granted", ["KEY-MINT-4", "SCOPE-9"], unmarked)
    const refused = await client.post("/v2/api-keys", { ...grant, grant_api_keys_write: false })
    check.rejected("granted-false", "KEY-MINT-4", refused)
    await holds(client, { ...grant, grant_api_keys_write: true }, "granted", ["keys:write"])
    const unknown = await client.post("/v2/api-keys", { name, scopes: ["agents:read", "agents:fly"] })
    check.refused("unknown", "KEY-MINT-11", unknown, 1001)
    for (const scope of allScopes) check.names("valid-values", "KEY-MINT-11", unknown, scope)
    const inherits = await client.as(mintedKeyIn(whole)).post("/v2/api-keys", { name })
    check.refused("cannot-mint", "VERSION-4", inherits, 1102)
    await listed(client, whole)

    async function listed(by: Client, made: Answer): Promise<void> {
      const keyId = await keyIdOf(mintedKeyIn(made))
      const [first, second] = [await by.get("/v2/api-keys"), await by.get("/v2/api-keys")]
      const isList = first.items().length > 0
      check.holds("listed", "KEY-LIST-4", isList, "keys in data", first)
      check.equal("stable", "KEY-RECORD-2", first.items(), second.items(), second)
      const row = first
        .items()
        .filter(isObject)
        .find(({ key_id }) => key_id === keyId)
      check.equal("named", "KEY-MINT-P2", row?.["description"], name, first)
      check.holds("no-secrets", ["KEY-LIST-3", "KEY-FORMAT-2"], !first.text.includes(mintedKeyIn(made)), "none", first)
      check.equal("active", "KEY-RECORD-11", row?.["status"], "active", first)
      check.equal("not-current", "KEY-RECORD-14", row?.["is_current"], false, first)
      const sized = await by.get("/v2/api-keys", { page_size: 50 })
      const current = sized
        .items()
        .filter(isObject)
        .filter(({ is_current }) => is_current === true)
      check.equal("one-current", "KEY-RECORD-14", current.length, 1, sized)
      check.holds("newest-first", ["KEY-LIST-3", "KEY-RECORD-13"], isNewestFirst(first), "keys newest first", first)
      const revoked = await by.delete(`/v2/api-keys/${keyId}`)
      check.holds("not-shown-again", "KEY-FORMAT-2", !revoked.text.includes(mintedKeyIn(made)), "no key", revoked)
      check.status("revoked", "KEY-REVOKE-2", revoked, 200)
      for (const path of ["/v2/user/me", "/v2/agents"]) {
        check.refused("revoked-is-refused", "KEY-CACHE-P2", await by.as(mintedKeyIn(made)).get(path), 1100)
      }
      const after = await by.get("/v2/api-keys")
      const gone = after
        .items()
        .filter(isObject)
        .find(({ key_id }) => key_id === keyId)
      if (gone === undefined) return
      check.equal("inactive", "KEY-RECORD-11", gone["status"], "inactive", after)
      check.equal("same-id", ["KEY-RECORD-1", "KEY-RECORD-2"], gone["key_id"], keyId, after)
      check.equal("same-time", "KEY-RECORD-13", gone["created_at"], row?.["created_at"], after)
    }
  },
}

/** Which key may do what, route by route. */
export const matrixCases: ReadonlyArray<Case> = [routesOfScopes, openRoutes, inherited]
