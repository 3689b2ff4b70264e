// Runs the program of one guide, as it stands there: it must answer /v2, and its dial must reach the vendor.
import { strict as assert } from "node:assert"
import { generateKeyPairSync } from "node:crypto"
import { createServer, type Server } from "node:http"

const programs = {
  twilio: () => import("../../../docs/examples/twilio.ts"),
  telnyx: () => import("../../../docs/examples/telnyx.ts"),
  livekit: () => import("../../../docs/examples/livekit.ts"),
}

const name = process.argv[2]
if (name !== "twilio" && name !== "telnyx" && name !== "livekit") throw new Error(`No guide is called ${name}.`)

const addressOf = (server: Server): string => {
  const address = server.address()
  assert.ok(typeof address === "object" && address !== null)
  return `http://127.0.0.1:${address.port}`
}

/** A vendor that knows nobody. */
const asked: Array<string> = []
const vendor = createServer((request, response) => {
  asked.push(request.url ?? "")
  response.writeHead(401, { "content-type": "application/json" }).end("{}")
})
await new Promise<void>((resolve) => void vendor.listen(0, "127.0.0.1", resolve))
const address = addressOf(vendor)

Object.assign(process.env, {
  PORT: "0",
  PUBLIC_URL: "https://voice.example.com",
  AUDIO_URL: "https://media.example.com/hello.mp3",
  TWILIO_ACCOUNT_SID: `AC${"0".repeat(32)}`,
  TWILIO_AUTH_TOKEN: "0".repeat(32),
  TWILIO_NUMBER: "+12125550199",
  TWILIO_BASE_URL: address,
  TELNYX_API_KEY: "KEY",
  TELNYX_PUBLIC_KEY: generateKeyPairSync("ed25519")
    .publicKey.export({ type: "spki", format: "der" })
    .subarray(-32)
    .toString("base64"),
  TELNYX_CONNECTION_ID: "1234567890",
  TELNYX_NUMBER: "+12125550199",
  TELNYX_BASE_URL: address,
  LIVEKIT_URL: address,
  LIVEKIT_API_KEY: "APIkey",
  LIVEKIT_API_SECRET: "a-secret-that-is-long-enough-to-sign-with",
  LIVEKIT_TRUNK_ID: "ST_1",
})
const { carillon, server, tenant } = await programs[name]()
const base = addressOf(server)
const ask = async (method: string, path: string, body: object | null = null): Promise<unknown> => {
  const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" }
  const sent = body === null ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(`${base}${path}`, { method, headers, ...sent })
  return answer.json()
}
const agent = await ask("POST", "/v2/agents", { display_name: "Reminder", status: "ACTIVE" })
assert.ok(typeof agent === "object" && agent !== null && "agent_id" in agent)
await ask("POST", "/v2/calls", { agent_id: agent.agent_id, to_number: "+12125550100" })
const calls = await ask("GET", "/v2/calls")
assert.ok(typeof calls === "object" && calls !== null && !("error" in calls))
assert.equal(asked.length > 0, true, "the vendor was not asked")

for (const one of [server, vendor]) one.close().closeAllConnections()
await carillon.close()
