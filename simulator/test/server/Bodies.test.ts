import { connect } from "node:net"
import { expect, it } from "vitest"
import { serve } from "../../src/server/Server.ts"
import { Simulator } from "../../src/Simulator.ts"

/** The status of the answer to a request of which only the head is ever sent. */
const statusOf = (port: number, target: string, authorization: string): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.write(
      `POST ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Length: 9\r\n\r\n`,
    )
    socket.once("data", (chunk) => {
      socket.destroy()
      resolve(Number(chunk.toString("latin1").slice(9, 12)))
    })
  })

it("takes no byte of a body from strangers, and a journal has what was taken of the others", async () => {
  const simulator = await Simulator.start({ clock: "manual" })
  const server = await serve(simulator, "127.0.0.1", 0)
  try {
    for (const target of ["/v2/campaigns", "/v2/calls", "/v2/knowledge-bases"]) {
      expect(await statusOf(server.port, target, "Bearer gat_nobody")).toBe(401)
    }
    const { agent_id, key } = simulator.info
    const placed = await fetch(`${server.url}/v2/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ agent_id, to_number: "+15555550100", scheduled_at: "2026-01-06T09:00:00Z" }),
    })
    expect(placed.status).toBe(202)
    const journal = await (await fetch(`${server.url}/_sim/journal`)).text()
    expect(journal).toContain(String.raw`\"to_number\":\"+15555550100\"`)
    expect(JSON.parse(journal.split("\n")[0] ?? "")).toMatchObject({ outings: 0, forgotten: 0 })
  } finally {
    await server.close()
  }
})
