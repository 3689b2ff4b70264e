import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { assert, it } from "vitest"

const page = readFileSync(new URL("../guides/campaign-order.md", import.meta.url), "utf8")

/** The bodies that the page shows, in their order. */
const bodies = [...page.matchAll(/```json\n([^`]*)```/g)].map(([, body = ""]) => body)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const rowsOf = (json: Readonly<Record<string, unknown>>): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(json["data"]) ? json["data"].filter(isObject) : []

it("calls first whom the page says, by the bodies that it shows", async () => {
  const simulator = await Simulator.start({ seed: 1, clock: "manual" })
  const { agent_id, key } = simulator.info
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const ask = async (method: string, path: string, body?: string) => {
    const sent = body === undefined ? {} : { body }
    const answer = await simulator.fetch(new Request(`http://localhost/v2${path}`, { method, headers, ...sent }))
    const json: unknown = await answer.json()
    assert.isBelow(answer.status, 300, JSON.stringify(json))
    return isObject(json) ? json : {}
  }
  try {
    const body = JSON.stringify({ name: "Ordered", agent_id, max_concurrent_calls: 1 })
    const path = `/campaigns/${String((await ask("POST", "/campaigns", body))["campaign_id"])}`
    assert.lengthOf(bodies, 2)
    await ask("PUT", `${path}/order`, bodies[0])
    await ask("POST", `${path}/contacts`, bodies[1])
    await simulator.advance({ until_idle: true })
    const calls = rowsOf(await ask("GET", "/calls")).toSorted((one, other) =>
      String(one["created_at"]) < String(other["created_at"]) ? -1 : 1,
    )
    assert.deepStrictEqual(
      [...new Set(calls.map(({ to_number }) => to_number))],
      ["+14155550102", "+14155550103", "+14155550101"],
    )
    const listed = rowsOf(await ask("GET", `${path}/contacts`))
    assert.deepStrictEqual(
      listed.map(({ priority }) => priority),
      [9, undefined, 2],
    )
  } finally {
    await simulator.close()
  }
})
