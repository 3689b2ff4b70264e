import { Telephony } from "@carillon/core"
import { outagesLayer } from "@carillon/core/ports"
import { Effect, Layer, Logger } from "effect"
import { assert, it } from "vitest"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

/** What the log says of LiveKit after three dials that its servers answer like this. */
const linesOf = async (status: number, code: string) => {
  const lines: Array<string> = []
  const listening = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const { carrier, farEnd } = await staged()
  farEnd.fault = (_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(`{"code":"${code}","msg":""}`)
    return true
  }
  await Effect.gen(function* () {
    const { dial } = yield* Telephony
    for (let nth = 0; nth < 3; nth++) yield* dial(commandFor("+12125550100"))
  }).pipe(
    Effect.provide(Layer.mergeAll(carrier, Logger.layer([listening]), outagesLayer)),
    Effect.scoped,
    Effect.runPromise,
  )
  await farEnd.close()
  return lines
}

it("tells that LiveKit's servers fail, though its own library asks them", async () => {
  assert.include(
    await linesOf(503, "unavailable"),
    "Warn The carrier does not answer (carrier: status 503): contacts are held, and dials without an answer are asked about.",
  )
})

it("tells that LiveKit refuses the credentials", async () => {
  assert.include(
    await linesOf(401, "unauthenticated"),
    "Warn The carrier refuses the credentials (carrier: status 401): nobody is dialled by it, and contacts are held.",
  )
})
