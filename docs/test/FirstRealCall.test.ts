import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { startLiveKitStandIn } from "../../packages/livekit/test/standin/StandIn.ts"
import { startTelnyxStandIn } from "../../packages/telnyx/test/standin/StandIn.ts"
import { startTwilioStandIn } from "../../packages/twilio/test/standin/StandIn.ts"

/** A stand-in of the vendor, as it runs in its own package's tests, and what the guide tells to set. */
interface Stand {
  readonly settings: Readonly<Record<string, string>>
  readonly calls: () => ReadonlyArray<{ readonly to: string }>
  readonly warnings: () => ReadonlyArray<unknown>
  readonly close: () => Promise<void>
}

const to = "+12125550100"
const ownNumber = "+12125550199"
const publicUrl = "https://voice.example.com"
const short = { setup_s: 0.05, ring_s: 0.1, talk_s: 0.3 }

/** Where the program listens, once it does. */
interface Listening {
  readonly port: () => number
}

/** What a tunnel does: the public address leads to the program. */
const tunnel =
  ({ port }: Listening) =>
  (url: URL) =>
    new URL(`http://127.0.0.1:${port()}${url.pathname}${url.search}`)

const stands: Readonly<Record<string, (program: Listening) => Promise<Stand>>> = {
  twilio: async (program) => {
    const standIn = await startTwilioStandIn({
      reach: tunnel(program),
      script: () => ({ outcome: "completed", ...short }),
    })
    const { accountSid, authToken, url } = standIn
    const settings = {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_NUMBER: ownNumber,
      TWILIO_BASE_URL: url,
    }
    return { ...standIn, settings }
  },
  telnyx: async (program) => {
    const standIn = await startTelnyxStandIn({
      reach: tunnel(program),
      script: () => ({ outcome: "answered", ...short }),
    })
    const { apiKey, connectionId, publicKey, url } = standIn
    const settings = {
      TELNYX_API_KEY: apiKey,
      TELNYX_PUBLIC_KEY: publicKey,
      TELNYX_CONNECTION_ID: connectionId,
      TELNYX_NUMBER: ownNumber,
      TELNYX_BASE_URL: url,
      AUDIO_URL: "https://media.example.com/hello.mp3",
    }
    return { ...standIn, settings }
  },
  livekit: async (program) => {
    const webhooks = () => new URL(`http://127.0.0.1:${program.port()}/livekit/webhook`)
    const standIn = await startLiveKitStandIn({ webhooks, script: () => ({ outcome: "answered", ...short }) })
    const { apiKey, apiSecret, trunkId, url } = standIn
    const settings = {
      LIVEKIT_URL: url,
      LIVEKIT_API_KEY: apiKey,
      LIVEKIT_API_SECRET: apiSecret,
      LIVEKIT_TRUNK_ID: trunkId,
    }
    return { ...standIn, settings }
  },
}

/** The three programs export the same. */
type Program = typeof import("../examples/twilio.ts")

/** Sets what a guide tells to set; returns what takes it back. */
const set = (settings: Readonly<Record<string, string>>): (() => void) => {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, settings)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Runs the guide's program here, anew whatever other tests have of it. */
const started = (guide: string): Promise<Program> => {
  const file: string = new URL(`../examples/${guide}.ts?as-a-stranger`, import.meta.url).href
  return import(file)
}

/** Runs the lines that the guide prints for the other terminal, and returns what they say. */
const typed = (guide: string, port: number, KEY: string): Promise<string> => {
  const page = readFileSync(join(import.meta.dirname, `../guides/${guide}.md`), "utf8")
  const block = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, lines = ""]) => lines)
    .find((lines) => lines.includes("/v2/calls"))
  assert(block !== undefined)
  const lines = block.replaceAll("http://127.0.0.1:8080", `http://127.0.0.1:${port}`).replaceAll("+1…", to)
  return new Promise((resolve) => {
    const shell = spawn("sh", ["-c", lines], { env: { ...process.env, KEY } })
    let said = ""
    shell.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
    shell.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
    shell.once("close", () => resolve(said))
  })
}

const mostLooks = 500

const over = new Set(["completed", "error", "failed", "call-disconnected"])

describe("a first real call, as a stranger follows the guide", () => {
  it.each(Object.keys(stands))("to %s: its program, its lines, and the vendor's stand-in", async (guide) => {
    let port = 0
    const stand = await stands[guide]?.({ port: () => port })
    assert(stand !== undefined)
    const takeBack = set({ ...stand.settings, PUBLIC_URL: publicUrl, PORT: "0" })
    onTestFinished(takeBack)
    const { carillon, server, tenant } = await started(guide)
    port = (server.address() as AddressInfo).port
    try {
      const said = await typed(guide, port, tenant.key)
      const [, id] = /"execution_id":"([^"]+)"/.exec(said) ?? []
      assert(id !== undefined, said)
      const seen: Array<string> = []
      for (let look = 0; look < mostLooks && !over.has(seen.at(-1) ?? ""); look += 1) {
        const headers = { authorization: `Bearer ${tenant.key}` }
        const call: unknown = await (await fetch(`http://127.0.0.1:${port}/v2/calls/${id}`, { headers })).json()
        seen.push(String(Reflect.get(Object(call), "status")))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      assert.strictEqual(seen.at(-1), "completed")
      assert.deepStrictEqual(
        stand.calls().map((call) => call.to),
        [to],
      )
      assert.deepStrictEqual(stand.warnings(), [])
    } finally {
      server.close().closeAllConnections()
      await carillon.close()
      await stand.close()
    }
  })
})
