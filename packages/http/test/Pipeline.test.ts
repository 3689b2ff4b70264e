import * as fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { agentId, makeWorld, organizationId, type Sent, type World } from "./World.ts"

type Expected = readonly [status: number, code: number, message: string]

let world: World

const credentials = {
  none: () => ({}),
  bare: () => ({ authorization: keys.good }),
  basic: () => ({ authorization: "Basic Z2F0Xzp4" }),
  empty: () => ({ authorization: "Bearer " }),
  threeParts: () => ({ authorization: `Bearer ${keys.good} more` }),
  twice: () => ({ authorization: `Bearer ${keys.good}, Bearer ${keys.good}` }),
  session: () => ({ authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.e30.x" }),
  upperPrefix: () => ({ authorization: `Bearer ${keys.good.toUpperCase()}` }),
  unknown: () => ({ authorization: "Bearer gat_unknown" }),
  inactive: () => ({ authorization: `Bearer ${keys.inactive}` }),
  unbound: () => ({ authorization: `Bearer ${keys.unbound}` }),
  exhausted: () => ({ authorization: `Bearer ${keys.exhausted}` }),
  scopeless: () => ({ authorization: `bEaReR \t ${keys.scopeless}` }),
  good: () => ({ authorization: `BEARER ${keys.good}` }),
} as const

type Credential = keyof typeof credentials

const missing: Expected = [401, 1100, "Missing bearer token. Send Authorization: Bearer gat_..."]
const notAKey: Expected = [
  401,
  1101,
  "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_...",
]

const authentication: { readonly [C in Credential]?: Expected } = {
  none: missing,
  bare: missing,
  basic: missing,
  empty: missing,
  threeParts: missing,
  twice: missing,
  session: notAKey,
  upperPrefix: notAKey,
  unknown: [401, 1100, "Invalid API key."],
  inactive: [401, 1100, "API key is inactive."],
  unbound: [403, 1102, "This API key is not bound to an organization."],
}

const organizations = {
  omitted: "",
  own: `organization_id=${organizationId}`,
  ownTwice: `organization_id=${organizationId}&organization_id=${organizationId}`,
  other: "organization_id=org_2",
  empty: "organization_id=",
  ownAndOther: `organization_id=${organizationId}&organization_id=org_2`,
} as const

const otherOrganizations: ReadonlySet<string> = new Set(["other", "empty", "ownAndOther"])

const routes = {
  place: ["POST", "/v2/calls", "calls.create"],
  trailingSlash: ["POST", "/v2/calls/", "default"],
  wrongCase: ["POST", "/v2/Calls", "default"],
  wrongMethod: ["PUT", "/v2/calls", "default"],
  head: ["HEAD", "/v2/calls", "default"],
  options: ["OPTIONS", "/v2/calls", "default"],
  badEncoding: ["POST", "/v2/%zz", "default"],
  root: ["GET", "/v2", "default"],
} as const

const oversize: Expected = [413, 1000, "The request body is larger than 1 MiB."]
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const dial = { agent_id: agentId, to_number: "+15551234567" }
const json = { "content-type": "application/json" }

interface Body {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array | "oversize" | null
  readonly expected: Expected | null
}

const noJson: Expected = [400, 1000, "The request body must be JSON with Content-Type: application/json."]
const badJson: Expected = [400, 1000, "The request body is not valid JSON."]

const bodies: Readonly<Record<string, Body>> = {
  good: { headers: json, bytes: encode(JSON.stringify(dial)), expected: null },
  unknownFields: { headers: json, bytes: encode(JSON.stringify({ ...dial, nope: { deep: [1] } })), expected: null },
  oversize: { headers: json, bytes: "oversize", expected: oversize },
  oversizeText: { headers: { "content-type": "text/plain" }, bytes: "oversize", expected: oversize },
  none: { headers: {}, bytes: null, expected: noJson },
  empty: { headers: json, bytes: encode(""), expected: badJson },
  noType: { headers: {}, bytes: encode(JSON.stringify(dial)), expected: noJson },
  form: {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    bytes: encode("agent_id=x"),
    expected: noJson,
  },
  malformed: { headers: json, bytes: encode('{"agent_id":'), expected: badJson },
  array: { headers: json, bytes: encode("[]"), expected: [400, 1000, "The request body must be a JSON object."] },
  null: { headers: json, bytes: encode("null"), expected: [400, 1000, "The request body must be a JSON object."] },
  notUtf8: {
    headers: json,
    bytes: new Uint8Array([...encode('{"agent_id":"'), 0xff, ...encode('"}')]),
    expected: [400, 1000, "The request body is not valid UTF-8."],
  },
  deep: {
    headers: json,
    bytes: encode(`{"variables":${"[".repeat(64)}${"]".repeat(64)}}`),
    expected: [400, 1000, "The request body is nested deeper than 64 levels."],
  },
  missingField: {
    headers: json,
    bytes: encode('{"to_number":"nonsense"}'),
    expected: [400, 1002, "Missing required parameter 'agent_id'."],
  },
  invalidField: {
    headers: json,
    bytes: encode('{"agent_id":"agt_nope","to_number":15551234567}'),
    expected: [422, 1001, "Invalid value for 'to_number': must be a string."],
  },
  unknownAgent: {
    headers: json,
    bytes: encode(JSON.stringify({ ...dial, agent_id: "agt_nope" })),
    expected: [404, 1200, "Agent not found."],
  },
}

const keys = { good: "", inactive: "", unbound: "", exhausted: "", scopeless: "" }

beforeAll(async () => {
  world = await makeWorld()
  keys.good = world.mint({ scopes: ["calls:write"] })
  keys.inactive = world.mint({ status: "inactive" })
  keys.unbound = world.mint({ organization_id: null })
  keys.exhausted = world.mint({ plan: "exhausted", scopes: [] })
  keys.scopeless = world.mint({ scopes: ["agents:*", "calls:read", "keys:write"] })
})

afterAll(() => world.close())

const refuses = async (sent: Sent, [status, code, message]: Expected) => {
  const answer = await world.send(sent)
  expect([answer.status, answer.json]).toEqual([status, { error: code, message }])
  return answer
}

describe("the order of the pipeline", () => {
  const word = <K extends string>(record: Readonly<Record<K, unknown>>) =>
    fc.constantFrom(...(Object.keys(record) as Array<K>))

  it("answers with the first failure, whatever else is wrong", async () => {
    await fc.assert(
      fc.asyncProperty(
        // Most requests get past the credential, so that what comes after it is tried as well.
        fc.oneof(
          { weight: 1, arbitrary: word(credentials) },
          { weight: 2, arbitrary: fc.constantFrom("good" as const, "scopeless" as const, "exhausted" as const) },
        ),
        fc.oneof(
          { weight: 1, arbitrary: word(organizations) },
          { weight: 2, arbitrary: fc.constant("omitted" as const) },
        ),
        fc.oneof({ weight: 1, arbitrary: word(routes) }, { weight: 2, arbitrary: fc.constant("place" as const) }),
        word(bodies),
        async (credential, organization, route, bodyName) => {
          // Far from the windows before it, so that no rate is exhausted but the one that always is.
          world.clock.now += 180_000
          const [method, path, bucket] = routes[route]
          const body = bodies[bodyName]!
          const sent: Sent = {
            method,
            target: organizations[organization] === "" ? path : `${path}?${organizations[organization]}`,
            key: null,
            headers: { ...body.headers, ...credentials[credential]() },
            bytes: body.bytes,
          }
          const first: Expected | null =
            authentication[credential] ??
            (otherOrganizations.has(organization)
              ? [403, 1102, "This API key is not authorized for that organization."]
              : credential === "exhausted"
                ? [429, 1300, "Rate limit exceeded: 0 requests per minute for this organization. Retry in 60s."]
                : route !== "place"
                  ? [404, 1200, "No such resource."]
                  : credential === "scopeless"
                    ? [403, 1102, "This API key is not authorized for this action. Missing scope: calls:write."]
                    : body.expected)
          const answer = first === null ? await world.send(sent) : await refuses(sent, first)
          if (first === null) expect(answer.status).toBe(201)

          const counted =
            authentication[credential] === undefined &&
            !otherOrganizations.has(organization) &&
            credential !== "exhausted"
          const ceiling = credential === "exhausted" ? 0 : bucket === "default" ? 1000 : 600
          expect(answer.headers["X-RateLimit-Limit"]).toBe(String(ceiling))
          expect(answer.headers["X-RateLimit-Remaining"]).toBe(String(counted ? ceiling - 1 : ceiling))
          expect(answer.headers["X-RateLimit-Reset"]).toBe("60")
          expect(answer.headers["Retry-After"]).toBe(answer.status === 429 ? "60" : undefined)
        },
      ),
      { numRuns: 400 },
    )
  })
})

describe("another organization", () => {
  it("consumes nothing of the rate, and is told what remains of it", async () => {
    world.clock.now += 180_000
    const remains = async (target: string) => (await world.send({ target })).headers["X-RateLimit-Remaining"]
    expect(await remains("/v2/scopes")).toBe("999")
    expect(await remains("/v2/scopes?organization_id=org_2")).toBe("999")
    expect(await remains("/v2/calls?organization_id=org_2")).toBe("600")
    expect(await remains("/v2/scopes")).toBe("998")
  })
})

describe("scopes", () => {
  it("refuses key management in words of its own, wildcards and grandfathered keys included", async () => {
    const message =
      "This API key is not authorized to manage API keys. Ask an account admin to enable the 'keys:write' scope."
    for (const scopes of [[], ["*"], ["keys:*"], null]) {
      const key = world.mint({ scopes })
      await refuses({ key, method: "POST", target: "/v2/api-keys", body: {} }, [403, 1102, message])
      await refuses({ key, method: "DELETE", target: "/v2/api-keys/key_x" }, [403, 1102, message])
    }
    const enabled = world.mint({ scopes: null, keys_write_enabled: true })
    await refuses({ key: enabled, method: "DELETE", target: "/v2/api-keys/key_x" }, [404, 1200, "API key not found."])
  })

  it("opens the routes that need only a valid key to a key with no scope at all", async () => {
    const key = world.mint({ scopes: [] })
    for (const target of ["/v2/user/me", "/v2/scopes", "/v2/api-keys"]) {
      expect((await world.send({ key, target })).status).toBe(200)
    }
  })

  it("records the denial, and only once it is a denial", async () => {
    const trail = world.tables.auditTrail(organizationId)
    const before = trail.length
    const key = world.mint({ scopes: [] })
    await world.send({ key, target: "/v2/calls?page=0" })
    await world.send({ key, target: "/v2/nothing" })
    expect(trail.slice(before)).toMatchObject([
      {
        action: "scope.denied",
        outcome: "denied",
        resource: { type: "route", id: "GET /v2/calls" },
        error_code: 1102,
        http_status: 403,
        details: { scope: "calls:read" },
      },
    ])
  })
})

describe("the query", () => {
  it.each<[string, Expected]>([
    ["page=0", [422, 1001, "Invalid value for 'page': must be between 1 and 10000."]],
    ["page=10001", [422, 1001, "Invalid value for 'page': must be between 1 and 10000."]],
    ["page=1.5", [422, 1001, "Invalid value for 'page': must be an integer."]],
    ["page=1&page=2", [422, 1001, "Invalid value for 'page': must be given once."]],
    ["page_size=101", [422, 1001, "Invalid value for 'page_size': must be between 1 and 100."]],
    ["include_transcript=yes", [422, 1001, "Invalid value for 'include_transcript': must be true or false."]],
    [
      "direction=sideways",
      [400, 1000, "Invalid value for 'direction': 'sideways'. Valid values are inbound and outbound."],
    ],
    [
      "status=completed,nope",
      [
        400,
        1000,
        "Unknown status 'nope'. Valid values are: queued, scheduled, rescheduled, initiated, ringing, in-progress, completed, failed, busy, no-answer, canceled, stopped, balance-low, error, call-disconnected, voicemail.",
      ],
    ],
  ])("%s", async (query, expected) => {
    await refuses({ target: `/v2/calls?${query}` }, expected)
  })

  it("names a timestamp without an offset", async () => {
    const answer = await world.send({ target: "/v2/calls?from_date=2026-01-05T09:00:00" })
    expect([answer.status, answer.json["error"]]).toEqual([422, 1001])
    expect(answer.json["message"]).toContain("'from_date'")
  })

  it("quotes at most 64 characters of a value and no long run of digits", async () => {
    const answer = await world.send({ target: `/v2/calls?status=${"x".repeat(100)}` })
    expect(answer.json["message"]).toContain(`'${"x".repeat(64)}'`)
    const masked = await world.send({ target: "/v2/calls?status=%2B15551234567" })
    expect(masked.json["message"]).not.toMatch(/\d{7}/)
  })

  it("ignores parameters that it does not know, repeated ones too", async () => {
    expect((await world.send({ target: "/v2/calls?x=1&x=2&constructor=1&__proto__=2" })).status).toBe(200)
  })
})

describe("the optional body of a stop", () => {
  it.each<[string, Partial<Sent>]>([
    ["none", {}],
    ["empty JSON", { headers: json, bytes: encode("") }],
    ["empty form", { headers: { "content-type": "application/x-www-form-urlencoded" }, bytes: encode("") }],
    ["an object", { headers: json, bytes: encode("{}") }],
    ["a null reason", { headers: json, bytes: encode('{"reason":null}') }],
  ])("%s is taken", async (_, sent) => {
    await refuses({ method: "POST", target: "/v2/calls/exec_nope/stop", ...sent }, [404, 1200, "Call not found."])
  })

  it.each<[string, Partial<Sent>, Expected]>([
    ["text", { headers: { "content-type": "text/plain" }, bytes: encode("now") }, noJson],
    ["malformed JSON", { headers: json, bytes: encode("{") }, badJson],
    ["blanks", { headers: json, bytes: encode(" ") }, badJson],
    [
      "a number",
      { headers: json, bytes: encode('{"reason":1}') },
      [422, 1001, "Invalid value for 'reason': must be a string or null."],
    ],
    ["too much", { headers: json, bytes: "oversize" }, oversize],
  ])("%s is refused", async (_, sent, expected) => {
    await refuses({ method: "POST", target: "/v2/calls/exec_nope/stop", ...sent }, expected)
  })
})

describe("a body where none is needed", () => {
  it("is not looked at", async () => {
    for (const bytes of [encode("{"), "oversize" as const]) {
      expect((await world.send({ target: "/v2/user/me", bytes })).status).toBe(200)
    }
  })
})
