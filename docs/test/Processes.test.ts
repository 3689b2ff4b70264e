import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Telephony, WebhookTransport } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { serve } from "../examples/draining.ts"

const text = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")

const carrier = Layer.succeed(Telephony, {
  dial: () => Effect.succeed({ _tag: "Accepted", call_sid: null }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

describe("the example of a process that is told to stop", () => {
  it("is the file that is run here", () => {
    assert.include(text("docs/guides/processes.md"), text("docs/examples/draining.ts"))
  })

  it("serves until then, and no longer", async () => {
    const ports = Layer.mergeAll(
      MemoryStore.layer(new MemoryTables()),
      MemorySlots.layer(),
      MemoryRates.layer(),
      carrier,
      Layer.mock(WebhookTransport)({}),
    )
    const server = serve(await Carillon.make({ ports }), 0)
    await once(server, "listening")
    const address = server.address()
    assert(typeof address === "object" && address !== null)
    const url = `http://127.0.0.1:${address.port}/v2/calls`
    assert.strictEqual((await fetch(url)).status, 401)
    process.emit("SIGTERM")
    await once(server, "close")
    assert.isFalse(server.listening)
  })
})
