import { expect, it } from "vitest"
import { ManualClock, realClock, ScopedClock } from "./Clock.ts"
import { startTwilioStandIn } from "./StandIn.ts"

it("does things in their order, also those that come in between", async () => {
  const clock = new ManualClock(0)
  const done: Array<string> = []
  const note = (text: string) => async () => void done.push(`${clock.now()} ${text}`)
  clock.at(20, note("later"))
  clock.at(10, async () => {
    await note("first")()
    clock.at(15, note("between"))
    clock.at(5, note("overdue"))
  })
  const never = clock.at(12, note("never"))
  never()
  expect(clock.next()).toBe(10)
  await clock.runTo(18)
  expect(done).toEqual(["10 first", "10 overdue", "15 between"])
  expect(clock.now()).toBe(18)
  await clock.runOut()
  expect([done.at(-1), clock.now(), clock.next()]).toEqual(["20 later", 20, null])
})

it("knows whole milliseconds alone", async () => {
  const clock = new ManualClock(0)
  const seen: Array<number> = []
  clock.at(10.3, async () => void seen.push(clock.now()))
  await clock.runTo(20.5)
  expect([...seen, clock.now()]).toEqual([11, 21])
})

it("is moved by one at a time", async () => {
  const clock = new ManualClock(0)
  clock.at(1, () => clock.advance(1))
  clock.at(1, async () => undefined)
  await expect(clock.runOut()).rejects.toThrow("already being moved")
})

it("takes back what was planned, and plans nothing more once it is closed", async () => {
  const clock = new ManualClock(0)
  const scoped = new ScopedClock(clock)
  scoped.at(1, async () => undefined)
  scoped.close()
  scoped.at(2, async () => undefined)
  expect(clock.next()).toBeNull()
})

it("runs by itself on the machine's time, as fast as is wanted", async () => {
  const twilio = await startTwilioStandIn({ clock: realClock(1_000) })
  const headers = { authorization: `Basic ${btoa(`${twilio.accountSid}:${twilio.authToken}`)}` }
  const body = new URLSearchParams({ To: "+12125550100", From: "+12125550199", Twiml: "<Response/>" })
  await fetch(`${twilio.url}/2010-04-01/Accounts/${twilio.accountSid}/Calls.json`, { method: "POST", headers, body })
  while (twilio.calls()[0]?.price === null) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(twilio.calls()).toMatchObject([{ status: "completed", price: 0.014 }])
  await twilio.close()
})
