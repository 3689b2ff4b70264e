import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Telephony } from "@carillon/core"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { nodeWebhooks } from "../src/node.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

/** A server with the webhooks and something beside them. */
const served = async (handle: (request: Request) => Promise<Response>, test: (base: string) => Promise<void>) => {
  const webhooks = nodeWebhooks(handle, "/telnyx")
  const server: Server = createServer((request, response) =>
    webhooks(request, response, () => response.writeHead(418).end("beside")),
  )
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe("the mount on node:http", () => {
  it("takes webhooks and gives recordings over real HTTP, and leaves alone what is beside them", async () => {
    const world = staged()
    const handle = world.farEnd.webhook
    await served(handle, async (base) => {
      world.farEnd.webhook = async (request) => {
        const { pathname } = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        return fetch(`${base}${pathname}`, { method: request.method, headers, body: await request.text() })
      }
      await Effect.gen(function* () {
        const { dial } = yield* Telephony
        yield* dial(commandFor("+12125550100", { record: true }))
        const [leg] = world.farEnd.legs
        assert(leg !== undefined)
        yield* Effect.promise(async () => {
          assert.strictEqual(await world.farEnd.tell("call.answered", world.farEnd.payload(leg)), 200)
          assert.strictEqual(await world.farEnd.tell("call.recording.saved", world.farEnd.payload(leg)), 200)
          const [, recorded] = world.reports
          assert(recorded?.type === "corrected")
          const { pathname } = new URL(recorded.facts.recording_url ?? "")
          world.farEnd.recordings = [
            { status: "completed", download_urls: { mp3: "https://storage.example.com/r.mp3" } },
          ]
          const heard = await fetch(`${base}${pathname}`)
          assert.strictEqual(await heard.text(), "sound")
          assert.strictEqual(heard.headers.get("content-type"), "audio/mpeg")
          assert.strictEqual((await fetch(`${base}/telnyx/events`, { method: "POST", body: "{}" })).status, 403)
          assert.strictEqual((await fetch(`${base}/v2/calls`)).status, 418)
          assert.strictEqual((await fetch(`${base}/telnyxish/events`)).status, 418)
        })
      }).pipe(Effect.provide(world.carrier), Effect.scoped, Effect.runPromise)
    })
  })
})
