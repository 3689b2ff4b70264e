import { expect, it } from "vitest"
import { isSigned, stage } from "./Stage.ts"
import { keyOf, publicKeyOf, signature } from "./Webhooks.ts"

it("signs all that it sends, with one key", async () => {
  const { clock, dialled, host } = await stage({ costWebhooks: true })
  await dialled({ record: "record-from-answer", answering_machine_detection: "premium" })
  await clock.runOut()
  expect(host.heard).toHaveLength(6)
  expect(host.heard.every((heard) => heard.isSigned)).toBe(true)
  expect(new Set(host.heard.map(({ id }) => id)).size).toBe(6)
})

it("makes signatures that hang on the time, the body and the key", () => {
  const key = keyOf("one")
  const made = signature(key, "1700000000", '{"data":{}}')
  const publicKey = publicKeyOf(key)
  expect(Buffer.from(publicKey, "base64")).toHaveLength(32)
  expect(isSigned(publicKey, "1700000000", '{"data":{}}', made)).toBe(true)
  expect(isSigned(publicKey, "1700000001", '{"data":{}}', made)).toBe(false)
  expect(isSigned(publicKey, "1700000000", '{"data":{} }', made)).toBe(false)
  expect(isSigned(publicKeyOf(keyOf("two")), "1700000000", '{"data":{}}', made)).toBe(false)
})

it("signs as the vendor's SDK checks it", () => {
  // Accepted by `TelnyxWebhook.verify` of the package `telnyx` 7.24.0, and refused with another body.
  const key = keyOf("vector")
  expect(publicKeyOf(key)).toBe("mLVoYHbqx6web0tGHKlba6bKZRa71bHdvspFvo4xid8=")
  expect(signature(key, "1795369241", '{"data":{"event_type":"call.answered","id":"1"}}')).toBe(
    "Rn22c9rEjiXOKQke6n2VrnyIkJt28+h480Dv0RlCkfYMJJV3F7PRma2dYDzq5VDrBgfTHLbwxpRPAOF9w14aBw==",
  )
})

it("sends to the event's own addresses, then to the call's, then to the application's", async () => {
  const { clock, dialled, host } = await stage()
  await dialled()
  await dialled({ webhook_url: `${host.url}/call` })
  await dialled({
    webhook_url: `${host.url}/call`,
    webhook_urls: { "call.answered": [`${host.url}/one`, `${host.url}/two`] },
  })
  await clock.advance(6_000)
  expect(host.heard.map(({ path, type }) => `${type} ${path}`)).toEqual([
    "call.initiated /app",
    "call.initiated /call",
    "call.initiated /call",
    "call.answered /app",
    "call.answered /call",
    "call.answered /one",
    "call.answered /two",
  ])
})

it("sends again what is not taken, with the same id, and in the end to the failover address", async () => {
  const tunnel = { to: "" }
  const { clock, dialled, host, telnyx } = await stage(
    { failoverUrl: "https://calls.test/failover", reach: ({ pathname }) => new URL(tunnel.to + pathname) },
    ({ path }) => (path === "/failover" ? 200 : 503),
  )
  tunnel.to = host.url
  await dialled({ webhook_retries_policies: { "call.initiated": { retries_ms: [500] } } })
  await clock.advance(1_000)
  expect(host.heard.map(({ meta, path }) => [path, meta["attempt"]])).toEqual([
    ["/app", 1],
    ["/app", 2],
    ["/failover", 3],
  ])
  expect(host.heard[2]?.meta).toEqual({ attempt: 3, delivered_to: "https://calls.test/failover" })
  expect(new Set(host.heard.map(({ id }) => id)).size).toBe(1)
  expect(telnyx.warnings()).toHaveLength(2)
})

it("gives up after three times where nothing else was asked for", async () => {
  const { clock, dialled, host } = await stage({ script: () => ({ outcome: "busy", ring_s: 60 }) }, () => null)
  await dialled({ timeout_secs: 600 })
  await clock.advance(10_000)
  expect(host.heard.map(({ at }) => at - (host.heard[0]?.at ?? 0))).toEqual([0, 1_000, 3_000])
})

it("tells of a call before the answer to its dial, where that is wanted", async () => {
  const order: Array<string> = []
  const { dialled } = await stage({ tellsEarly: (to) => to.endsWith("1") }, ({ type }) => {
    order.push(type)
    return 200
  })
  await dialled({ to: "+12125550101" })
  order.push("answer")
  expect(order).toEqual(["call.initiated", "answer"])
})

it("calls back on this machine alone", async () => {
  const { clock, dialled } = await stage()
  await dialled({ webhook_url: "https://calls.test/status" })
  await expect(clock.runOut()).rejects.toThrow("on this machine alone")
})
