import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { DependencyUnavailable, limits, promiseCarrier } from "@carillon/core"
import { AccountStore, catalogue, prometheusName, seriesBound } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { readExposition } from "../../../scripts/servers/Exposition.ts"
import { PrometheusServer } from "../../../scripts/servers/PrometheusServer.ts"
import { prometheusFolder } from "../../../scripts/prometheus.ts"
import { Carillon } from "../src/Carillon.ts"
import { livenessBy } from "../src/Liveness.ts"
import { nodeListener } from "../src/node.ts"
import { firstOf, probes } from "../src/Probes.ts"
import { leaving } from "../src/Readiness.ts"
import { acknowledging } from "./World.ts"

const number = "+15551234567"

const carrier = promiseCarrier({
  dial: async ({ execution_id }) => ({ _tag: "Accepted", call_sid: `leg-of-${execution_id}` }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

const left: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const leave of left.splice(0).toReversed()) await leave()
})

/** An engine in memory whose store can be taken away, on a socket. */
const served = async (options: { readonly metrics?: boolean } = {}, path?: string) => {
  const store = { isAway: false, hangs: false, asked: 0 }
  const tables = MemoryStore.layer(new MemoryTables())
  const breakable = Layer.effect(
    AccountStore,
    Effect.map(AccountStore, (accounts) =>
      AccountStore.of({
        ...accounts,
        platform: Effect.suspend(() => {
          store.asked += 1
          if (store.hangs) return Effect.never
          return store.isAway
            ? Effect.fail(new DependencyUnavailable({ dependency: "account_service" }))
            : accounts.platform
        }),
      }),
    ),
  )
  const rows = Layer.provideMerge(breakable, tables)
  const ports = Layer.mergeAll(rows, MemorySlots.layer(), MemoryRates.layer(), carrier, acknowledging)
  const carillon = await Carillon.make({ ports, ...options })
  left.push(carillon.close)
  const fallback = probes(carillon, path === undefined ? {} : { metrics: { path } })
  const server: Server = createServer(nodeListener(carillon.handle, { fallback }))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  left.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const { agent_id, organization_id, key } = await opened(carillon, `http://${address}`)
  return { address, agent_id, carillon, key, organization_id, store, url: `http://${address}` }
}

const opened = async (carillon: Carillon, url: string) => {
  const { organization, key } = await carillon.organizations.open({
    name: "Acme",
    wallet: { balance: 100, currency: "USD" },
  })
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const made = await fetch(`${url}/v2/agents`, {
    method: "POST",
    headers,
    body: JSON.stringify({ display_name: "Reminder", status: "ACTIVE" }),
  })
  const { agent_id } = Object(await made.json())
  return { agent_id: String(agent_id), organization_id: organization.organization_id, key: key }
}

/** A call that is placed, rings and ends, and a request that is none. */
const busied = async ({ agent_id, carillon, key, url }: Awaited<ReturnType<typeof served>>) => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const body = JSON.stringify({ agent_id, to_number: number })
  const placed = await fetch(`${url}/v2/calls`, { method: "POST", headers, body })
  expect(placed.status).toBe(201)
  const { execution_id } = Object(await placed.json())
  await carillon.report({ execution_id, at: Date.now(), call_sid: null, type: "ringing" })
  await fetch(`${url}/v2/calls/${execution_id}`, { headers })
  await fetch(`${url}/v2/nothing/${execution_id}`, { headers })
  return String(execution_id)
}

describe("metrics", () => {
  it("are Prometheus text of what is declared and nothing else, inside their bounds, and name nobody", async () => {
    const engine = await served({}, "/metrics")
    const execution_id = await busied(engine)
    const answer = await fetch(`${engine.url}/metrics`)
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const text = await answer.text()
    const families = readExposition(text)
    const declared = new Map(catalogue.map((one) => [prometheusName(one), one]))
    for (const [name, { samples, type }] of families) {
      const one = declared.get(name)
      if (one === undefined) throw new Error(`not declared: ${name}`)
      expect(type).toBe(one.kind)
      const perSeries = type === "histogram" ? one.boundaries.length + 3 : 1
      expect(samples.length).toBeLessThanOrEqual(seriesBound(one) * perSeries)
      const allowed = new Set([...one.labels.map((label) => label.name.replaceAll(".", "_")), "le"])
      for (const { labels } of samples) for (const label of labels.keys()) expect(allowed).toContain(label)
    }
    const valueOf = (name: string, labels: Readonly<Record<string, string>>) =>
      families
        .get(name)
        ?.samples.find((sample) => Object.entries(labels).every(([label, value]) => sample.labels.get(label) === value))
        ?.value
    const placed = {
      http_request_method: "POST",
      http_route: "/v2/calls",
      http_response_status_class: "2xx",
      le: "+Inf",
    }
    expect(valueOf("http_server_request_duration_seconds", placed)).toBe(1)
    expect(valueOf("http_server_request_duration_seconds", { http_route: "unmatched", le: "+Inf" })).toBe(1)
    expect(valueOf("carillon_dial_duration_seconds", { outcome: "accepted", le: "+Inf" })).toBe(1)
    expect(valueOf("carillon_dial_delay_seconds", { origin: "direct", le: "+Inf" })).toBe(1)
    expect(valueOf("carillon_line_requests_total", { outcome: "reserved" })).toBe(1)
    expect(valueOf("carillon_carrier_reports_total", { receipt: "applied" })).toBe(1)
    expect(valueOf("carillon_commits_total", { outcome: "applied" })).toBeGreaterThan(2)
    expect(valueOf("carillon_backlog_size", { kind: "event" })).toBe(0)
    for (const secret of [number, number.slice(1), execution_id, engine.organization_id, engine.agent_id, engine.key]) {
      expect(text).not.toContain(secret)
    }
  })

  it("are open to nobody unless their path is given, and nothing where they are switched off", async () => {
    const closed = await served()
    expect((await fetch(`${closed.url}/metrics`)).status).toBe(404)
    const off = await served({ metrics: false }, "/metrics")
    await busied(off)
    expect(await (await fetch(`${off.url}/metrics`)).text()).toBe("")
  })

  it("of two engines in one process are apart", async () => {
    const busy = await served({}, "/metrics")
    const idle = await served({}, "/metrics")
    await busied(busy)
    expect(await busy.carillon.metrics()).toContain("carillon_dial_duration_seconds_count")
    expect(await busy.carillon.metrics()).toMatch(/^carillon_commits_total\{outcome="applied"\} [1-9]/m)
    expect(await idle.carillon.metrics()).not.toContain("carillon_dial_duration_seconds_count")
  })

  const folder = prometheusFolder()
  if (folder === null) it("cannot be run: metrics at a real Prometheus (none can be had here)", ({ skip }) => skip())
  it.skipIf(folder === null)("are scraped by a real Prometheus", async () => {
    const engine = await served({}, "/metrics")
    await busied(engine)
    const prometheus = await PrometheusServer.open({ targets: [engine.address] })
    if (prometheus === null) throw new Error("no Prometheus")
    left.push(() => prometheus.close())
    expect(await prometheus.scraped()).toMatchObject({ health: "up", lastError: "" })
    const value = async (expression: string) => (await prometheus.query(expression))[0]?.value[1]
    expect(await value('sum(carillon_dial_duration_seconds_count{outcome="accepted"})')).toBe("1")
    expect(await value("carillon_lines_used{level='platform'}")).toBe("0")
    const within = "histogram_quantile(1, sum by (le) (http_server_request_duration_seconds_bucket))"
    expect(Number(await value(within))).toBeGreaterThan(0)
    const series = await engine.carillon.metrics()
    for (const [name, { type }] of readExposition(series)) {
      const asked = type === "histogram" ? `${name}_count` : name
      expect([asked, (await prometheus.query(asked)).length]).not.toEqual([asked, 0])
    }
  })
})

describe("probes", () => {
  const probed = async (url: string, path: string) => {
    const answer = await fetch(url + path)
    return [answer.status, await answer.json()] as const
  }

  it("say that a process lives whatever is away, and that it is ready while its store answers", async () => {
    const { store, url } = await served()
    expect(await probed(url, "/livez")).toEqual([200, { status: "ok" }])
    const ready = { ready: true, store: "ok", lines: "ok", leaving: false }
    const away = [503, { ...ready, ready: false, store: "away" }]
    const becomes = (found: unknown) =>
      vi.waitFor(async () => expect(await probed(url, "/readyz")).toEqual(found), { timeout: 20_000, interval: 100 })
    expect(await probed(url, "/readyz")).toEqual([200, ready])
    store.isAway = true
    await becomes(away)
    expect(await probed(url, "/livez")).toEqual([200, { status: "ok" }])
    store.isAway = false
    await becomes([200, ready])
    store.hangs = true
    await becomes(away)
  })

  it("ask the store once in a second, however many ask them", async () => {
    const { store, url } = await served({}, "/metrics")
    const before = store.asked
    const began = performance.now()
    for (let round = 0; round < 5; round++) {
      await Promise.all(Array.from({ length: 40 }, () => probed(url, "/readyz")))
    }
    const seconds = (performance.now() - began) / limits.probeMs
    expect(store.asked - before).toBeGreaterThan(0)
    // The engine asks for itself now and then; each of the two hundred would have asked.
    expect(store.asked - before).toBeLessThanOrEqual(20 + Math.floor(seconds))
  })

  it("write what was measured once in a second", async () => {
    let written = 0
    const metrics = async () => `written ${++written}`
    const readiness = async () => leaving
    const liveness = () => ({ alive: true, driver: null })
    const ask = probes({ liveness, metrics, readiness }, { metrics: { path: "/metrics" } })
    const scrape = async () => (await ask({ method: "GET", target: "/metrics", header: () => null, body: null }))?.body
    const began = performance.now()
    const bodies = await Promise.all(Array.from({ length: 100 }, scrape))
    if (performance.now() - began < limits.probeMs) expect(new Set(bodies)).toEqual(new Set(["written 1"]))
    await vi.waitFor(async () => expect(await scrape()).not.toBe("written 1"), { timeout: 20_000, interval: 100 })
  })

  it("say that a process does its work no more where its driver stands still, and judge none that has no driver", async () => {
    let stillMs: number | null = 0
    const liveness = () => livenessBy({ stillMs: () => stillMs })
    const ask = probes({ liveness, metrics: async () => "", readiness: async () => leaving })
    const lives = async () => (await ask({ method: "GET", target: "/livez", header: () => null, body: null })) ?? null
    expect(await lives()).toMatchObject({ status: 200, body: JSON.stringify({ status: "ok" }) })
    stillMs = limits.driverStillMs - 1
    expect(await lives()).toMatchObject({ status: 200 })
    stillMs = limits.driverStillMs
    expect(await lives()).toMatchObject({ status: 503, body: JSON.stringify({ status: "down", driver: "still" }) })
    stillMs = null
    expect(await lives()).toMatchObject({ status: 200 })
  })

  it("judge the driver that takes up work in this process until it is closed", async () => {
    const { carillon, url } = await served()
    expect(carillon.liveness()).toEqual({ alive: true, driver: "ok" })
    await carillon.close()
    expect(carillon.liveness()).toEqual({ alive: true, driver: null })
    expect(await probed(url, "/livez")).toEqual([200, { status: "ok" }])
    const looks = await Carillon.inMemory({ carrier, takesWork: false })
    left.push(looks.close)
    expect(looks.liveness()).toEqual({ alive: true, driver: null })
  })

  it("are not ready once the process leaves, while requests are still served", async () => {
    const { carillon, key, url } = await served()
    expect(await carillon.metrics()).toContain("\ncarillon_process_draining 0\n")
    const announced = carillon.announceLeaving(20)
    expect(await carillon.metrics()).toContain("\ncarillon_process_draining 1\n")
    expect(await probed(url, "/readyz")).toEqual([503, { ready: false, store: null, lines: null, leaving: true }])
    const headers = { authorization: `Bearer ${key}` }
    expect((await fetch(`${url}/v2/agents`, { headers })).status).toBe(200)
    await announced
    await carillon.close()
    expect((await fetch(`${url}/v2/agents`, { headers })).status).toBe(503)
    expect(await probed(url, "/readyz")).toEqual([503, { ready: false, store: null, lines: null, leaving: true }])
  })

  it("leave everything else to the next fallback", async () => {
    const { carillon } = await served()
    const page = { status: 200, headers: {}, body: "page" }
    const both = firstOf(probes(carillon), ({ target }) => (target === "/page" ? page : null))
    const ask = (target: string, method = "GET") => both({ method, target, header: () => null, body: null })
    expect(ask("/page")).toBe(page)
    expect(ask("/other")).toBeNull()
    expect(ask("/livez", "POST")).toBeNull()
    expect(ask("/livez?verbose")).toMatchObject({ status: 200 })
  })
})
