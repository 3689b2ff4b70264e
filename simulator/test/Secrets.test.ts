import { Effect } from "effect"
import { beforeAll, expect, test, vi } from "vitest"
import type { SimulatorOptions } from "../src/Simulator.ts"
import { Client } from "./Client.ts"

/** What customers keep secret: nothing but the customer's own request, and what is sent to the customer, may tell it. */
const planted = {
  subscription: "whsec_PLANTED-of-a-subscription",
  changed: "whsec_PLANTED-that-came-later",
  fallback: "whsec_PLANTED-of-the-default",
  organization: "whsec_PLANTED-of-the-organization",
  later: "whsec_PLANTED-of-the-organization-later",
  header: "Bearer PLANTED-for-the-endpoint",
  control: "Bearer PLANTED-by-control-itself",
  provider: "sk-PLANTED-value-of-a-provider",
  test: "whsec_PLANTED-for-one-test",
  refused: "whsec_PLANTED-in-a-refused-body",
  bearer: "gat_PLANTED-key-that-nobody-has",
}

const base64Of = (text: string) => Buffer.from(text).toString("base64").replace(/=+$/, "")

/** A secret as it may lie somewhere. In base64 a text begins at any of three places of a group. */
const shapesOf = (secret: string): ReadonlyArray<string> => {
  const hex = Buffer.from(secret).toString("hex")
  const inside = [0, 1, 2].map((skipped) => base64Of(secret.slice(skipped)).slice(2, -2))
  return [secret, hex, hex.toUpperCase(), ...inside]
}

/** Which secrets a text tells. */
const toldIn = (text: string, secrets: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.keys(secrets).filter((name) => shapesOf(secrets[name] ?? "").some((shape) => text.includes(shape)))

/** Everything that a day has told, by where. */
const told = new Map<string, string>()

/** Everything that is secret, with the keys that were made on the way. */
const secrets: Record<string, string> = { ...planted }

const tell = (where: string, text: string) => told.set(where, `${told.get(where) ?? ""}${text}\n`)

/** Everything that is written to a console. */
const listened = () => {
  const methods = ["log", "info", "warn", "error", "debug"] as const
  const spies = methods.map((method) =>
    vi.spyOn(console, method).mockImplementation((...said) => tell("logs", said.map(String).join(" "))),
  )
  return () => spies.forEach((spy) => spy.mockRestore())
}

/** A day of a customer with secrets, in which things fail. */
const live = async (client: Client) => {
  const { agent_id, organization_id } = client.simulator.info
  const say = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await client.send(method, path, body, headers)
    tell("answers", answer.text)
    return answer.body
  }
  await client.patch(`/_sim/organizations/${organization_id}`, {
    webhook_secret: planted.organization,
    webhook_default: {
      callback_url: "https://fallback.inbox.test/",
      secret: planted.fallback,
      headers: { "X-Token": planted.control },
    },
  })
  const hook = { callback_url: "https://own.inbox.test/", agent_id, headers: { Authorization: planted.header } }
  const keyed = { "idempotency-key": "once" }
  const { subscription_id } = await say("POST", "/v2/webhooks", { ...hook, secret: planted.subscription }, keyed)
  await say("POST", "/v2/webhooks", { ...hook, event_types: ["call_completed"] })
  await say("POST", "/v2/webhooks", { ...hook, secret: planted.refused, method_type: "DELETE" })
  await say("POST", "/v2/webhooks", { ...hook, secret: planted.refused, callback_url: 7 })
  await say("POST", "/v2/webhooks/test", { subscription_id, secret: planted.test })
  await say("POST", "/v2/webhooks/test", { subscription_id, headers: { "Bad Name": planted.header } })
  const provider = { provider_name: "voice", provider_value: planted.provider }
  await say("POST", "/v2/providers", provider, keyed)
  await say("POST", "/v2/providers", provider)
  await say("GET", "/v2/calls", undefined, { authorization: `Bearer ${planted.bearer}` })
  const [made] = (await client.post("/_sim/organizations", { keys: [{ keys_write: true }] })).body.keys
  secrets["other key"] = made?.key ?? ""
  const bearer = { ...keyed, authorization: `Bearer ${made?.key ?? ""}` }
  const minted = await client.send("POST", "/v2/api-keys", { name: "second" }, bearer)
  secrets["first key"] = client.key
  if (typeof minted.body["key"] === "string") secrets["minted key"] = minted.body["key"]
  await client.put("/_sim/inbox/own", { statuses: [500, 200, 503] })
  await client.put("/_sim/faults", { slot_store: { mode: "error", times: 3 } })
  for (let nth = 0; nth < 3; nth++) tell("answers", (await client.dialThrough(`+99900030000000${nth}`)).text)
  await client.put("/_sim/faults", { account: { mode: "error", times: 3 }, scheduler: { mode: "timeout", times: 2 } })
  await client.advance({ by_ms: 30_000 })
  await say("PATCH", `/v2/webhooks/${String(subscription_id)}`, { secret: planted.changed })
  await client.patch(`/_sim/organizations/${organization_id}`, { webhook_secret: planted.later })
  await client.simulator.crash(5)
  tell("answers", (await client.dialThrough("+999000300000009")).text)
  await client.advance({ by: "P1D" })
  for (const path of [
    "/v2/webhooks",
    "/v2/webhooks/deliveries?page_size=100",
    "/v2/providers",
    "/v2/api-keys",
    "/v2/audit-logs?page_size=100",
    "/v2/calls?include_transcript=true",
    "/v2/user/me",
  ]) {
    await say("GET", path)
  }
  return organization_id
}

/** Notes what a port is given and what it gives, row for row. */
const overheard = <Port extends object>(name: string, port: Port): Port => {
  const heard = (value: unknown) =>
    Effect.isEffect(value)
      ? Effect.tap(value, (answer) => Effect.sync(() => tell(`port ${name}`, JSON.stringify(answer) ?? "")))
      : value
  return new Proxy(port, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== "function") return heard(value)
      return (...given: ReadonlyArray<unknown>) => {
        tell(`port ${name}`, JSON.stringify(given))
        return heard(Reflect.apply(value, target, given))
      }
    },
  })
}

const decorate: NonNullable<SimulatorOptions["decorate"]> = (ports) => ({
  ...ports,
  store: overheard("store", ports.store),
  accounts: overheard("accounts", ports.accounts),
  audit: overheard("audit", ports.audit),
  deliveries: overheard("deliveries", ports.deliveries),
  idempotency: overheard("idempotency", ports.idempotency),
  keys: overheard("keys", ports.keys),
  providers: overheard("providers", ports.providers),
  subscriptions: overheard("subscriptions", ports.subscriptions),
  wakeups: overheard("wakeups", ports.wakeups),
})

let inbox: ReadonlyArray<Readonly<Record<string, unknown>>> = []

beforeAll(async () => {
  const silence = listened()
  try {
    const client = await Client.start({ seed: "planted", logLevel: "Debug", decorate })
    const day = await live(client)
    expect(day).toBe(client.simulator.info.organization_id)
    expect(await client.violations()).toEqual([])
    inbox = (await client.get("/_sim/inbox/own")).body.data
    for (const path of ["/_sim/metrics", "/_sim/stats", "/_sim/invariants", "/_sim/telephony/legs"]) {
      tell(path, (await client.get(path)).text)
    }
    await client.simulator.close()
  } finally {
    silence()
  }
})

test("a day with secrets came to pass: they were used", () => {
  const sent = JSON.stringify(inbox)
  expect(sent).toContain(planted.header)
  expect(sent.toLowerCase()).toContain("x-service-signature")
  expect(told.get("logs")).toContain("The slot store failed")
  expect(Object.keys(secrets)).toContain("minted key")
  const rows = told.get("port store") ?? ""
  const isWritten = (kind: string) => rows.includes(`"put":"${kind}"`)
  expect(["subscription", "provider", "api_key", "delivery", "event"].filter((kind) => !isWritten(kind))).toEqual([])
  expect(rows.includes('"action":"webhook.update"')).toBe(true)
  expect(told.get("port accounts")?.includes('"webhook_secret":"carillon-sealed:simulator:')).toBe(true)
  expect(rows.match(/carillon-sealed:simulator:/g)?.length).toBeGreaterThan(5)
})

test("finds a secret in each of its shapes", () => {
  for (const text of [planted.header, Buffer.from(planted.header).toString("hex"), base64Of(`a${planted.header}`)]) {
    expect(toldIn(`x${text}y`, secrets)).toEqual(["header"])
  }
})

test("nothing that was written or said tells a secret", () => {
  // Whoever makes a key is told it, once; that answer is not among these.
  const found = [...told].flatMap(([where, text]) => toldIn(text, secrets).map((name) => `${name} in ${where}`))
  expect(found).toEqual([])
})
