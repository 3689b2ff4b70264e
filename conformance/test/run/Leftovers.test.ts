import { describe, expect, it } from "vitest"
import { Client } from "../../src/http/Client.ts"
import { Wire } from "../../src/http/Wire.ts"
import { Leftovers } from "../../src/run/Leftovers.ts"
import { fakeServer, type Routes } from "./FakeServer.ts"

const removed = async (routes: Routes, act: (client: Client) => Promise<void>) => {
  const sent: Array<string> = []
  const server = fakeServer(routes)
  const leftovers = new Leftovers()
  const transport = {
    fetch: (request: Request) => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`)
      return server(request)
    },
    secrets: new Set<string>(),
    timeoutMs: 1000,
    sleep: async () => {},
  }
  const wire = new Wire(transport, (request, answer) =>
    leftovers.observe(request.method, new URL(request.url).pathname, answer),
  )
  await act(new Client(wire, "http://server.test", "gat_x"))
  sent.length = 0
  const left = await leftovers.remove(new Client(new Wire(transport), "http://server.test", "gat_x"))
  return { sent, left }
}

const made: Routes = {
  "POST /v2/agents": [201, { agent_id: "agt_1" }],
  "POST /v2/campaigns": [201, { campaign_id: "cmp_1" }],
  "POST /v2/knowledge-bases/manuals/documents": [201, { document_id: "doc_1" }],
  "POST /v2/calls": [400, { error: 1001, message: "no" }],
}

describe("what a run has made", () => {
  it("is taken away in the end, the last first", async () => {
    const { sent } = await removed(made, async (client) => {
      await client.post("/v2/agents", {})
      await client.post("/v2/campaigns", {})
      await client.post("/v2/knowledge-bases/manuals/documents", {})
      await client.post("/v2/calls", {})
    })
    expect(sent).toEqual([
      "DELETE /v2/knowledge-bases/manuals/documents/doc_1",
      "POST /v2/campaigns/cmp_1/cancel",
      "DELETE /v2/campaigns/cmp_1",
      "DELETE /v2/agents/agt_1",
    ])
  })

  it("is left alone where a case has taken it away itself", async () => {
    const gone: Routes = { ...made, "DELETE /v2/agents/agt_1": [200, {}] }
    const { sent } = await removed(gone, async (client) => {
      await client.post("/v2/agents", {})
      await client.delete("/v2/agents/agt_1")
    })
    expect(sent).toEqual([])
  })

  it("is named where the server does not let it go", async () => {
    const kept: Routes = { ...made, "DELETE /v2/agents/agt_1": [409, { error: 1201, message: "It is in use." }] }
    const { left } = await removed(kept, async (client) => void (await client.post("/v2/agents", {})))
    expect(left).toEqual(["DELETE /v2/agents/agt_1: 409 It is in use."])
  })
})
