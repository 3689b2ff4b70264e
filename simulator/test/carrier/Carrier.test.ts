import { type CarrierReport, DependencyUnavailable, type DialCommand } from "@carillon/core"
import { Activity, Chance, DomainClock, Ids, Parking } from "@carillon/core/ports"
import { Effect, Layer } from "effect"
import { expect, test } from "vitest"
import { Carrier } from "../../src/carrier/Carrier.ts"
import type { Outcome } from "../../src/carrier/Outcome.ts"
import { Rules } from "../../src/carrier/Rules.ts"

/** A carrier on its own, with a receiver of its reports that can be away. */
const setUp = async (outcome: Outcome) => {
  let now = 0
  let away = false
  const heard: Array<CarrierReport> = []
  const clock = { now: () => now }
  const services = Layer.mergeAll(
    Parking.layer.pipe(Layer.provide(Activity.layer), Layer.provide(Layer.succeed(DomainClock, clock))),
    Ids.layerSeeded("t"),
    Chance.layerSeeded("t"),
  )
  const { chance, ids, parking } = await Effect.runPromise(
    Effect.provide(Effect.all({ chance: Chance, ids: Ids, parking: Parking }), services),
  )
  const rules = new Rules()
  rules.replace({ rules: [{ outcome }] })
  const quiet = () => {}
  const carrier = new Carrier({
    seed: "t",
    clock,
    chance,
    ids,
    rules,
    retention: 10,
    analytics: () => ({}),
    callerIds: () => ["+12125550199"],
    observer: { dialled: quiet, wentLive: quiet, wentDown: quiet, hungUp: quiet },
  })
  const telephony = carrier.telephony(parking)
  const receive = (report: CarrierReport) =>
    Effect.suspend(() => {
      if (away) return new DependencyUnavailable({ dependency: "call_storage" })
      heard.push(report)
      return Effect.void
    })
  return {
    carrier,
    heard,
    dial: (execution_id: string) => Effect.runPromise(telephony.dial(command(execution_id))),
    hangup: (execution_id: string) => Effect.runPromise(telephony.hangup(execution_id, null)),
    find: (execution_id: string) => Effect.runPromise(telephony.find(execution_id)),
    setAway: (value: boolean) => {
      away = value
    },
    /** Runs everything up to a moment; returns when it ran. */
    runTo: (until: number) => {
      const moments: Array<number> = []
      for (let next = carrier.next(); next !== null && next <= until; next = carrier.next()) {
        now = next
        const due = carrier.takeDue(now, receive)
        if (due !== null) Effect.runSync(due.run)
        moments.push(now)
      }
      now = until
      return moments
    },
  }
}

const command = (execution_id: string): DialCommand => ({
  execution_id,
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  to_number: "+12125550100",
  from_number: null,
  timeout_seconds: 30,
  record: true,
  variables: {},
  is_follow_up: false,
  prompt: null,
})

const call: Outcome = { result: "completed", ring_ms: 2_000, talk_ms: 8_000, processing_ms: 1_000 }
const types = (reports: ReadonlyArray<CarrierReport>) => reports.map(({ type }) => type)
const complete = ["initiated", "ringing", "answered", "ended", "final", "analysis"]

test("a leg is reported step by step", async () => {
  const { dial, find, heard, runTo } = await setUp(call)
  expect(await dial("exec_1")).toMatchObject({ _tag: "Accepted", from_number: "+12125550199" })
  expect(await find("exec_1")).toEqual({ _tag: "NoAnswer" })
  runTo(700)
  expect(await find("exec_1")).toMatchObject({ _tag: "Live", phase: "ringing" })
  runTo(5_000)
  expect(await find("exec_1")).toMatchObject({ _tag: "Live", phase: "answered" })
  runTo(60_000)
  expect(await find("exec_1")).toMatchObject({ _tag: "Ended", end: { status: "completed", duration_seconds: 8 } })
  expect(types(heard)).toEqual(complete)
  expect(heard.map(({ at }) => at)).toEqual(heard.map(({ at }) => at).sort((a, b) => a - b))
  expect(await find("exec_2")).toEqual({ _tag: "Unknown" })
})

test("while nobody takes its reports, a carrier repeats the first of them, ever less often, and then sends all in order", async () => {
  const { dial, heard, runTo, setAway } = await setUp(call)
  await dial("exec_1")
  setAway(true)
  const tries = runTo(300_000)
  // One of the moments is the end of the leg, which needs no receiver.
  expect(tries).toHaveLength(11)
  expect(heard).toEqual([])
  setAway(false)
  runTo(360_000)
  expect(types(heard)).toEqual(complete)
})

test("doubled reports come twice", async () => {
  const { dial, heard, runTo } = await setUp({ ...call, duplicate_reports: true })
  await dial("exec_1")
  runTo(60_000)
  expect(types(heard)).toEqual(complete.flatMap((type) => [type, type]))
})

test("disordered reports overtake one another, and never come before what they speak of", async () => {
  const { dial, heard, runTo } = await setUp({ ...call, reorder_reports: true })
  await dial("exec_1")
  runTo(60_000)
  expect(types(heard)).toEqual(["ringing", "initiated", "ended", "answered", "analysis", "final"])
})

test("a leg that is hung up ends there, and its reports say so", async () => {
  const { carrier, dial, hangup, heard, runTo } = await setUp({ ...call, talk_ms: 600_000, duplicate_reports: true })
  await dial("exec_1")
  runTo(12_000)
  expect(await hangup("exec_1")).toBe("Sent")
  runTo(60_000)
  expect(types(heard).slice(6)).toEqual(["ended", "ended", "final", "final", "analysis", "analysis"])
  const final = heard.find(({ type }) => type === "final")
  expect(final).toMatchObject({ end: { status: "stopped", hangup_reason: "user_request" } })
  const [leg] = carrier.query({}, 60_000).data
  expect(leg!.ended_at! - leg!.answered_at!).toBeLessThan(12_000)
  expect(final).toMatchObject({ end: { duration_seconds: (leg!.ended_at! - leg!.answered_at!) / 1_000 } })
})

test("what a carrier still owes of a leg when it is hung up is sent first, and no more often than it would have been", async () => {
  const { dial, hangup, heard, runTo, setAway } = await setUp({ ...call, talk_ms: 600_000, duplicate_reports: true })
  await dial("exec_1")
  setAway(true)
  runTo(12_000)
  await hangup("exec_1")
  setAway(false)
  runTo(60_000)
  expect(types(heard)).toEqual(complete.flatMap((type) => [type, type]))
})

test("a leg that begins as another ends does not overlap it", async () => {
  const { carrier, dial, runTo } = await setUp(call)
  await dial("exec_1")
  runTo(60_000)
  const [first] = carrier.query({}, 60_000).data
  const other = await setUp(call)
  await other.dial("exec_1")
  other.runTo(first!.ended_at!)
  await other.dial("exec_2")
  other.runTo(120_000)
  expect(other.carrier.query({ agent_id: "agt_1" }, 120_000).peak_live).toBe(1)
  expect(other.carrier.query({}, 120_000).peak_live).toBe(1)
})
