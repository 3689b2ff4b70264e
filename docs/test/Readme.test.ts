import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { afterAll, assert, describe, it } from "vitest"

process.env["PORT"] = "0"
const { carillon, server, tenant } = await import("../examples/embed.ts")

afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await carillon.close()
})

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

describe("the README's embedding example", () => {
  it("is the file that is run here", () => {
    assert.include(text("README.md"), text("docs/examples/embed.ts"))
  })

  it("serves /v2 to the organization that it opened: an agent is made and a call is placed and reported", async () => {
    const { port } = server.address() as AddressInfo
    const send = async (method: string, path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer: unknown = await response.json()
      return { status: response.status, read: (field: string) => String(Reflect.get(Object(answer), field)) }
    }
    const agent = await send("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    assert.strictEqual(agent.status, 201)
    const call = await send("POST", "/v2/calls", { agent_id: agent.read("agent_id"), to_number: "+15555550100" })
    assert.strictEqual(call.status, 201)
    const id = call.read("execution_id")
    await carillon.report({ execution_id: id, at: Date.now(), call_sid: null, type: "ringing" })
    const read = await send("GET", `/v2/calls/${id}`)
    assert.strictEqual(read.read("status"), "ringing")
  })
})
