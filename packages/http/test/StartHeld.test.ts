import { Dialling, Organizations, Telephony } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { TestWorld } from "@carillon/core/testing"
import { Carillon } from "@carillon/http"
import { webHandler } from "@carillon/http/web"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"

test("an engine that is started with dialling held refuses to dial until it is released, and says so to every later one", async () => {
  const carrier = new TestWorld.Carrier(Date.now, () => ({ asked: { _tag: "NoAnswer" } }))
  const tables = new MemoryTables()
  const start = (startHeld: boolean) =>
    Carillon.make({
      startHeld,
      ports: Layer.mergeAll(
        MemoryStore.layer(tables),
        MemorySlots.layer(),
        MemoryRates.layer(),
        Layer.succeed(Telephony, carrier.telephony(null)),
        nodeWebhookTransport(),
      ),
    })
  const held = await start(true)
  const { key } = await held.run(
    Effect.flatMap(Organizations, (organizations) =>
      organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } }),
    ),
  )
  const send = async (carillon: Carillon, path: string, body: object) => {
    const answer = await webHandler(carillon.handle)(
      new Request(`http://engine/v2${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
    const read = Object(await answer.json())
    return { status: answer.status, read }
  }
  const made = await send(held, "/agents", { display_name: "Reminder", status: "ACTIVE" })
  const call = { agent_id: made.read["agent_id"], to_number: "+15555550100" }
  const refusal = { status: 503, read: { error: 1501, message: expect.stringMatching(/telephony service/i) } }
  expect(await send(held, "/calls", call)).toMatchObject(refusal)
  await held.close()
  const later = await start(false)
  expect(await send(later, "/calls", call)).toMatchObject(refusal)
  expect(carrier.dials).toEqual([])
  await later.run(Effect.flatMap(Dialling, (dialling) => dialling.release))
  expect(await send(later, "/calls", call)).toMatchObject({ status: 201 })
  expect(carrier.dials.length).toBe(1)
  await later.close()
})
