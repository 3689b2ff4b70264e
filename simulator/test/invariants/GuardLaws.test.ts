import { Effect } from "effect"
import { expect, test } from "vitest"
import { Client } from "../Client.ts"

/** Calls at noon of an agent that calls from nine to ten. */
const guarded = async (isKnown: boolean) => {
  const client = await Client.start({
    epoch: "2026-01-05T12:00:00Z",
    decorate: (ports) => ({
      ...ports,
      agents: isKnown
        ? ports.agents
        : {
            ...ports.agents,
            find: (...args) =>
              Effect.map(ports.agents.find(...args), (agent) =>
                agent === null ? null : { ...agent, calling_guard: null },
              ),
          },
    }),
  })
  const calling_guard = { enabled: true, timezone: "UTC", start: "09:00", end: "10:00" }
  const agent = await client.post("/v2/agents", { display_name: "Guarded", status: "ACTIVE", calling_guard })
  await client.post("/v2/calls", { agent_id: agent.body["agent_id"], to_number: "+99900021000000" })
  await client.advance({ by_ms: 60_000 })
  return new Set((await client.violations()).map(({ name }) => name))
}

test("S9c: a call outside the calling window of its agent is seen, and one that is put off is not", async () => {
  expect(await guarded(true)).toEqual(new Set())
  expect(await guarded(false)).toContain("S9c")
})
