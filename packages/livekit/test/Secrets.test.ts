import { Telephony } from "@carillon/core"
import { Effect, Layer, Logger } from "effect"
import { EncodedFileOutput, S3Upload } from "livekit-server-sdk"
import { assert, it } from "vitest"
import { apiSecret } from "./FarEnd.ts"
import { commandFor } from "./Samples.ts"
import { staged } from "./Stage.ts"

const storageSecret = "a-storage-secret-that-nobody-may-see"
const output = new EncodedFileOutput({
  filepath: "calls/{room_name}",
  output: { case: "s3", value: new S3Upload({ bucket: "b", accessKey: "AKIA", secret: storageSecret }) },
})

it("tells nobody its secrets: not in logs, reports, or what the worker is told; the storage's go to LiveKit alone", async () => {
  const lines: Array<string> = []
  const listening = Logger.make(({ cause, message }) => void lines.push(JSON.stringify([message, cause])))
  const { carrier, farEnd, reports } = await staged({
    reportWaitSeconds: 0,
    recording: { output: () => output, open: async () => new Response(null) },
  })
  await Effect.gen(function* () {
    const { dial, find } = yield* Telephony
    for (const end of ["00", "03", "07", "20", "21", "22"]) {
      const call = commandFor(`+121255501${end}`, { record: true })
      yield* dial(call)
      yield* Effect.promise(async () => {
        while (await farEnd.step());
      })
      yield* find(call.execution_id)
    }
    farEnd.fault = (_, response) => {
      response
        .writeHead(401, { "content-type": "application/json" })
        .end(`{"code":"unauthenticated","msg":"${apiSecret}"}`)
      return true
    }
    const refused = commandFor("+12125550100")
    yield* dial(refused)
  }).pipe(Effect.provide(Layer.merge(carrier, Logger.layer([listening]))), Effect.scoped, Effect.runPromise)
  await farEnd.close()
  assert.isNotEmpty(lines)
  assert.isNotEmpty(reports)
  const room = farEnd.seen.filter(({ method }) => method === "RoomService/CreateRoom")
  assert.include(JSON.stringify(room), storageSecret)
  const elsewhere = farEnd.seen.filter(({ method }) => method !== "RoomService/CreateRoom")
  for (const told of [lines, reports, elsewhere.map(({ body }) => body)]) {
    for (const secret of [apiSecret, storageSecret]) assert.notInclude(JSON.stringify(told), secret)
  }
})
