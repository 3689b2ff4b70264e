import { Effect } from "effect"
import { expect, test } from "vitest"
import { Client } from "../Client.ts"

/** A simulator whose engine sees calling windows for as long as it is told. */
const started = async () => {
  const sight = { isBlind: false }
  const client = await Client.start({
    epoch: "2026-01-05T12:00:00Z",
    decorate: (ports) => ({
      ...ports,
      agents: {
        ...ports.agents,
        find: (...args) =>
          Effect.map(ports.agents.find(...args), (agent) =>
            agent === null || !sight.isBlind ? agent : { ...agent, calling_guard: null },
          ),
      },
    }),
  })
  return { client, sight }
}

const broken = async (client: Client) => new Set((await client.violations()).map(({ name }) => name))

const calling_guard = { enabled: true, timezone: "UTC", start: "09:00", end: "10:00" }

/** Calls at noon of an agent that calls from nine to ten. */
const guarded = async (isBlind: boolean) => {
  const { client, sight } = await started()
  const agent = await client.post("/v2/agents", { display_name: "Guarded", status: "ACTIVE", calling_guard })
  sight.isBlind = isBlind
  await client.post("/v2/calls", { agent_id: agent.body["agent_id"], to_number: "+99900021000000" })
  await client.advance({ by_ms: 60_000 })
  return broken(client)
}

/** A call that was booked for one o'clock, before its agent had a window, or before its challenger's agent had. */
const edited = async (isBlind: boolean, isRouted: boolean) => {
  const { client, sight } = await started()
  const made = async (display_name: string) =>
    String((await client.post("/v2/agents", { display_name, status: "ACTIVE" })).body["agent_id"])
  const control = await made("Control")
  if (isRouted) {
    const experiment = { version_name: "V", status: "active", variant_traffic_pct: 100 }
    await client.post(`/v2/agents/${control}/versions`, { ...experiment, variant_agent_id: await made("Challenger") })
  }
  const scheduled_at = "2026-01-05T13:00:00Z"
  await client.post("/v2/calls", { agent_id: control, to_number: "+99900021000000", scheduled_at })
  for (const body of [{ status: "INACTIVE" }, { calling_guard }, { status: "ACTIVE" }]) {
    await client.patch(`/v2/agents/${control}`, body)
  }
  sight.isBlind = isBlind
  await client.advance({ by_ms: 2 * 3_600_000 })
  return broken(client)
}

test("S9c: a call outside the calling window of its agent is seen, and one that is put off is not", async () => {
  expect(await guarded(false)).toEqual(new Set())
  expect(await guarded(true)).toContain("S9c")
})

test("S9c: a booked call that is dialled outside the window of the agent that was asked for is seen", async () => {
  for (const isRouted of [false, true]) {
    expect(await edited(false, isRouted)).toEqual(new Set())
    expect(await edited(true, isRouted)).toContain("S9c")
  }
})
