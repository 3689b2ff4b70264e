import { connect } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { serve, type Server } from "../src/server/Server.ts"
import { Simulator } from "../src/Simulator.ts"

let simulator: Simulator

beforeEach(async () => {
  simulator = await Simulator.start({ clock: "manual" })
})
afterEach(() => simulator.close())

/** A PDF that says one line. Readers mend the missing table. */
const pdf = (line: string): Uint8Array => {
  const content = `BT /F1 12 Tf 72 720 Td (${line}) Tj ET`
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
  ]
  const body = objects.map((object, nth) => `${nth + 1} 0 obj\n${object}\nendobj\n`).join("")
  return new Uint8Array(Buffer.from(`%PDF-1.7\n${body}trailer\n<< /Size 6 /Root 1 0 R >>\n%%EOF\n`, "latin1"))
}

const form = async (fields: Readonly<Record<string, string>>, files: ReadonlyArray<Uint8Array>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const bytes of files) data.append("files", new Blob([new Uint8Array(bytes)]), "a.pdf")
  const encoded = new Response(data)
  const type = encoded.headers.get("content-type") ?? ""
  return { type, body: new Uint8Array(await encoded.arrayBuffer()) }
}

/** What the answers of these tests may hold. */
interface Body {
  readonly error: number
  readonly data: ReadonlyArray<{ readonly created_at: string }>
  readonly pagination: { readonly total: number }
  readonly waiting: ReadonlyArray<unknown>
}

const authorization = () => `Bearer ${simulator.info.key}`

const upload = async (path: string, fields: Readonly<Record<string, string>>, ...files: ReadonlyArray<Uint8Array>) => {
  const { body, type } = await form(fields, files)
  const headers = { authorization: authorization(), "content-type": type, "content-length": String(body.length) }
  const response = await simulator.fetch(new Request(`http://sim${path}`, { method: "POST", headers, body }))
  return { status: response.status, headers: response.headers, json: (await response.json()) as Body }
}

const send = async (method: string, path: string, body?: object) => {
  const headers = { authorization: authorization(), "content-type": "application/json" }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await simulator.fetch(new Request(`http://sim${path}`, { method, headers, ...sent }))
  return { status: response.status, json: (response.status === 204 ? {} : await response.json()) as Body }
}

test("files are read as in production, and found again", async () => {
  const made = await upload("/v2/knowledge-bases", { collection: "docs" }, pdf("Refunds are paid within ten days."))
  expect(made.json).toMatchObject({ chunks_indexed: 1, metadata_recorded: true, warnings: [] })
  const hits = await send("POST", "/v2/knowledge-bases/docs/query", { query: "refund" })
  expect(hits.json.data).toMatchObject([{ file: "a.pdf", text: "Refunds are paid within ten days." }])
  expect((await upload("/v2/knowledge-bases/docs/documents", {}, pdf("x").subarray(0, 60))).status).toBe(400)
})

test("while a file is read others are let in, the same organization's uploads are not, and time can pass", async () => {
  const first = upload("/v2/knowledge-bases", { collection: "docs" }, pdf("first"))
  const second = upload("/v2/knowledge-bases", { collection: "more" }, pdf("second"))
  expect([(await first).status, (await second).status].toSorted((a, b) => a - b)).toEqual([201, 429])
  const third = upload("/v2/knowledge-bases/docs/documents", {}, pdf("third"))
  expect((await send("POST", "/_sim/clock/advance", { by_ms: 60_000 })).status).toBe(200)
  expect((await third).status).toBe(201)
  const [listed] = (await send("GET", "/v2/knowledge-bases/docs/documents")).json.data
  expect(Date.parse(listed?.created_at ?? "")).toBeGreaterThan(0)
})

test("a reset answers an upload that is being read, and the next world takes uploads at once", async () => {
  const open = upload("/v2/knowledge-bases", { collection: "docs" }, pdf("first"))
  const reset = send("POST", "/_sim/reset", {})
  expect([201, 503]).toContain((await open).status)
  expect((await reset).status).toBe(204)
  expect((await upload("/v2/knowledge-bases", { collection: "more" }, pdf("first"))).status).toBe(201)
})

test("the fault knowledge_index shows as 1501 and 1502, and nothing is stored", async () => {
  const fault = (mode: string, rest: object = {}) => send("PUT", "/_sim/faults", { knowledge_index: { mode, ...rest } })
  await fault("unreachable")
  const refused = await upload("/v2/knowledge-bases", { collection: "docs" }, pdf("text"))
  expect([refused.status, refused.json.error]).toEqual([503, 1501])
  await fault("timeout")
  expect((await send("GET", "/v2/knowledge-bases")).json).toEqual({
    error: 1502,
    message: "The account service did not respond in time.",
  })
  // The name is looked up, then the chunks are to be indexed.
  await fault("error", { skip: 1, times: 1 })
  expect((await upload("/v2/knowledge-bases", { collection: "docs" }, pdf("text"))).status).toBe(503)
  await send("PUT", "/_sim/faults", { knowledge_index: null })
  expect((await send("GET", "/v2/knowledge-bases")).json.data).toEqual([])
})

test("a base is removed whole or not at all where something is away for a moment, and later by the same request", async () => {
  const faulted = (fault: object | null) => send("PUT", "/_sim/faults", { knowledge_index: fault })
  for (let skip = 0; skip < 8; skip++) {
    await upload("/v2/knowledge-bases", { collection: `c${skip}` }, pdf("Blue doors."))
    await faulted({ mode: "unreachable", skip, times: 1 })
    const { status } = await send("DELETE", `/v2/knowledge-bases/c${skip}`)
    await faulted(null)
    const { status: found } = await send("GET", `/v2/knowledge-bases/c${skip}`)
    const { status: added } = await upload(`/v2/knowledge-bases/c${skip}/documents`, {}, pdf("Red doors."))
    expect([skip, status, found, added]).toEqual(status === 200 ? [skip, 200, 404, 404] : [skip, 503, 200, 201])
  }
  await upload("/v2/knowledge-bases", { collection: "late" }, pdf("Blue doors."))
  await faulted({ mode: "unreachable", skip: 3 })
  expect((await send("DELETE", "/v2/knowledge-bases/late")).status).toBe(503)
  await faulted(null)
  expect((await upload("/v2/knowledge-bases/late/documents", {}, pdf("Red doors."))).status).toBe(409)
  // Whoever is given it meanwhile keeps nobody from finishing that.
  expect((await send("POST", "/v2/agents", { display_name: "Late", knowledge_base: "late" })).status).toBe(201)
  expect((await send("DELETE", "/v2/knowledge-bases/late")).status).toBe(200)
  expect((await send("GET", "/v2/knowledge-bases/late")).status).toBe(404)
})

test("an upload whose row cannot be written is found and not listed", async () => {
  await upload("/v2/knowledge-bases", { collection: "docs" }, pdf("first"))
  await send("PUT", "/_sim/faults", { knowledge_index: { mode: "error", skip: 2, times: 1 } })
  const unlisted = await upload("/v2/knowledge-bases/docs/documents", {}, pdf("Parking is free."))
  expect(unlisted).toMatchObject({ status: 201, json: { metadata_recorded: false, chunks_indexed: 1 } })
  expect((await send("GET", "/v2/knowledge-bases/docs/documents")).json.pagination.total).toBe(1)
  expect((await send("POST", "/v2/knowledge-bases/docs/query", { query: "parking" })).json.data).toHaveLength(1)
  expect((await send("DELETE", "/v2/knowledge-bases/docs")).json).toMatchObject({
    uploads_removed: 1,
    vectors_removed: 2,
  })
})

test("over a socket: a body that drips holds the place, a client that leaves gives it back, chunks are refused", async () => {
  const server: Server = await serve(simulator, "127.0.0.1", 0)
  try {
    const { body, type } = await form({ collection: "docs" }, [pdf("dripping")])
    const head = (...headers: ReadonlyArray<string>) =>
      [
        "POST /v2/knowledge-bases HTTP/1.1",
        "Host: x",
        `Authorization: ${authorization()}`,
        `Content-Type: ${type}`,
        ...headers,
        "",
        "",
      ].join("\r\n")
    const drip = () => {
      const socket = connect(server.port, "127.0.0.1")
      socket.on("error", () => {})
      socket.write(head(`Content-Length: ${body.length}`))
      socket.write(body.subarray(0, 40))
      return socket
    }
    const another = async (collection: string) => (await upload("/v2/knowledge-bases", { collection }, pdf("x"))).status
    const waiting = async (count: number) => {
      for (;;) {
        const clock = await send("GET", "/_sim/clock")
        if (clock.json.waiting.length === count) return
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
    }
    const leaving = drip()
    await waiting(1)
    expect(await another("first")).toBe(429)
    leaving.destroy()
    await waiting(0)
    expect(await another("first")).toBe(201)

    const staying = drip()
    await waiting(1)
    expect(await another("second")).toBe(429)
    const answered = new Promise<string>((resolve) => staying.once("data", (data) => resolve(data.toString())))
    staying.write(body.subarray(40))
    expect(await answered).toMatch(/^HTTP\/1\.1 201 /)
    staying.destroy()

    const chunked = connect(server.port, "127.0.0.1")
    chunked.write(head("Transfer-Encoding: chunked") + "5\r\nhello\r\n0\r\n\r\n")
    const refused = await new Promise<string>((resolve) => chunked.once("data", (data) => resolve(data.toString())))
    expect(refused).toMatch(/^HTTP\/1\.1 411 /)
    chunked.destroy()
  } finally {
    await server.close()
  }
})
