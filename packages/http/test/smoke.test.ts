import { expect, it } from "vitest"
import { agentId, makeWorld } from "./World.ts"
it("smoke", async () => {
  const world = await makeWorld()
  for (const sent of [
    { target: "/v2/user/me" }, { target: "/v2/scopes" }, { target: "/v2/api-keys" },
    { method: "POST", target: "/v2/calls", body: { agent_id: agentId, to_number: "+15551234567" } },
    { method: "POST", target: "/v2/calls", body: { agent_id: agentId } },
    { target: "/v2/calls" }, { target: "/v2/nope" }, { target: "/v2/calls", key: null },
  ]) {
    const a = await world.send(sent)
    console.log(sent.target, a.status, JSON.stringify(a.headers), a.text)
  }
  expect(1).toBe(1)
})
