/** Mistakes with credentials, keys, scopes and tenancy. */
import { isObject } from "../../../src/http/Json.ts"
import {
  answers,
  asks,
  at,
  body,
  by,
  cut,
  failing,
  forgives,
  fresh,
  headers,
  is,
  over,
  queries,
  recodes,
  records,
  refuses,
  reroutes,
  restates,
  row,
  rows,
  set,
  textOf,
  together,
  where,
  wire,
  words,
} from "../Defects.ts"
import { type Asked, objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const all = "* /v2/**"
const keys = "GET /v2/api-keys"
const mint = "POST /v2/api-keys"
const me = "GET /v2/user/me"
const scopesRoute = "GET /v2/scopes"
const emptyPage = { data: [], pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false } }
const authOf = ({ headers: h }: Asked) => h.get("authorization") ?? ""
const tidy = (change: (value: string) => string | null, route = all) =>
  reroutes(route, (asked) => {
    const h = new Headers(asked.headers)
    const changed = change(authOf(asked))
    if (changed === null) h.delete("authorization")
    else h.set("authorization", changed)
    return { ...asked, headers: h }
  })

/** Routes that ask for a scope which the key may not hold. */
const gated = (routes: string, scope: string) =>
  wire(() => async (asked, next) => {
    const [methods = "", path = ""] = routes.split(" ")
    const form = new RegExp(`^${path.replaceAll("**", ".*").replaceAll(/(?<!\.)\*/g, "[^/]+")}$`)
    if (!(methods === "*" || methods.split("|").includes(asked.method)) || !form.test(asked.path)) return next(asked)
    const seen = await next({
      ...asked,
      method: "GET",
      path: "/v2/scopes",
      query: new URLSearchParams(),
      headers: new Headers(asked.headers),
      json: undefined,
    })
    const granted = at(seen.json, "key.granted")
    return Array.isArray(granted) && !granted.includes(scope)
      ? failing(seen, 1102, 403, `This API key is not authorized for this action. Missing scope: ${scope}.`)
      : next(asked)
  })
const ungated = (routes: string, status = 200) =>
  forgives(
    routes,
    1102,
    status,
    () => (status === 200 ? emptyPage : {}),
    (asked) => !asked.query.has("organization_id"),
  )

/** The first key seen, whatever others come: one organization for all. */
const oneForAll = (routes: string) =>
  fresh(() => {
    const seen = new Map<string, string>()
    return reroutes(routes, (asked) => {
      const own = authOf(asked)
      const first = seen.get(asked.path) ?? own
      if (!seen.has(asked.path)) seen.set(asked.path, own)
      const h = new Headers(asked.headers)
      if (first !== "") h.set("authorization", first)
      return { ...asked, headers: h }
    })
  })

const credentials = [
  m(
    "AUTH-KEY-1",
    "Keys with another prefix are taken.",
    tidy((v) => v.replace(/^Bearer (?!gat_)\S+.*$/, "Bearer gat_other")),
  ),
  c(
    "AUTH-KEY-1",
    "Reads of scopes need no key.",
    forgives(scopesRoute, 1100, 200, () => ({ scopes: [], key: {}, note: "" })),
  ),
  m("AUTH-KEY-2", "A key sees what the first key of the server sees.", oneForAll("GET /v2/agents")),
  c("AUTH-KEY-2", "The organization of a key is that of the first who asked.", oneForAll(me)),
  m("AUTH-KEY-3", "Scopes of a key are ignored on agents.", ungated("GET /v2/agents")),
  c("AUTH-KEY-3", "Scopes of a key are ignored where calls are placed.", ungated("POST /v2/calls", 201)),
  m(
    "AUTH-KEY-4",
    "Lists of agents need no key.",
    forgives("GET /v2/agents", 1100, 200, () => emptyPage),
  ),
  c(
    "AUTH-KEY-4",
    "Usage needs no key.",
    forgives("GET /v2/usage", 1100, 200, () => ({})),
  ),
  c(
    "AUTH-KEY-4",
    "Deleting a subscription needs no key.",
    forgives("DELETE /v2/webhooks/*", 1100, 204, () => undefined),
  ),
  m(
    "AUTH-KEY-5",
    "A second credential, a session, is accepted.",
    forgives(me, 1101, 200, () => ({})),
  ),
  c(
    "AUTH-KEY-5",
    "Basic credentials with a key as the name are taken.",
    reroutes(all, (asked) => {
      const [, coded = ""] = /^Basic (.+)$/i.exec(authOf(asked)) ?? []
      const h = new Headers(asked.headers)
      if (coded !== "")
        h.set(
          "authorization",
          `Bearer ${Buffer.from(coded, "base64")
            .toString()
            .replace(/^:|:.*$/g, "")}`,
        )
      return { ...asked, headers: h }
    }),
  ),
  m(
    "AUTH-KEY-6",
    "X-API-Key is taken.",
    reroutes(all, (asked) => {
      const h = new Headers(asked.headers)
      const other = h.get("x-api-key")
      if (!h.has("authorization") && other !== null) h.set("authorization", `Bearer ${other}`)
      return { ...asked, headers: h }
    }),
  ),
  c(
    "AUTH-KEY-6",
    "api_key in the query is taken.",
    reroutes(all, (asked) => {
      const h = new Headers(asked.headers)
      const other =
        asked.query.get("api_key") ??
        asked.query.get("key") ??
        asked.query.get("token") ??
        asked.query.get("access_token")
      if (!h.has("authorization") && other !== null) h.set("authorization", `Bearer ${other}`)
      return { ...asked, headers: h }
    }),
  ),
  c(
    "AUTH-KEY-6",
    "A session cookie is taken.",
    forgives(
      me,
      1100,
      200,
      () => ({}),
      ({ headers: h }) => h.has("cookie"),
    ),
  ),
  m(
    "AUTH-HEADER-1",
    "The header is X-Authorization.",
    reroutes(all, (asked) => {
      const h = new Headers(asked.headers)
      h.delete("authorization")
      if (asked.headers.has("x-authorization")) h.set("authorization", asked.headers.get("x-authorization") ?? "")
      return { ...asked, headers: h }
    }),
  ),
  c(
    "AUTH-HEADER-1",
    "Authorization is not read on calls.",
    tidy(() => null, "* /v2/calls**"),
  ),
  m(
    "AUTH-HEADER-2",
    "The scheme is matched by case.",
    tidy((v) => (v.startsWith("Bearer ") ? v : null)),
  ),
  c(
    "AUTH-HEADER-2",
    "BEARER in capitals is refused.",
    tidy((v) => (v.startsWith("BEARER ") ? null : v)),
  ),
  m(
    "AUTH-HEADER-3",
    "The prefix may be left out.",
    tidy((v) => v.replace(/^(Bearer )(?!gat_)(\S{30,})$/i, "$1gat_$2")),
  ),
  c(
    "AUTH-HEADER-3",
    "The prefix is matched in any case.",
    tidy((v) => v.replace(/GAT_/, "gat_")),
  ),
  m(
    "AUTH-HEADER-4",
    "One space alone separates.",
    tidy((v) => (/^\S+ \S/.test(v) || !/\s/.test(v) ? v : null)),
  ),
  c(
    "AUTH-HEADER-4",
    "A tab does not separate.",
    tidy((v) => (v.includes("\t") ? null : v)),
  ),
  m(
    "AUTH-HEADER-5",
    "A bare key is 1101.",
    recodes(all, 1100, 1101, 401, (asked) => !/\s/.test(authOf(asked)) && authOf(asked) !== ""),
  ),
  c(
    "AUTH-HEADER-5",
    "Basic is 1101.",
    recodes(all, 1100, 1101, 401, (asked) => /^basic /i.test(authOf(asked))),
  ),
  m("AUTH-REJECT-1", "Whether the key exists is looked at before its form.", recodes(all, 1101, 1100, 401)),
  c(
    "AUTH-REJECT-1",
    "An inactive key without an organization is 1102.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).includes("inactive") ? failing(r, 1102, 403) : r)),
  ),
  m(
    "AUTH-REJECT-2",
    "No header is 1101.",
    recodes(all, 1100, 1101, 401, (asked) => authOf(asked) === ""),
  ),
  c(
    "AUTH-REJECT-2",
    "An empty credential is 1101.",
    recodes(all, 1100, 1101, 401, (asked) => /^bearer\s*$/i.test(authOf(asked))),
  ),
  m("AUTH-REJECT-3", "A session token is 1100.", recodes(all, 1101, 1100, 401)),
  c(
    "AUTH-REJECT-3",
    "A credential that has gat_ inside is looked up.",
    recodes(all, 1101, 1100, 401, (asked) => authOf(asked).includes("gat_")),
  ),
  m(
    "AUTH-REJECT-4",
    "An unknown key is 1102.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).startsWith("Invalid API") ? failing(r, 1102, 403) : r)),
  ),
  c(
    "AUTH-REJECT-4",
    "A known key with one more letter is served.",
    tidy((v) => (v.length > 52 ? v.slice(0, v.startsWith("Bearer ") ? v.length - 1 : v.length) : v), "GET /v2/agents"),
  ),
  m(
    "AUTH-REJECT-5",
    "An inactive key is 1102.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).includes("inactive") ? failing(r, 1102, 403) : r)),
  ),
  c(
    "AUTH-REJECT-5",
    "An inactive key still reads its identity.",
    forgives(
      "GET /v2/**",
      1100,
      200,
      () => ({}),
      (_, r) => String(objectOf(r.json)["message"]).includes("inactive"),
    ),
  ),
  m(
    "AUTH-REJECT-6",
    "A key without an organization is 1100.",
    answers(all, (r) => (String(objectOf(r.json)["message"]).includes("not bound") ? failing(r, 1100, 401) : r)),
  ),
  c(
    "AUTH-REJECT-6",
    "A key without an organization reads the scopes.",
    forgives(
      "GET /v2/**",
      1102,
      200,
      () => ({}),
      (_, r) => String(objectOf(r.json)["message"]).includes("not bound"),
    ),
  ),
  m("AUTH-REJECT-7", "The key store is asked before the prefix is checked.", recodes(all, 1101, 1501, 503)),
  c(
    "AUTH-REJECT-7",
    "With the store away a foreign bearer is 1501.",
    fresh(() => {
      let away = false
      return together(
        reroutes("PUT /_sim/faults", (asked) => {
          away = isObject(objectOf(asked.json)["key_store"])
          return asked
        }),
        recodes(all, 1101, 1501, 503, () => away),
      )
    }),
  ),
  m(
    "AUTH-REJECT-8",
    "A browser session is served.",
    forgives(all, 1101, 200, () => ({})),
  ),
  c(
    "AUTH-REJECT-8",
    "A browser session reads the phone numbers.",
    forgives("GET /v2/phone-numbers", 1101, 200, () => emptyPage),
  ),
  m(
    "AUTH-STORE-1",
    "A cold cache with the store away is 401.",
    recodes(all, 1501, 1100, 401, (_, r) => String(objectOf(r.json)["message"]).includes("Authentication")),
  ),
  c(
    "AUTH-STORE-1",
    "A cold cache with the store away is 1502.",
    recodes(all, 1501, 1502, 504, (_, r) => String(objectOf(r.json)["message"]).includes("Authentication")),
  ),
  m(
    "AUTH-STORE-2",
    "With the store away nobody is served.",
    fresh(() => {
      let away = false
      return together(
        reroutes("PUT /_sim/faults", (asked) => {
          away = isObject(objectOf(asked.json)["key_store"])
          return asked
        }),
        answers(all, (r) =>
          away && r.status < 300 ? failing(r, 1501, 503, "Authentication service is temporarily unavailable.") : r,
        ),
      )
    }),
  ),
  c(
    "AUTH-STORE-2",
    "With the store away writes are refused to warm keys.",
    fresh(() => {
      let away = false
      return together(
        reroutes("PUT /_sim/faults", (asked) => {
          away = isObject(objectOf(asked.json)["key_store"])
          return asked
        }),
        answers("POST /v2/**", (r) =>
          away && r.status < 300 ? failing(r, 1501, 503, "Authentication service is temporarily unavailable.") : r,
        ),
      )
    }),
  ),
  m(
    "ORG-3",
    "A key works in any organization that it names.",
    forgives(
      all,
      1102,
      200,
      () => ({}),
      ({ query }) => query.has("organization_id"),
    ),
  ),
  c(
    "ORG-3",
    "A key of one organization reads its identity as another's.",
    body(
      me,
      where((_, { query }) => query.has("organization_id"), set("organization_id", "org_other")),
    ),
  ),
  m("ORG-4", "Subscriptions are those of whoever asked first.", oneForAll("GET /v2/webhooks")),
  c("ORG-4", "Usage is that of whoever asked first.", oneForAll("GET /v2/usage")),
  c("ORG-4", "Calls are those of whoever asked first.", oneForAll("GET /v2/calls")),
  m("TENANCY-1", "Campaigns are those of whoever asked first.", oneForAll("GET /v2/campaigns")),
  c("TENANCY-1", "Phone numbers are those of whoever asked first.", oneForAll("GET /v2/phone-numbers")),
]

const keyRecords = [
  m("KEY-RECORD-1", "key_id is random.", row([keys, mint], set("key_id", "key_0123456789abcdef"))),
  c(
    "KEY-RECORD-1",
    "key_id has 15 characters on another's record.",
    row(
      keys,
      where(
        is("is_current", false),
        over("key_id", (v) => textOf(v).slice(0, -1)),
      ),
    ),
  ),
  m(
    "KEY-RECORD-2",
    "key_id changes from read to read.",
    fresh(() => {
      let n = 0
      return row(
        keys,
        over("key_id", (v) => `${textOf(v).slice(0, 16)}${String(1000 + (n += 1))}`),
      )
    }),
  ),
  c(
    "KEY-RECORD-2",
    "key_id of a revoked key changes.",
    row(
      keys,
      where(
        is("status", "inactive"),
        over("key_id", (v) => `${textOf(v)}_revoked`),
      ),
    ),
  ),
  m(
    "KEY-RECORD-3",
    "key_preview shows the last eight.",
    row(
      keys,
      over("key_preview", (v) => `${textOf(v).slice(0, 12)}...0000${textOf(v).slice(-4)}`),
    ),
  ),
  c(
    "KEY-RECORD-3",
    "key_preview of minted keys has eleven characters first.",
    row(
      keys,
      where(
        is("is_current", false),
        over("key_preview", (v) => textOf(v).replace(/.\.\.\./, "...")),
      ),
    ),
  ),
  ...(["developer_id", "developer_name", "developer_email", "plan", "rate_limit_tier", "token_type"] as const).flatMap(
    (name, index) => [
      m(`KEY-RECORD-${5 + index}`, `${name} is missing.`, row(keys, cut(name))),
      c(
        `KEY-RECORD-${5 + index}`,
        `${name} is a number on records of other keys.`,
        row(keys, where(is("is_current", false), set(name, 7))),
      ),
    ],
  ),
  m("KEY-RECORD-11", "A revoked key is listed as active.", row(keys, set("status", "active"))),
  c(
    "KEY-RECORD-11",
    "A revoked key is listed as revoked.",
    row(keys, where(is("status", "inactive"), set("status", "revoked"))),
  ),
  m("KEY-RECORD-12", "description is missing.", row(keys, cut("description"))),
  c(
    "KEY-RECORD-12",
    "description is an object on other keys.",
    row(keys, where(is("is_current", false), set("description", {}))),
  ),
  m("KEY-RECORD-13", "created_at is in seconds.", row(keys, set("created_at", 1_700_000_000))),
  c(
    "KEY-RECORD-13",
    "created_at is missing on inactive keys.",
    row(keys, where(is("status", "inactive"), cut("created_at"))),
  ),
  m("KEY-RECORD-14", "is_current is always true.", row(keys, set("is_current", true))),
  c(
    "KEY-RECORD-14",
    "is_current is false when the page is not the first of its size.",
    row(
      keys,
      where((_, { query }) => query.has("page_size"), set("is_current", false)),
    ),
  ),
  m(
    "KEY-FORMAT-1",
    "Minted keys have 16 bytes.",
    body(
      mint,
      over("key", (v) => textOf(v).slice(0, 26)),
    ),
  ),
  c(
    "KEY-FORMAT-1",
    "Minted keys use + and /.",
    body(
      mint,
      over("key", (v) => `gat_+/${textOf(v).slice(6)}`),
    ),
  ),
  m(
    "KEY-FORMAT-2",
    "The list shows the full key.",
    fresh(() => {
      const minted = new Map<unknown, unknown>()
      return together(
        body(mint, (j) => {
          minted.set(j["key_id"], j["key"])
          return j
        }),
        row(keys, (r) => (minted.has(r["key_id"]) ? { ...r, key: minted.get(r["key_id"]) } : r)),
      )
    }),
  ),
  c(
    "KEY-FORMAT-2",
    "Revoking shows the full key.",
    fresh(() => {
      const minted = new Map<unknown, unknown>()
      return together(
        body(mint, (j) => {
          minted.set(j["key_id"], j["key"])
          return j
        }),
        body("DELETE /v2/api-keys/*", (j) => ({ ...j, key: minted.get(j["key_id"]) ?? "gat_none" })),
      )
    }),
  ),
  m("KEY-LIST-1", "Listing keys needs keys:write.", gated(keys, "keys:write")),
  c("KEY-LIST-1", "Listing keys needs agents:read.", gated(keys, "agents:read")),
  m(
    "KEY-LIST-2",
    "page is ignored.",
    queries(keys, (q) => q.delete("page")),
  ),
  c(
    "KEY-LIST-2",
    "page_size is ignored from page 2 on.",
    queries(keys, (q) => {
      if (q.get("page") === "2") q.delete("page_size")
    }),
  ),
  m(
    "KEY-LIST-3",
    "Keys come oldest first.",
    rows(keys, (list) => [...list].reverse()),
  ),
  c(
    "KEY-LIST-3",
    "Inactive keys come last.",
    rows(keys, (list) => [
      ...list.filter((r) => r["status"] === "active"),
      ...list.filter((r) => r["status"] !== "active"),
    ]),
  ),
  m(
    "KEY-LIST-4",
    "The list is called keys.",
    body(keys, ({ data, ...rest }) => ({ ...rest, keys: data })),
  ),
  c(
    "KEY-LIST-4",
    "Rows of the second page are ids.",
    answers(keys, (r, a) =>
      a.query.get("page") === "2"
        ? {
            ...r,
            json: { ...objectOf(r.json), data: [objectOf(r.json)["data"]].flat().map((e) => objectOf(e)["key_id"]) },
          }
        : r,
    ),
  ),
  m("KEY-MINT-1", "Minting needs no scope.", ungated(mint, 201)),
  c(
    "KEY-MINT-1",
    "Minting needs only agents:write.",
    forgives(
      mint,
      1102,
      201,
      () => ({}),
      (_, r) => !String(objectOf(r.json)["message"]).includes("Missing"),
    ),
  ),
  m("KEY-MINT-2", "The name is lost.", asks(mint, cut("name"))),
  c(
    "KEY-MINT-2",
    "The name is cut to ten characters.",
    asks(
      mint,
      over("name", (v) => (typeof v === "string" ? v.slice(0, 10) : v)),
    ),
  ),
  m("KEY-MINT-3", "scopes is ignored.", asks(mint, cut("scopes"))),
  c(
    "KEY-MINT-3",
    "Of several scopes the first is kept.",
    asks(
      mint,
      over("scopes", (v) => (Array.isArray(v) && v.length > 1 ? v.slice(0, 1) : v)),
    ),
  ),
  m(
    "KEY-MINT-4",
    "keys:write needs no grant.",
    asks(mint, (j) =>
      Array.isArray(j["scopes"]) && j["scopes"].includes("keys:write") ? { ...j, grant_api_keys_write: true } : j,
    ),
  ),
  c(
    "KEY-MINT-4",
    "grant_api_keys_write: false grants.",
    asks(mint, (j) => (j["grant_api_keys_write"] === false ? { ...j, grant_api_keys_write: true } : j)),
  ),
  m("KEY-MINT-5", "Minting is 200.", restates(mint, 201, 200)),
  c(
    "KEY-MINT-5",
    "The secret is missing where scopes are given.",
    answers(mint, (r, a) =>
      r.status === 201 && "scopes" in objectOf(a.json) ? { ...r, json: cut("key")(objectOf(r.json), a) } : r,
    ),
  ),
  m(
    "KEY-MINT-6",
    "Omitted scopes give none.",
    asks(mint, (j) => ("scopes" in j ? j : { ...j, scopes: [] })),
  ),
  c(
    "KEY-MINT-6",
    "Omitted scopes inherit keys:write too.",
    asks(mint, (j) => ("scopes" in j ? j : { ...j, grant_api_keys_write: true })),
  ),
  m(
    "KEY-MINT-7",
    "A grandfathered minter writes a wildcard.",
    body(
      mint,
      where((_, a) => !("scopes" in objectOf(a.json)), set("scopes", ["*"])),
    ),
  ),
  c(
    "KEY-MINT-7",
    "A grandfathered minter leaves audit:read out.",
    body(
      mint,
      where(
        (_, a) => !("scopes" in objectOf(a.json)),
        over("scopes", (v) => (Array.isArray(v) ? v.filter((s) => s !== "audit:read") : v)),
      ),
    ),
  ),
  m(
    "KEY-MINT-8",
    "An empty list is refused.",
    refuses(
      mint,
      ({ json }) => {
        const s = objectOf(json)["scopes"]
        return Array.isArray(s) && s.length === 0
      },
      1001,
      422,
    ),
  ),
  c(
    "KEY-MINT-8",
    "An empty list inherits.",
    asks(mint, (j) => (Array.isArray(j["scopes"]) && j["scopes"].length === 0 ? cutScopes(j) : j)),
  ),
  m(
    "KEY-MINT-9",
    "Asking for more is 1201.",
    recodes(mint, 1102, 1201, 409, (_, r) => String(objectOf(r.json)["message"]).includes(":")),
  ),
  c(
    "KEY-MINT-9",
    "Asking for more does not name the scopes.",
    words(mint, 1102, (t) => t.replaceAll(/[a-z]+:[a-z*]+/g, "a scope")),
  ),
  m(
    "KEY-MINT-10",
    "Scopes that are not held are trimmed.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      if (asked.path !== "/v2/api-keys" || asked.method !== "POST" || reply.status !== 403) return reply
      return next({ ...asked, json: { ...objectOf(asked.json), scopes: [] } })
    }),
  ),
  c(
    "KEY-MINT-10",
    "Of two scopes the one not held is trimmed.",
    wire(() => async (asked, next) => {
      const reply = await next(asked)
      const wanted = objectOf(asked.json)["scopes"]
      if (
        asked.path !== "/v2/api-keys" ||
        asked.method !== "POST" ||
        reply.status !== 403 ||
        !Array.isArray(wanted) ||
        wanted.length < 2
      )
        return reply
      return next({ ...asked, json: { ...objectOf(asked.json), scopes: wanted.slice(0, 1) } })
    }),
  ),
  m(
    "KEY-MINT-11",
    "An unknown scope is kept.",
    asks(
      mint,
      over("scopes", (v) =>
        Array.isArray(v) ? v.filter((s) => /^(\*|(agents|calls|batches|webhooks|keys|audit):)/.test(String(s))) : v,
      ),
    ),
  ),
  c(
    "KEY-MINT-11",
    "An unknown scope beside a known one does not list the valid values.",
    words(mint, 1001, () => "Invalid value for 'scopes': unknown."),
  ),
  m("KEY-REVOKE-1", "Revoking needs no scope.", ungated("DELETE /v2/api-keys/*")),
  c(
    "KEY-REVOKE-1",
    "Revoking is open to keys that may mint nothing.",
    forgives(
      "DELETE /v2/api-keys/*",
      1102,
      200,
      () => ({ revoked: true }),
      (_, r) => r.status === 403,
    ),
  ),
  m(
    "KEY-REVOKE-2",
    "A revoked key goes on.",
    reroutes("DELETE /v2/api-keys/*", (a) => ({ ...a, path: "/v2/user/me", method: "GET" })),
  ),
  c(
    "KEY-REVOKE-2",
    "A revoked key goes on reading its identity.",
    forgives(
      me,
      1100,
      200,
      () => ({}),
      (_, r) => String(objectOf(r.json)["message"]).includes("inactive"),
    ),
  ),
  m(
    "KEY-REVOKE-3",
    "Revoking answers 204.",
    answers("DELETE /v2/api-keys/*", (r) => (r.status === 200 ? { ...r, status: 204, json: undefined, text: "" } : r)),
  ),
  c(
    "KEY-REVOKE-3",
    "Revoking answers with a bare text.",
    answers("DELETE /v2/api-keys/*", (r) => (r.status === 200 ? { ...r, json: "revoked" } : r)),
  ),
  m(
    "KEY-REVOKE-4",
    "A key revokes itself.",
    forgives("DELETE /v2/api-keys/*", 1201, 200, () => ({ revoked: true })),
  ),
  c("KEY-REVOKE-4", "A key that revokes itself is told 403.", recodes("DELETE /v2/api-keys/*", 1201, 1102, 403)),
]

function cutScopes(json: Record<string, unknown>): Record<string, unknown> {
  const { scopes: _scopes, ...rest } = json
  return rest
}

const identities = [
  m("ME-1", "organization_id is missing.", body(me, cut("organization_id"))),
  c(
    "ME-1",
    "organization_id is that of the developer.",
    body(
      me,
      over("organization_id", () => "org_developer"),
    ),
  ),
  m("ME-2", "developer lacks its key.", body(me, cut("developer.key_id"))),
  c(
    "ME-2",
    "developer.key_preview shows the whole key.",
    answers(me, (r, a) =>
      r.status === 200 ? { ...r, json: set("developer.key_preview", authOf(a).slice(7))(objectOf(r.json), a) } : r,
    ),
  ),
  c("ME-2", "developer.key_id is that of another key.", body(me, set("developer.key_id", "key_0000000000000000"))),
  m(
    "ME-3",
    "plan is an object.",
    body(
      me,
      over("plan", (v) => ({ name: v })),
    ),
  ),
  c(
    "ME-3",
    "plan is missing where the organization is named.",
    body(
      me,
      where((_, { query }) => query.has("organization_id"), cut("plan")),
    ),
  ),
  m("ME-4", "rate_limit_tier is missing.", body(me, cut("rate_limit_tier"))),
  c(
    "ME-4",
    "rate_limit_tier is null where the organization is named.",
    body(
      me,
      where((_, { query }) => query.has("organization_id"), set("rate_limit_tier", null)),
    ),
  ),
  m(
    "ME-5",
    "rate_limits is a list.",
    body(
      me,
      over("rate_limits", (v) => Object.values(objectOf(v))),
    ),
  ),
  c(
    "ME-5",
    "rate_limits has no figure for uploads.",
    body(
      me,
      over("rate_limits", (v) => {
        const { "knowledge.upload": _gone, ...rest } = objectOf(v)
        return rest
      }),
    ),
  ),
  m("ME-6", "concurrency.max is text.", body(me, over("concurrency.max", String))),
  c(
    "ME-6",
    "concurrency.max is the organization's cap although the platform's is lower.",
    body(
      me,
      where((r) => Number(at(r, "concurrency.max")) < 20, set("concurrency.max", 20)),
    ),
  ),
  m("ME-7", "concurrency.enforced is missing.", body(me, cut("concurrency.enforced"))),
  c("ME-7", "concurrency.enforced is always true.", body(me, set("concurrency.enforced", true))),
  m(
    "ME-ROUTE-1",
    "The identity counts in executions.list.",
    headers(me, (h) => h.set("x-ratelimit-limit", "600")),
  ),
  c(
    "ME-ROUTE-1",
    "The identity counts nowhere.",
    headers(me, (h) => h.set("x-ratelimit-remaining", "1000")),
  ),
  m("ME-ROUTE-2", "The identity needs agents:read.", gated(me, "agents:read")),
  c("ME-ROUTE-2", "The identity needs any scope.", gated(me, "calls:read")),
  m(
    "ME-ROUTE-3",
    "The identity is in data.",
    answers(me, (r) => (r.status === 200 ? { ...r, json: { data: r.json } } : r)),
  ),
  c(
    "ME-ROUTE-3",
    "The identity is 404 where the organization is named.",
    answers(me, (r, a) => (a.query.has("organization_id") && r.status === 200 ? failing(r, 1200, 404) : r)),
  ),
  ...(
    [
      ["scope", 1],
      ["description", 2],
      ["granted", 3],
      ["routes", 4],
    ] as const
  ).flatMap(([name, n]) => [
    m(
      `SCOPES-${n}`,
      `${name} is missing.`,
      body(
        scopesRoute,
        by("scopes", (list) =>
          Array.isArray(list)
            ? list.map((e: unknown) => {
                const { [name]: _gone, ...rest } = objectOf(e)
                return rest
              })
            : list,
        ),
      ),
    ),
  ]),
  c(
    "SCOPES-3",
    "granted is true for keys:write whoever asks.",
    body(
      scopesRoute,
      by("scopes", (list) =>
        Array.isArray(list)
          ? list.map((e: unknown) => (objectOf(e)["scope"] === "keys:write" ? { ...objectOf(e), granted: true } : e))
          : list,
      ),
    ),
  ),
  c(
    "SCOPES-4",
    "Routes of calls:write lack their method.",
    body(
      scopesRoute,
      by("scopes", (list) =>
        Array.isArray(list)
          ? list.map((e: unknown) =>
              objectOf(e)["scope"] === "calls:write" ? { ...objectOf(e), routes: ["/v2/calls"] } : e,
            )
          : list,
      ),
    ),
  ),
  m("SCOPES-5", "key lacks its organization.", body(scopesRoute, cut("key.organization_id"))),
  c("SCOPES-5", "key.key_id is another key's.", body(scopesRoute, set("key.key_id", "key_0000000000000000"))),
  m(
    "SCOPES-6",
    "scopes_source of a grandfathered key is explicit.",
    body(scopesRoute, set("key.scopes_source", "explicit")),
  ),
  c(
    "SCOPES-6",
    "scopes_source of every key is grandfathered.",
    body(scopesRoute, set("key.scopes_source", "grandfathered")),
  ),
  m("SCOPES-7", "grandfathered is always false.", body(scopesRoute, set("key.grandfathered", false))),
  c(
    "SCOPES-7",
    "grandfathered is text for explicit keys.",
    body(scopesRoute, where(is("key.grandfathered", false), set("key.grandfathered", "false"))),
  ),
  m(
    "SCOPES-8",
    "key.granted is an object.",
    body(
      scopesRoute,
      over("key.granted", (v) => ({ list: v })),
    ),
  ),
  c(
    "SCOPES-8",
    "key.granted tells wildcards as they are stored.",
    body(
      scopesRoute,
      where(
        (r) => Array.isArray(at(r, "key.granted")) && objectOf(at(r, "key"))["scopes_source"] !== "explicit",
        set("key.granted", ["*"]),
      ),
    ),
  ),
  c(
    "SCOPES-8",
    "key.granted leaves the last scope out.",
    body(
      scopesRoute,
      over("key.granted", (v) => (Array.isArray(v) ? v.slice(0, -1) : v)),
    ),
  ),
  m("SCOPES-9", "note is missing.", body(scopesRoute, cut("note"))),
  c(
    "SCOPES-9",
    "note is null for explicit keys.",
    body(scopesRoute, where(is("key.scopes_source", "explicit"), set("note", null))),
  ),
  m(
    "SCOPES-ROUTE-1",
    "Scopes count in executions.list.",
    headers(scopesRoute, (h) => h.set("x-ratelimit-limit", "600")),
  ),
  m("SCOPES-ROUTE-2", "A key without scopes cannot see why.", gated(scopesRoute, "agents:read")),
  m("SCOPES-ROUTE-3", "Scopes are 202.", restates(scopesRoute, 200, 202)),
  c(
    "SCOPES-ROUTE-3",
    "Scopes are in data where the organization is named.",
    answers(scopesRoute, (r, a) =>
      r.status === 200 && a.query.has("organization_id") ? { ...r, json: { data: r.json } } : r,
    ),
  ),
  m("SCOPES-ROUTE-4", "A wrong organization is 404.", recodes(scopesRoute, 1102, 1200, 404)),
  c("SCOPES-ROUTE-4", "No key is 403.", recodes(scopesRoute, 1100, 1102, 403)),
  c(
    "SCOPES-ROUTE-4",
    "An exceeded rate is served.",
    forgives(scopesRoute, 1300, 200, () => ({})),
  ),
]

const enforced: ReadonlyArray<
  readonly [clauses: string, scope: string, routes: ReadonlyArray<readonly [string, number]>]
> = [
  [
    "SCOPE-2 SCOPE-ENFORCED-3",
    "agents:read",
    [
      ["GET /v2/agents", 200],
      ["GET /v2/agents/*", 200],
      ["GET /v2/agents/*/executions", 200],
    ],
  ],
  [
    "SCOPE-3 SCOPE-ENFORCED-4",
    "agents:write",
    [
      ["POST /v2/agents", 201],
      ["PUT /v2/agents/*", 200],
      ["PATCH /v2/agents/*", 200],
      ["DELETE /v2/agents/*", 200],
      ["POST /v2/agents/*/clone", 201],
    ],
  ],
  [
    "SCOPE-4 SCOPE-ENFORCED-5",
    "calls:read",
    [
      ["GET /v2/calls", 200],
      ["GET /v2/calls/*", 200],
      ["GET /v2/calls/*/transcript", 200],
      ["GET /v2/batches", 200],
      ["GET /v2/batches/*", 200],
      ["GET /v2/batches/*/executions", 200],
    ],
  ],
  [
    "SCOPE-5 SCOPE-ENFORCED-6",
    "calls:write",
    [
      ["POST /v2/calls", 201],
      ["POST /v2/calls/*/stop", 202],
    ],
  ],
  [
    "SCOPE-6 SCOPE-ENFORCED-7",
    "batches:write",
    [
      ["POST /v2/batches", 201],
      ["POST /v2/batches/upload", 201],
      ["POST /v2/batches/*/schedule", 200],
      ["POST /v2/batches/*/stop", 200],
      ["POST /v2/batches/*/pause", 200],
      ["POST /v2/batches/*/resume", 202],
    ],
  ],
  [
    "SCOPE-8 SCOPE-ENFORCED-8",
    "keys:write",
    [
      ["POST /v2/api-keys", 201],
      ["DELETE /v2/api-keys/*", 200],
    ],
  ],
  [
    "SCOPE-10 SCOPE-ENFORCED-9",
    "audit:read",
    [
      ["GET /v2/audit-logs", 200],
      ["GET /v2/audit-logs/*", 200],
      ["GET /v2/audit-logs/verify", 200],
    ],
  ],
]

const scopes = [
  m(
    "SCOPE-1",
    "There are nine scopes.",
    body(
      scopesRoute,
      by("scopes", (l) =>
        Array.isArray(l) ? [...l, { scope: "usage:read", description: "Usage", granted: true, routes: [] }] : l,
      ),
    ),
  ),
  c(
    "SCOPE-1",
    "webhooks:write is not among the scopes.",
    body(
      scopesRoute,
      by("scopes", (l) => (Array.isArray(l) ? l.filter((e) => objectOf(e)["scope"] !== "webhooks:write") : l)),
    ),
  ),
  ...enforced.flatMap(([clauses, scope, routes]) =>
    routes.flatMap(([route, status]) => {
      const [wide = "", exact = ""] = clauses.split(" ")
      return [
        each(exact, `${route} needs no scope instead of ${scope}.`, ungated(route, status)),
        ...(route === routes[0]?.[0] ? [each(wide, `${scope} does not allow ${route}.`, gatedNever(route))] : []),
      ]
    }),
  ),
  c("SCOPE-2", "agents:read does not allow a call history.", gatedNever("GET /v2/agents/*/executions")),
  c("SCOPE-3", "agents:write does not allow clones.", gatedNever("POST /v2/agents/*/clone")),
  c("SCOPE-4", "calls:read does not allow transcripts.", gatedNever("GET /v2/calls/*/transcript")),
  c("SCOPE-5", "calls:write does not allow stops.", gatedNever("POST /v2/calls/*/stop")),
  c("SCOPE-6", "batches:write does not allow pauses.", gatedNever("POST /v2/batches/*/pause")),
  c("SCOPE-10", "audit:read does not allow verifying.", gatedNever("GET /v2/audit-logs/verify")),
  m(
    "SCOPE-7",
    "webhooks:write is not known.",
    refuses(mint, ({ json }) => textOf(objectOf(json)["scopes"]).includes("webhooks:write"), 1001, 422),
  ),
  c(
    "SCOPE-7",
    "webhooks:write has no description.",
    body(
      scopesRoute,
      by("scopes", (l) =>
        Array.isArray(l)
          ? l.map((e: unknown) =>
              objectOf(e)["scope"] === "webhooks:write" ? { ...objectOf(e), scope: "hooks:write" } : e,
            )
          : l,
      ),
    ),
  ),
  m("SCOPE-8", "keys:write does not allow minting.", gatedNever(mint)),
  c("SCOPE-8", "keys:write does not allow revoking.", gatedNever("DELETE /v2/api-keys/*")),
  m(
    "SCOPE-9",
    "keys:write is inherited.",
    asks(mint, (j) => ("scopes" in j ? j : { ...j, grant_api_keys_write: true })),
  ),
  c(
    "SCOPE-9",
    "A wildcard grants keys:write.",
    forgives(mint, 1102, 201, () => ({ key: "gat_x" })),
  ),
  m("SCOPE-POLICY-1", "A grandfathered key is denied batches.", gatedSource("GET /v2/batches", "grandfathered")),
  c(
    "SCOPE-POLICY-1",
    "A grandfathered key may revoke.",
    forgives("DELETE /v2/api-keys/*", 1102, 200, () => ({ revoked: true })),
  ),
  m("SCOPE-POLICY-2", "An empty list allows reads of agents.", ungated("GET /v2/agents")),
  c("SCOPE-POLICY-2", "An empty list allows reads of calls of a batch.", ungated("GET /v2/batches/*/executions")),
  c("SCOPE-POLICY-2", "An empty list allows dialling.", ungated("POST /v2/calls", 201)),
  m("SCOPE-POLICY-3", "agents:read allows reads of calls.", ungated("GET /v2/calls")),
  c("SCOPE-POLICY-3", "A write scope implies its read scope.", ungated("GET /v2/agents")),
  m("SCOPE-POLICY-4", "Wildcards allow nothing.", gatedSourceList("GET /v2/agents", "*")),
  c("SCOPE-POLICY-4", "resource:* does not allow its writes.", gatedSourceList("POST /v2/agents", "agents:*")),
  m(
    "SCOPE-ENFORCED-1",
    "A missing scope is 404.",
    recodes(all, 1102, 1200, 404, ({ query }) => !query.has("organization_id")),
  ),
  c("SCOPE-ENFORCED-1", "A missing scope of batches is 401.", recodes("* /v2/batches**", 1102, 1100, 401)),
  m(
    "SCOPE-ENFORCED-2",
    "Denials are not recorded.",
    records((entry) => (entry.outcome === "denied" ? null : entry)),
  ),
  c(
    "SCOPE-ENFORCED-2",
    "Denials of reads are not recorded.",
    rows("GET /v2/audit-logs", (list) =>
      list.filter((r) => !(r["outcome"] === "denied" && textOf(r["details"]).includes("read"))),
    ),
  ),
  c(
    "SCOPE-ENFORCED-2",
    "Denials are recorded as failed.",
    row("GET /v2/audit-logs", where(is("outcome", "denied"), set("outcome", "failed"))),
  ),
  ...(["/v2/usage", "/v2/api-keys", "/v2/user/me", "/v2/scopes"] as const).map((path) =>
    m("SCOPE-OPEN-1", `GET ${path} needs calls:read.`, gated(`GET ${path}`, "calls:read")),
  ),
  ...(["/v2/webhooks", "/v2/knowledge-bases", "/v2/phone-numbers", "/v2/providers", "/v2/inbound-agents"] as const).map(
    (path) => m("SCOPE-OPEN-2", `GET ${path} needs agents:read.`, gated(`GET ${path}`, "agents:read")),
  ),
  c("SCOPE-OPEN-2", "Experiments need agents:read.", gated("GET /v2/agents/*/versions", "agents:read")),
  c("SCOPE-OPEN-2", "Creating a provider needs agents:write.", gated("POST /v2/providers", "agents:write")),
  m("SCOPE-OPEN-3", "webhooks:write gates subscriptions.", gated("POST /v2/webhooks", "webhooks:write")),
  c("SCOPE-OPEN-3", "webhooks:write gates PATCH of subscriptions.", gated("PATCH /v2/webhooks/*", "webhooks:write")),
  m("SCOPE-DENIED-1", "A denial of key management is 1100.", recodes(mint, 1102, 1100, 401)),
  c("SCOPE-DENIED-1", "A denial of revoking is 1201.", recodes("DELETE /v2/api-keys/*", 1102, 1201, 409)),
]

/** Refused whatever the key holds, where it holds scopes at all. */
function gatedNever(route: string) {
  return answers(route, (r) =>
    r.status < 300 || [1000, 1001, 1002, 1200, 1201].includes(Number(objectOf(r.json)["error"]))
      ? failing(r, 1102, 403, "This API key is not authorized for this action. Missing scope: x:y.")
      : r,
  )
}

/** Refused to keys whose scopes came about in one way. */
function gatedSource(route: string, source: string) {
  return wire(() => async (asked, next) => {
    if (`${asked.method} ${asked.path}` !== route) return next(asked)
    const seen = await next({
      ...asked,
      path: "/v2/scopes",
      query: new URLSearchParams(),
      headers: new Headers(asked.headers),
    })
    return at(seen.json, "key.scopes_source") === source ? failing(seen, 1102, 403) : next(asked)
  })
}

/** Refused to keys that were given a wildcard when the world was made. */
function gatedSourceList(route: string, wildcard: string) {
  return wire(() => {
    const wild = new Set<string>()
    return async (asked, next) => {
      const reply = await next(asked)
      if (asked.path === "/_sim/organizations" || (asked.path === "/v2/api-keys" && asked.method === "POST")) {
        const made_ = objectOf(reply.json)
        const list = Array.isArray(made_["keys"]) ? made_["keys"].map(objectOf) : [made_]
        for (const one of list)
          if (Array.isArray(one["scopes"]) && one["scopes"].includes(wildcard)) wild.add(`Bearer ${textOf(one["key"])}`)
      }
      return `${asked.method} ${asked.path}` === route && wild.has(authOf(asked)) ? failing(reply, 1102, 403) : reply
    }
  })
}

export const access = [...credentials, ...keyRecords, ...identities, ...scopes]
