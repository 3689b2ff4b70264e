import { promiseCarrier, type SecretsShape } from "@carillon/core"
import { WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { Postgres } from "@carillon/postgres"
import * as Pglite from "@carillon/postgres/pglite"
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, it } from "vitest"
import { reseal, secretsOf } from "../examples/secrets.ts"

const scope = Scope.makeUnsafe()
const rows = await Effect.runPromise(
  Layer.buildWithScope(Layer.provideMerge(Postgres.layerNoDeps, Pglite.layerClient("memory://")), scope),
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** Every row of every table as text. */
const dump = async (): Promise<string> => {
  const sql = Context.get(rows, SqlClient.SqlClient)
  const all = <Row extends object>(text: string) => Effect.runPromise(sql.unsafe<Row>(text))
  const tables = await all<{ readonly name: string }>(
    "select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  )
  assert.isAbove(tables.length, 20)
  let text = ""
  for (const { name } of tables) {
    for (const row of await all<{ readonly row: string }>(`select t::text as row from ${name} t`))
      text += `${row.row}\n`
  }
  return text
}

/** The ways in which a secret could lie in a text without being sealed. */
const shapesOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  return [secret, bytes.toString("hex"), bytes.toString("base64").replace(/.{1,2}=*$/, ""), encodeURIComponent(secret)]
}

const held = (text: string, secrets: ReadonlyArray<string>) =>
  secrets.filter((secret) => shapesOf(secret).some((shape) => text.includes(shape)))

const logged: Array<string> = []
const sent: Array<string> = []
const outside = Layer.mergeAll(
  Layer.effectContext(Effect.succeed(rows)),
  MemorySlots.layer(),
  MemoryRates.layer(),
  promiseCarrier({
    dial: async ({ execution_id }) => ({ _tag: "Accepted", call_sid: `leg-of-${execution_id}` }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  }),
  Layer.succeed(WebhookTransport, {
    send: (request) =>
      Effect.sync(() => {
        sent.push(JSON.stringify(request.headers))
        return { _tag: "Answered", http_status: 200 }
      }),
  }),
  Logger.layer([Logger.make(({ cause, message }) => void logged.push(JSON.stringify([message, cause])))]),
)

const end = {
  status: "completed",
  duration_seconds: 10,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: null,
  error: null,
} as const

/** What customers write in a day, each text of it with the day's name. */
const secretsOfDay = (day: string) => ({
  organization: `whsec_organization-${day}-0123456789`,
  own: `whsec_own-${day}-0123456789`,
  changed: `whsec_changed-${day}-0123456789`,
  header: `Bearer header-${day}-0123456789`,
  provider: `sk-provider-${day}-0123456789`,
  removed: `sk-removed-${day}-0123456789`,
  tested: `whsec_tested-${day}-0123456789`,
  refused: `sk-refused-${day}-0123456789`,
})

/** A day of one organization: webhooks and providers come, change and go, calls are told of, requests are repeated and refused. */
const live = async (day: string, secrets: SecretsShape | undefined) => {
  const planted = secretsOfDay(day)
  const carillon = await Carillon.make({
    ports: outside,
    keepEvents: true,
    ...(secrets === undefined ? {} : { secrets }),
  })
  const { key, organization } = await carillon.organizations.open({
    name: day,
    wallet: { balance: 100, currency: "USD" },
    webhook_secret: "whsec_first-0123456789",
  })
  const keys = [key]
  const answers: Array<string> = []
  const asking = webHandler(carillon.handle)
  const ask = async (method: string, path: string, body: object | null, status: number, again?: string) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const request = new Request(`http://carillon.test/v2${path}`, {
      method,
      headers: again === undefined ? headers : { ...headers, "Idempotency-Key": again },
      body: body === null ? null : JSON.stringify(body),
    })
    const answer = await asking(request)
    const text = await answer.text()
    assert.strictEqual(answer.status, status, `${method} ${path} ${text}`)
    answers.push(text)
    return Object(JSON.parse(text === "" ? "{}" : text))
  }
  await carillon.organizations.change(organization.organization_id, { webhook_secret: planted.organization })
  const agent = { display_name: "Reminder", status: "ACTIVE" }
  const { agent_id } = await ask("POST", "/agents", agent, 201)
  const headers = { Authorization: planted.header }
  const events = { event_types: ["call_ringing", "call_completed"] }
  const hook = { callback_url: "https://93.184.216.34/hook", agent_id, secret: planted.own, headers, ...events }
  const { subscription_id } = await ask("POST", "/webhooks", hook, 201)
  await ask("PATCH", `/webhooks/${subscription_id}`, { secret: planted.changed }, 200)
  const { subscription_id: another } = await ask("POST", "/webhooks", hook, 201)
  await ask("DELETE", `/webhooks/${another}`, null, 204)
  await ask("POST", "/webhooks/test", { subscription_id, secret: planted.tested, headers }, 202)
  await ask("POST", "/providers", { provider_name: "voice", provider_value: planted.provider }, 201)
  await ask("POST", "/providers", { provider_name: "voice", provider_value: planted.refused }, 409)
  await ask("POST", "/providers", { provider_name: "old", provider_value: planted.removed }, 201)
  await ask("DELETE", "/providers/old", null, 200)
  const call = { agent_id, to_number: "+15555550100" }
  const { execution_id } = await ask("POST", "/calls", call, 201, "again")
  await ask("POST", "/calls", call, 201, "again")
  const told = { execution_id, at: Date.now(), call_sid: null }
  await carillon.report({ ...told, type: "ringing" })
  await carillon.report({ ...told, type: "ended", end })
  const heard: Array<string> = []
  for await (const event of carillon.events()) if (heard.push(JSON.stringify(event)) >= 2) break
  if (secrets !== undefined) assert.strictEqual((await reseal(carillon)).unreadable, 0)
  await ask("GET", "/webhooks", null, 200)
  await ask("GET", "/webhooks/deliveries", null, 200)
  await ask("GET", "/providers", null, 200)
  await carillon.close()
  return { answers: answers.join("\n"), heard: heard.join("\n"), keys, planted: Object.values(planted), kept: planted }
}

const keyOf = (id: string, byte: number) => `${id}=${Buffer.alloc(32, byte).toString("base64")}`

it("no table, answer, event or log line holds a secret that is sealed, and none of any time after the keys have come", async () => {
  const plain = await live("unsealed", undefined)
  const { changed, header, organization, provider } = plain.kept
  // The search finds what is there to be found.
  assert.sameMembers(held(await dump(), plain.planted), [changed, header, organization, provider])
  const first = await live("first", secretsOf(keyOf("first", 1)))
  const second = await live("second", secretsOf(`${keyOf("second", 2)},${keyOf("first", 1)}`))
  const all = [plain, first, second]
  const text = await dump()
  assert.deepStrictEqual(held(text, [...all.flatMap(({ keys, planted }) => [...keys, ...planted])]), [])
  assert.notInclude(text, "carillon-sealed:first:")
  for (const { answers, heard, planted } of all) assert.deepStrictEqual(held(answers + heard, planted), [])
  assert.deepStrictEqual(
    held(
      logged.join("\n"),
      all.flatMap(({ keys, planted }) => [...keys, ...planted]),
    ),
    [],
  )
  // They were used all the while.
  assert.include(sent.join("\n"), second.kept.header)
})
