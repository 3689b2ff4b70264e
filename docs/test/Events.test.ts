import { readFileSync } from "node:fs"
import { promiseCarrier } from "@carillon/core"
import { WebhookTransport } from "@carillon/core/ports"
import { MemoryRates, MemorySlots } from "@carillon/core/memory"
import { Carillon, type HostEvent } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import * as Pglite from "@carillon/postgres/pglite"
import { Effect, Layer } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { newPglite } from "../../scripts/servers/PgliteDirectory.ts"
import { ended } from "../examples/events-effect.ts"
import { follow } from "../examples/events.ts"

const { directory, remove } = await newPglite()

afterAll(remove)

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const carrier = promiseCarrier({
  dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

const nobodyListens = Layer.succeed(WebhookTransport, {
  send: () => Effect.succeed({ _tag: "Failed", error_class: "connect_error" }),
})

const start = () =>
  Carillon.make({
    ports: Layer.mergeAll(Pglite.layer(directory), MemorySlots.layer(), MemoryRates.layer(), carrier, nobodyListens),
    keepEvents: true,
  })

const post = async (carillon: Carillon, key: string, path: string, body: object): Promise<unknown> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const request = new Request(`http://carillon.test${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const answer = await webHandler(carillon.handle)(request)
  assert.strictEqual(answer.status, 201)
  return answer.json()
}

const end = {
  status: "completed",
  duration_seconds: 10,
  answered_by_voicemail: false,
  hangup_by: "customer",
  hangup_reason: null,
  error: null,
} as const

/** Places calls that ring, are answered and end side by side, and says who they were. */
const callsOf = async (carillon: Carillon, key: string, agent_id: string, count: number) => {
  const ids: Array<string> = []
  for (let nth = 0; nth < count; nth++) {
    const call = await post(carillon, key, "/v2/calls", { agent_id, to_number: `+1555555010${nth}` })
    ids.push(String(Object(call).execution_id))
  }
  await Promise.all(
    ids.map(async (execution_id) => {
      const told = { execution_id, at: Date.now(), call_sid: null }
      await carillon.report({ ...told, type: "ringing" })
      await carillon.report({ ...told, type: "answered" })
      await carillon.report({ ...told, type: "ended", end })
    }),
  )
  return ids
}

describe("the guide to events", () => {
  it("shows the files that are run here", () => {
    for (const file of ["events.ts", "events-effect.ts"]) {
      assert.include(text("guides/events.md"), text(`examples/${file}`))
    }
  })

  it("loses nothing between a reader that dies and the next one, on PostgreSQL, and tells each call in order", async () => {
    const first = await start()
    const { key } = await first.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
    const made = await post(first, key, "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
    const agent_id = String(Object(made).agent_id)

    let saved: string | null = null
    const cursors = {
      load: () => Promise.resolve(saved),
      save: (cursor: string) => {
        saved = cursor
        return Promise.resolve()
      },
    }
    const handled: Array<HostEvent> = []
    const seen = () => new Set(handled.map(({ event_id }) => event_id))
    /** Handles what comes until there were so many, and dies in the last one: its cursor is not kept. */
    const untilItDies = async (carillon: Carillon, count: number) => {
      const following = follow(carillon, cursors, (event) => {
        handled.push(event)
        return seen().size < count ? Promise.resolve() : Promise.reject(new Error("The reader dies."))
      })
      assert.include(String(await following.catch((error: unknown) => error)), "The reader dies.")
    }

    const ids = await callsOf(first, key, agent_id, 3)
    await untilItDies(first, 4)
    await first.close()

    const second = await start()
    ids.push(...(await callsOf(second, key, agent_id, 2)))
    await untilItDies(second, 3 * ids.length)
    assert.strictEqual(seen().size, 3 * ids.length)
    assert.isAbove(handled.length, seen().size)
    for (const id of ids) {
      const own = handled.filter(({ execution_id }) => execution_id === id)
      const types = new Map(own.map(({ event_id, event_type }) => [event_id, event_type]))
      assert.deepStrictEqual([...types.values()], ["call_ringing", "call_started", "call_completed"])
    }
    for (const { body, event_id, payload } of handled) {
      assert.strictEqual(payload.event_id, event_id)
      assert.deepStrictEqual(JSON.parse(body), payload)
    }
    assert.strictEqual(await second.run(ended("oldest", 3 * ids.length)), ids.length)
    await second.close()
  })
})
