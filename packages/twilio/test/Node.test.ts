import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "vitest"
import { Telephony } from "@carillon/core"
import { Effect } from "effect"
import { nodeCallbacks } from "../src/node.ts"
import { recordingSid } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

/** A server with the callbacks and something beside them. */
const served = async (handle: (request: Request) => Promise<Response>, test: (base: string) => Promise<void>) => {
  const callbacks = nodeCallbacks(handle, "/twilio")
  const server: Server = createServer((request, response) =>
    callbacks(request, response, () => response.writeHead(418).end("beside")),
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
  it("takes callbacks and gives recordings over real HTTP, and leaves alone what is beside them", async () => {
    const world = staged()
    const handle = world.farEnd.callback
    await served(handle, async (base) => {
      const forward = async (request: Request) => {
        const { pathname, search } = new URL(request.url)
        const headers = Object.fromEntries(request.headers)
        const body = request.method === "GET" ? null : await request.text()
        return fetch(`${base}${pathname}${search}`, { method: request.method, headers, body })
      }
      world.farEnd.callback = forward
      await Effect.gen(function* () {
        const { dial } = yield* Telephony
        yield* dial(commandFor("+12125550100", { record: true }))
        const [leg] = world.farEnd.legs
        assert(leg !== undefined)
        yield* Effect.promise(async () => {
          assert.strictEqual(await world.farEnd.callStatus(leg, "ringing"), 200)
          assert.strictEqual(await world.farEnd.callRecording(leg, recordingSid), 200)
          const [, recorded] = world.reports
          assert(recorded?.type === "corrected")
          const { pathname } = new URL(recorded.facts.recording_url ?? "")
          world.farEnd.fault = () => new Response("sound", { headers: { "content-type": "audio/mpeg" } })
          const heard = await fetch(`${base}${pathname}`)
          assert.strictEqual(await heard.text(), "sound")
          assert.strictEqual(heard.headers.get("content-type"), "audio/mpeg")
          assert.strictEqual((await fetch(`${base}/twilio/status`, { method: "POST", body: "CallSid=1" })).status, 403)
          assert.strictEqual((await fetch(`${base}/v2/calls`)).status, 418)
          assert.strictEqual((await fetch(`${base}/twilioish/status`)).status, 418)
        })
      }).pipe(Effect.provide(world.carrier), Effect.scoped, Effect.runPromise)
    })
  })
})
