import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { AllowedDestinations, promiseCarrier } from "@carillon/core"
import { askingSpan, type WebhookRequest, WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import { afterAll, describe, expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { send } from "./World.ts"

const number = "+15551234567"
const note = "the caller's own words"

const carrier = promiseCarrier({
  dial: async () => ({ _tag: "Accepted", call_sid: null }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

interface Span {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: object }>
}

/** What takes OTLP over HTTP, and keeps it. */
const collector = async () => {
  const texts = new Map<string, Array<string>>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const path = request.url ?? ""
      texts.set(path, [...(texts.get(path) ?? []), Buffer.concat(chunks).toString()])
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(() => server.close().closeAllConnections())
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts: (path: string) => texts.get(path) ?? [],
    spans: () =>
      (texts.get("/v1/traces") ?? []).flatMap((text): ReadonlyArray<Span> =>
        Object(JSON.parse(text)).resourceSpans.flatMap((resource: { scopeSpans: ReadonlyArray<{ spans: [] }> }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
  }
}

const exporting = (baseUrl: string) =>
  Otlp.layerJson({
    baseUrl,
    resource: { serviceName: "carillon" },
    metricsExportInterval: 100,
    tracerExportInterval: 100,
  }).pipe(Layer.provide(FetchHttpClient.layer))

const placing = async (tracing: boolean, headers: Readonly<Record<string, string>>) => {
  const { baseUrl, spans, texts } = await collector()
  const carillon = await Carillon.inMemory({ carrier, tracing, telemetry: exporting(baseUrl) })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const agent = await send(carillon.handle, {
    key,
    method: "POST",
    target: "/v2/agents",
    body: { display_name: "Reminder", status: "ACTIVE" },
  })
  const body = { agent_id: agent.json["agent_id"], to_number: number, variables: { note } }
  const placed = await send(carillon.handle, { key, method: "POST", target: "/v2/calls", body, headers })
  expect(placed.status).toBe(201)
  await expect.poll(() => texts("/v1/metrics").length, { timeout: 30_000 }).toBeGreaterThan(0)
  // What is left is sent when the engine closes.
  await carillon.close()
  return {
    execution_id: placed.json["execution_id"],
    key,
    spans: spans(),
    texts: texts("/v1/traces"),
    measured: texts("/v1/metrics").join("\n"),
  }
}

describe("what goes out over OTLP", () => {
  it("has the spans of a request under the span of whoever sent it, and tells nothing of customers", async () => {
    const [traceId, asking] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"]
    const { execution_id, key, measured, spans, texts } = await placing(true, {
      traceparent: `00-${traceId}-${asking}-01`,
    })
    const request = spans.find(({ name }) => name === "POST /v2/calls")
    expect(request).toMatchObject({ traceId, parentSpanId: asking, kind: 2 })
    const dial = spans.find(({ name }) => name === "carillon.dial")
    expect(dial).toMatchObject({ traceId, kind: 3 })
    expect(JSON.stringify(dial?.attributes)).toContain(String(execution_id))
    const commits = spans.filter(({ name, traceId: of }) => name === "carillon.commit" && of === traceId)
    expect(commits.length).toBeGreaterThanOrEqual(2)
    for (const commit of commits) expect(spans.some(({ spanId }) => spanId === commit.parentSpanId)).toBe(true)
    for (const hidden of [number, number.slice(1), note, key]) expect(texts.join("\n")).not.toContain(hidden)
    expect(measured).toContain('"http.server.request.duration"')
    expect(measured).toContain('"carillon.dial.duration"')
    expect(measured).not.toContain(number.slice(1))
  })

  it("has no span unless the host asks for them", async () => {
    const { measured, spans } = await placing(false, {})
    expect(spans.filter(({ name }) => /^carillon\.|\/v2\//.test(name))).toEqual([])
    expect(measured).toContain('"http.server.request.duration"')
  })
})

it("takes a span from a header that is one, and from no other", () => {
  const [traceId, spanId] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"]
  expect(Option.getOrNull(askingSpan(`00-${traceId}-${spanId}-01`))).toMatchObject({ traceId, spanId, sampled: true })
  expect(Option.getOrNull(askingSpan(`00-${traceId}-${spanId}-00`))).toMatchObject({ sampled: false })
  const wrong = ["", "00", `01-${traceId}-${spanId}-01`, `00-${traceId}-${spanId}-01-x`, `00-${traceId}-${spanId}`]
  const nothing = [
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ]
  for (const header of [null, ...wrong, ...nothing]) expect(Option.isNone(askingSpan(header))).toBe(true)
})

/** What an endpoint gets of a call that could not be dialled, and the spans that were made of the attempts. */
const delivered = async (tracing: boolean, headers: Readonly<Record<string, string>>) => {
  const { baseUrl, spans, texts } = await collector()
  const sent: Array<WebhookRequest> = []
  const transport = Layer.succeed(WebhookTransport, {
    send: (request: WebhookRequest) =>
      Effect.sync(() => {
        sent.push(request)
        return { _tag: "Answered" as const, http_status: 204 }
      }),
  })
  const ports = Layer.mergeAll(
    MemoryStore.layer(new MemoryTables()),
    MemorySlots.layer(),
    MemoryRates.layer(),
    carrier,
    transport,
    Layer.succeed(AllowedDestinations, ["127.0.0.1:1"]),
  )
  const carillon = await Carillon.make({ ports, tracing, telemetry: exporting(baseUrl) })
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const post = (target: string, body: object) => send(carillon.handle, { key, method: "POST", target, body })
  const agent = await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
  const subscribed = await post("/v2/webhooks", {
    callback_url: "http://127.0.0.1:1/",
    event_types: ["call_ringing"],
    headers,
  })
  expect(subscribed.status).toBe(201)
  const placed = await post("/v2/calls", { agent_id: agent.json["agent_id"], to_number: number })
  const ringing = { at: Date.now(), call_sid: null, type: "ringing" } as const
  await carillon.report({ ...ringing, execution_id: String(placed.json["execution_id"]) })
  await expect.poll(() => sent.length, { timeout: 30_000 }).toBeGreaterThan(0)
  await expect.poll(() => texts("/v1/metrics").length, { timeout: 30_000 }).toBeGreaterThan(0)
  await carillon.close()
  const named = (sent[0]?.headers ?? []).flatMap(([name, value]) =>
    name.toLowerCase() === "traceparent" ? [value] : [],
  )
  return { attempts: spans().filter(({ name }) => name === "carillon.webhook.attempt"), named }
}

describe("a delivery", () => {
  it("carries the span of its attempt", async () => {
    const { attempts, named } = await delivered(true, {})
    expect(attempts.length).toBe(1)
    expect(named).toEqual([`00-${attempts[0]?.traceId}-${attempts[0]?.spanId}-01`])
  })

  it("carries none where no spans are made", async () => {
    const { attempts, named } = await delivered(false, {})
    expect(attempts).toEqual([])
    expect(named).toEqual([])
  })

  it("leaves the header of that name to the customer who has set it", async () => {
    const own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
    expect((await delivered(true, { Traceparent: own })).named).toEqual([own])
  })
})
