import type { PromiseCarrier } from "@carillon/core"
import { expect, it } from "vitest"
import { Carillon } from "../src/Carillon.ts"
import { send } from "./World.ts"

const carrier: PromiseCarrier = {
  dial: (call) => Promise.resolve({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
  hangup: () => Promise.resolve("Sent"),
  find: () => Promise.resolve({ _tag: "NoAnswer" }),
}

/** Counts the zones about which the runtime is asked in each turn of the event loop. */
const countZones = () => {
  const formats = Intl.DateTimeFormat
  const turns = [0]
  Intl.DateTimeFormat = new Proxy(formats, {
    construct: (target, args) => {
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + 1
      return Reflect.construct(target, args)
    },
  })
  let next = setImmediate(function again() {
    turns.push(0)
    next = setImmediate(again)
  })
  return {
    turns,
    end: () => {
      clearImmediate(next)
      Intl.DateTimeFormat = formats
    },
  }
}

it("reads what the clocks show in all zones a few at a time, whenever somebody asks about them first", async () => {
  const carillon = await Carillon.inMemory({ carrier })
  const wallet = { balance: 100, currency: "USD" }
  const { key } = await carillon.organizations.open({ name: "Acme", wallet, phone_numbers: ["+15551230000"] })
  const target = "/v2/callee-hours"
  const body = { elsewhere: { monday: [{ start: "00:00", end: "24:00" }] } }
  expect((await send(carillon.handle, { key, method: "PUT", target, body })).status).toBe(200)
  const zones = countZones()
  const far = new Date(Date.now() + 700 * 86_400_000).toISOString()
  for (const at of [null, far]) {
    const asked = { to_numbers: ["+99912345678"], at }
    const { status } = await send(carillon.handle, { key, method: "POST", target: `${target}/check`, body: asked })
    expect(status).toBe(200)
  }
  zones.end()
  await carillon.close()
  expect(zones.turns.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(500)
  expect(Math.max(...zones.turns)).toBeLessThanOrEqual(8)
})
