import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { promiseCarrier } from "@carillon/core"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import published from "@opentelemetry/otlp-transformer/build/src/generated/root.js"
import { Effect, Schema } from "effect"
import { afterAll, expect, it } from "vitest"
import { telemetry } from "../src/Logs.ts"

/** OpenTelemetry's own reader, made from the protobuf files that it publishes. */
interface Reader {
  readonly decode: (bytes: Uint8Array) => object
}

const isReader = (value: unknown): value is Reader => typeof value === "function" && "decode" in value

const readerOf = (signal: string): Reader => {
  const part = (of: unknown, name: string): unknown => Object(of)[name]
  const services = ["opentelemetry", "proto", "collector", signal, "v1"].reduce(part, published)
  const reader = part(services, `Export${signal.charAt(0).toUpperCase()}${signal.slice(1)}ServiceRequest`)
  if (!isReader(reader)) throw new Error(`There is no reader of ${signal}.`)
  return reader
}

const collector = async () => {
  const taken: Array<{ readonly path: string; readonly type: string | undefined; readonly bytes: Buffer }> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, url = "" } = request
      taken.push({ path: url, type: headers["content-type"], bytes: Buffer.concat(chunks) })
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(() => server.close().closeAllConnections())
  return { otlpUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, taken }
}

/** All names in messages, such as those of spans and metrics. */
const namesIn = (messages: ReadonlyArray<object>): ReadonlySet<string> => {
  const names = new Set<string>()
  JSON.stringify(messages, (key, value: unknown) => {
    if (key === "name" && typeof value === "string") names.add(value)
    return value
  })
  return names
}

const readAgent = Schema.decodeUnknownSync(Schema.Struct({ agent_id: Schema.String }))

it("sends spans, metrics and lines of the log that OpenTelemetry's own protobuf files can read", async () => {
  const { otlpUrl, taken } = await collector()
  const carillon = await Carillon.inMemory({
    carrier: promiseCarrier({
      dial: async () => ({ _tag: "Accepted", call_sid: null }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    }),
    tracing: true,
    telemetry: telemetry({ logFormat: "json", logLevel: "Info", otlpUrl }),
  })
  const answer = webHandler(carillon.handle)
  const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
  const post = async (path: string, body: object) =>
    await answer(
      new Request(`http://carillon.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
  const { agent_id } = readAgent(
    await (await post("/v2/agents", { display_name: "Reminder", status: "ACTIVE" })).json(),
  )
  expect((await post("/v2/calls", { agent_id, to_number: "+15551234567" })).status).toBe(201)
  await carillon.run(Effect.logWarning("a line of the log"))
  // What is left is sent when the engine closes.
  await carillon.close()

  const read = (signal: string, address: string) => {
    const requests = taken.filter(({ path }) => path === address)
    expect(requests).not.toEqual([])
    return requests.map(({ bytes, type }) => {
      expect(type).toBe("application/x-protobuf")
      return readerOf(signal).decode(bytes)
    })
  }
  expect([...namesIn(read("trace", "/v1/traces"))]).toEqual(expect.arrayContaining(["POST /v2/calls", "carillon.dial"]))
  expect([...namesIn(read("metrics", "/v1/metrics"))]).toEqual(
    expect.arrayContaining(["http.server.request.duration", "carillon.dial.duration"]),
  )
  expect(JSON.stringify(read("logs", "/v1/logs"))).toContain("a line of the log")
})
