// Runs in an empty project in which nothing but the packed packages is installed: each of them does something.
import { strict as assert } from "node:assert"
import { createClient } from "@carillon/client/promise"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { NodeTextExtractor } from "@carillon/knowledge-node"
import { Postgres } from "@carillon/postgres"
import { RedisSlots } from "@carillon/redis"
import { Given, readSettings } from "@carillon/server"
import { Simulator } from "@carillon/simulator"
import { makeTwilio } from "@carillon/twilio"

const carillon = await Carillon.inMemory({
  carrier: {
    dial: async () => ({ _tag: "Accepted", call_sid: null }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
})
const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
const client = createClient({ baseUrl: "http://engine", key, fetch: webHandler(carillon.handle) })
const { agent_id } = await client.agents.create({ payload: { display_name: "Reminder", status: "ACTIVE" } })
const { execution_id } = await client.calls.place({ payload: { agent_id, to_number: "+12125550100" } })
assert.equal((await client.calls.get({ params: { execution_id } })).status, "queued")
await carillon.close()

const simulator = await Simulator.start({ clock: "manual" })
assert.match(simulator.info.key, /^./)
await simulator.close()

assert.equal(readSettings(new Given({}, new Map(), ""))._tag, "Failure")
assert.throws(() =>
  makeTwilio({ accountSid: "", authToken: "", publicUrl: "", voice: () => ({ type: "say", text: "" }) }),
)
assert.equal(typeof Postgres.layer, "function")
assert.ok("layer" in RedisSlots)
assert.equal(typeof NodeTextExtractor.make, "function")
