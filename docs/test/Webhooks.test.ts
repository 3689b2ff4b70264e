import { execFile } from "node:child_process"
import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { promisify } from "node:util"
import { Simulator } from "@carillon/simulator"
import { afterAll, assert, it, vi } from "vitest"
import { serve } from "../../simulator/src/server/Server.ts"

process.env["PORT"] = "0"
const { receiver } = await import("../examples/receive.ts")

afterAll(() => receiver.close().closeAllConnections())

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

it("the receiver of the guide is the file that is run here", () => {
  assert.include(text("guides/webhooks.md"), text("examples/receive.ts"))
})

it("takes a genuine delivery once and refuses a forged one", async () => {
  const { port } = receiver.address() as AddressInfo
  const body = JSON.stringify({ event_type: "call_completed", event_id: "evt_1", call_id: "exec_1" })
  const post = async (secret: string) => {
    const t = Math.floor(Date.now() / 1000)
    const v1 = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
    const headers = { "X-Service-Signature": `t=${t},v1=${v1}` }
    return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status
  }
  assert.deepStrictEqual(
    [await post("whsec_current"), await post("whsec_previous"), await post("whsec_else")],
    [204, 204, 400],
  )
})

it("is called by the simulator as the guide prints it", async () => {
  const { port } = receiver.address() as AddressInfo
  const [, block = ""] = /^```sh\n(AUTH=[^]*?)^```$/m.exec(text("guides/webhooks.md")) ?? []
  // The receiver goes by the time of this machine, and so must the signatures.
  const epoch = new Date().toISOString()
  const options = { clock: "manual", epoch, allowWebhookHosts: [`127.0.0.1:${port}`] } as const
  const simulator = await Simulator.start(options)
  const server = await serve(simulator, "127.0.0.1", 0)
  const printed = vi.spyOn(console, "log").mockImplementation(() => {})
  try {
    const { agent_id, key } = simulator.info
    const env = { ...process.env, URL: server.url, KEY: key, AGENT: agent_id }
    const script = `set -euo pipefail\n${block.replace("127.0.0.1:3000", `127.0.0.1:${port}`)}`
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { env })
    const execution_id = /"execution_id":"([^"]*)"/.exec(stdout)?.[1]
    await simulator.advance({ by_ms: 60_000 })
    await vi.waitFor(() => assert.deepStrictEqual(printed.mock.calls, [["call_completed", execution_id]]))
  } finally {
    printed.mockRestore()
    await server.close()
  }
})
