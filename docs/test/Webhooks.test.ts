import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { afterAll, assert, it } from "vitest"

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
