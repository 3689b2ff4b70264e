import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { promiseCarrier } from "@carillon/core"
import { Carillon } from "@carillon/http"
import { assert, describe, it } from "vitest"
import { telemetry } from "../examples/logs.ts"
import { serve } from "../examples/operating.ts"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const carrier = promiseCarrier({
  dial: async () => ({ _tag: "Accepted", call_sid: null }),
  hangup: async () => "Sent",
  find: async () => ({ _tag: "NoAnswer" }),
})

describe("the example of a process that can be operated", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/operating.md"), text("docs/examples/operating.ts"))
    assert.include(text("docs/guides/operating.md"), text("docs/examples/logs.ts"))
  })

  it("says that it is ready, tells its metrics inside alone, and is not ready before it leaves", async () => {
    const carillon = await Carillon.inMemory({ carrier, telemetry })
    const before = process.listeners("SIGTERM")
    const { api, inside, leave } = serve(carillon, () => null, { api: 0, inside: 0 })
    const url = (server: typeof api, path: string) =>
      `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
    assert.strictEqual((await fetch(url(api, "/readyz"))).status, 200)
    assert.strictEqual((await fetch(url(api, "/metrics"))).status, 404)
    assert.include(await (await fetch(url(inside, "/metrics"))).text(), "carillon_claims_held")
    const left = leave(500)
    assert.strictEqual((await fetch(url(api, "/readyz"))).status, 503)
    assert.strictEqual((await fetch(url(api, "/livez"))).status, 200)
    await left
    // The process of the tests goes on.
    for (const listener of process.listeners("SIGTERM").filter((one) => !before.includes(one)))
      process.off("SIGTERM", listener)
  })
})
