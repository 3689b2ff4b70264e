import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { AllowedDestinations, type CarrierReport, promiseCarrier } from "@carillon/core"
import { catalogue, prometheusName } from "@carillon/core/ports"
import { callbackHandler, Desk, openDesk } from "@carillon/core/carrier"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon, probes } from "@carillon/http"
import { nodeListener } from "@carillon/http/node"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Postgres } from "@carillon/postgres"
import { Layer, Redacted } from "effect"
import { afterAll, assert, describe, it, onTestFinished } from "vitest"
import { prometheusFolder } from "../../scripts/prometheus.ts"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { PrometheusServer } from "../../scripts/servers/PrometheusServer.ts"
import { secretsOf } from "../examples/secrets.ts"

const docs = join(import.meta.dirname, "..")
const text = (path: string) => readFileSync(join(docs, path), "utf8")

const folder = prometheusFolder()
if (folder === null)
  it("cannot be run: the alert rules in promtool (no Prometheus can be had here)", ({ skip }) => skip())

const rules = text("operating/alerts.yml")
const alerts = [...rules.matchAll(/- alert: (\w+)\n {8}expr: (?:'(.*)'|"(.*)")\n/g)].map(
  ([, name = "", single, double = ""]) => ({ name, expression: single ?? double }),
)
const runbooks = [...rules.matchAll(/runbook_url: "{{ \$externalLabels\.runbooks }}\/([\w-]+)\.html"\n/g)].map(
  ([, page = ""]) => `runbook/${page}.md`,
)

interface Dashboard {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

const dashboard: Dashboard = JSON.parse(text("operating/dashboard.json"))
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

const declared = new Map(
  catalogue.flatMap((one) => {
    const name = prometheusName(one)
    const names = one.kind === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => name + suffix) : [name]
    return names.map((each) => [each, one] as const)
  }),
)

/** What an expression asks for that nothing declares: metrics, labels, and values of labels that are a list. */
const undeclared = (expression: string): ReadonlyArray<string> => {
  const names = [...expression.matchAll(/\b(?:carillon|http_server|db_client)_[a-z_]+/g)].map(([name]) => name)
  const used = names.flatMap((name) => declared.get(name) ?? [])
  const labels = new Map(
    used.flatMap((one) => one.labels.map((label) => [label.name.replaceAll(".", "_"), label.values] as const)),
  )
  const known = (label: string) => labels.has(label) || ["le", "instance", "job"].includes(label)
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/))
  const matched = [...expression.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"([^"]*)"/g)]
  return [
    ...names.filter((name) => !declared.has(name)),
    ...[...grouped, ...matched.map(([, label = ""]) => label)].filter((label) => !known(label)),
    ...matched.flatMap(([, label = "", values = ""]) => {
      const list = labels.get(label) ?? null
      return list === null ? [] : values.split("|").filter((value) => /^\w+$/.test(value) && !list.includes(value))
    }),
  ]
}

const run = (program: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(join(folder ?? "", program), args, { encoding: "utf8" })
  return `${status} ${stdout}${stderr}`
}

describe("the alert rules", () => {
  it.skipIf(folder === null)("are what promtool accepts, and each fires when it should", () => {
    assert.match(run("promtool", "check", "rules", join(docs, "operating/alerts.yml")), /^0 /)
    assert.match(run("promtool", "test", "rules", join(docs, "operating/alerts.test.yml")), /^0 /)
    const tests = text("operating/alerts.test.yml")
    for (const { name } of alerts) assert.include(tests, `  - name: ${name}\n`)
  })

  it("have a page of the runbook each, which says what it means, what to look at and what to do", () => {
    assert.isAbove(alerts.length, 5)
    assert.strictEqual(runbooks.length, alerts.length)
    const pages = readdirSync(join(docs, "runbook")).filter((page) => page !== "README.md")
    assert.deepStrictEqual(pages.map((page) => `runbook/${page}`).toSorted(), runbooks.toSorted())
    alerts.forEach(({ expression, name }, nth) => {
      const page = text(runbooks[nth] ?? "")
      assert.include(page, `# ${name}\n`)
      assert.include(page, `\`${expression}\``)
      const parts = [...page.matchAll(/^## (.+)$/gm)].map(([, part]) => part)
      assert.deepStrictEqual(parts, ["What it means", "What to look at", "What to do"])
      assert.include(text("runbook/README.md"), `[${name}](${runbooks[nth]?.slice("runbook/".length)})`)
    })
  })
})

it("rules, dashboard and pages ask for nothing that is not measured", () => {
  const pages = ["guides/operating.md", ...runbooks].flatMap((page) =>
    [...text(page).matchAll(/`([^`\n]*(?:carillon|http_server|db_client)_[^`\n]*)`/g)].map(([, code = ""]) =>
      code.replaceAll("\\|", "|"),
    ),
  )
  for (const expression of [...alerts.map((one) => one.expression), ...queries, ...pages]) {
    assert.deepStrictEqual(undeclared(expression), [], expression)
  }
  assert.deepStrictEqual(undeclared('sum by (agent) (carillon_nothing{kind="call"})'), [
    "carillon_nothing",
    "agent",
    "kind",
  ])
  assert.deepStrictEqual(undeclared('carillon_backlog_size{kind=~"call|nobody"}'), ["nobody"])
})

/** What a run does not count in which nobody meets, no process stands still and PostgreSQL is there. It is drawn as 0 then, and nothing else is. */
const rare = [
  "carillon_commit_retries_total",
  "carillon_claims_lost_total",
  "carillon_dials_too_late_total",
  "carillon_carrier_reports_given_up_total",
  "carillon_claims_taken_over_total",
]

it("the dashboard draws as 0 what was never counted, where a run does not bring it about, and nothing else", () => {
  const drawn = queries.filter((query) => query.includes("vector(0)"))
  assert.strictEqual(drawn.length, rare.length)
  rare.forEach((name, nth) => assert.include(drawn[nth], name))
})

const patienceMs = 90_000

/** The carrier's code throws when it is to dial this one. */
const mistaken = "+15555550199"

const desk = new Desk()
const callback = callbackHandler({
  desk,
  topics: { calls: async () => 200 },
  recording: async () => new Response(null, { status: 404 }),
})
const carrier = Layer.merge(
  promiseCarrier({
    dial: async ({ to_number }) => {
      if (to_number === mistaken) throw new Error("the adapter has a mistake")
      return { _tag: "Accepted", call_sid: null }
    },
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  }),
  Layer.effectDiscard(openDesk(desk)),
)

/** The words of a call that is over. */
const over = (execution_id: string): CarrierReport => ({
  execution_id,
  at: Date.now(),
  call_sid: null,
  type: "ended",
  end: {
    status: "no-answer",
    duration_seconds: 0,
    answered_by_voicemail: null,
    hangup_by: null,
    hangup_reason: null,
    error: null,
  },
})

const silent = promiseCarrier({
  dial: async () => ({ _tag: "Unknown" }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

/** Another process on the same rows, which seals with a key that the one that is measured has not. It takes up no work. */
const openOther = async (rows: ReturnType<typeof Postgres.layer>, hook: string) => {
  const outside = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), silent, nodeWebhookTransport())
  const other = await Carillon.make({
    ports: Layer.mergeAll(rows, outside, Layer.succeed(AllowedDestinations, [hook])),
    secrets: secretsOf(`other=${Buffer.alloc(32, 1).toString("base64")}`),
    takesWork: false,
    metrics: false,
  })
  const answered = webHandler(other.handle)
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>>, body: object) =>
    answered(new Request(`http://engine${path}`, { method, headers, body: JSON.stringify(body) }))
  return { ask, close: other.close }
}

const started = folder === null ? "no Prometheus can be had here" : await startPostgres()
if (typeof started === "string") it(`cannot be run: the queries of the dashboard (${started})`, ({ skip }) => skip())
afterAll(async () => {
  if (typeof started !== "string") await started.stop()
})

describe.skipIf(typeof started === "string")("the dashboard", () => {
  it("has series for every query after a run, from a real Prometheus", { timeout: 2 * patienceMs }, async () => {
    if (typeof started === "string") return
    const rows = Postgres.layer({ url: Redacted.make(started.url()) })
    const endpoint = createServer((_, response) => response.writeHead(204).end())
    await new Promise<void>((resolve) => endpoint.listen(0, "127.0.0.1", resolve))
    const hook = `127.0.0.1:${(endpoint.address() as AddressInfo).port}`
    const outside = Layer.mergeAll(MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport())
    const ports = Layer.provideMerge(outside, rows).pipe(Layer.provideMerge(Layer.succeed(AllowedDestinations, [hook])))
    const carillon = await Carillon.make({ ports })
    const fallback = probes(carillon, { metrics: { path: "/metrics" } })
    const host = createServer(nodeListener(carillon.handle, { fallback }))
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
    const address = `127.0.0.1:${(host.address() as AddressInfo).port}`
    const prometheus = await PrometheusServer.open({ targets: [address] })
    const other = await openOther(rows, hook)
    onTestFinished(async () => {
      await other.close()
      await prometheus?.close()
      host.close().closeAllConnections()
      await carillon.close()
      endpoint.close().closeAllConnections()
    })
    if (prometheus === null) throw new Error("no Prometheus")
    const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
    const headersOf = (of: string) => ({ authorization: `Bearer ${of}`, "content-type": "application/json" })
    const headers = headersOf(key)
    const postAs = async (of: string, path: string, body: object) => {
      const asked = { method: "POST", headers: headersOf(of), body: JSON.stringify(body) }
      return Object(await (await fetch(`http://${address}${path}`, asked)).json())
    }
    const post = (path: string, body: object) => postAs(key, path, body)
    const { agent_id } = await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    await post("/v2/webhooks", { callback_url: `http://${hook}/`, event_types: ["call_ringing"] })
    const told = await post("/v2/agents", { display_name: "Told by the other", status: "ACTIVE" })
    const sealed = {
      callback_url: `http://${hook}/`,
      agent_id: told.agent_id,
      event_types: ["call_ringing"],
      secret: "of the other process",
    }
    assert.strictEqual((await other.ask("POST", "/v2/webhooks", headers, sealed)).status, 201)
    const missing = async () => {
      const found = await Promise.all(
        queries.map((query) => prometheus.query(query.replaceAll("$__rate_interval", "10s"))),
      )
      return queries.filter((_, nth) => found[nth]?.length === 0)
    }
    const { execution_id: short } = await post("/v2/calls", { agent_id, to_number: "+15555550101" })
    await carillon.report(over(String(short)))
    await callback(new Request("https://host.test/calls", { method: "POST" }))
    await post("/v2/calls", { agent_id, to_number: mistaken })
    const poor = await carillon.organizations.open({ name: "Poor", wallet: { balance: 0, currency: "USD" } })
    const unpaid = await postAs(poor.key, "/v2/agents", { display_name: "Unpaid", status: "ACTIVE" })
    await postAs(poor.key, "/v2/calls", { agent_id: unpaid.agent_id, to_number: "+15555550103" })
    const held = await post("/v2/calls", { agent_id: told.agent_id, to_number: "+15555550102" })
    await carillon.report({ execution_id: String(held.execution_id), at: Date.now(), call_sid: null, type: "ringing" })
    const end = Date.now() + patienceMs
    for (let left = queries; left.length > 0; left = await missing()) {
      assert.isBelow(Date.now(), end, left.join("\n"))
      // Calls that last, so that lines are compared with rows while they are held.
      const { execution_id } = await post("/v2/calls", { agent_id, to_number: "+15555550100" })
      if (execution_id !== undefined) {
        await carillon.report({ execution_id, at: Date.now(), call_sid: null, type: "ringing" })
      }
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })
})
