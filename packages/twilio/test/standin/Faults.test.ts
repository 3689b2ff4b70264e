import { expect, it } from "vitest"
import { type CallbackFault, drawnFaults, type Faults, noFaults, type RequestFault } from "./Faults.ts"
import { stage } from "./Stage.ts"

const onceAtCreate = (fault: RequestFault): Faults => ({
  ...noFaults,
  request: ({ nth, on }) => (on === "create" && nth === 0 ? fault : null),
})

const requestCases: ReadonlyArray<readonly [fault: RequestFault, status: number | null, calls: number]> = [
  ["lost_before", null, 0],
  ["lost_after", null, 1],
  ["too_many", 429, 0],
  ["error_before", 500, 0],
  ["error_after", 500, 1],
]

it.each(requestCases)("%s: answered with %s, and there are %i calls", async (fault, status, calls) => {
  const { dial, twilio } = await stage({ faults: onceAtCreate(fault), retryAfterSeconds: 3 })
  const answer = await dial().catch((error: unknown) => (error instanceof TypeError ? null : Promise.reject(error)))
  expect(answer?.status ?? null).toBe(status)
  expect(twilio.calls()).toHaveLength(calls)
  expect(twilio.requests()).toMatchObject([{ method: "POST", fault, status }])
  if (fault === "too_many") {
    expect(answer?.body).toMatchObject({ code: 20429, status: 429 })
    expect(answer?.headers.get("retry-after")).toBe("3")
  }
  expect((await dial()).status).toBe(201)
})

it("says nothing of when to come again unless it is told to", async () => {
  const { dial } = await stage({ faults: onceAtCreate("too_many") })
  expect((await dial()).headers.get("retry-after")).toBeNull()
})

const at = (on: string, fault: CallbackFault): Faults => ({
  ...noFaults,
  callback: (occasion) => (occasion.on === on ? fault : null),
})

const callbackCases: ReadonlyArray<readonly [fault: CallbackFault, heard: ReadonlyArray<string>]> = [
  ["lost", ["initiated", "in-progress", "completed"]],
  ["doubled", ["initiated", "ringing", "ringing", "in-progress", "completed"]],
  ["reordered", ["initiated", "in-progress", "ringing", "completed"]],
]

it.each(callbackCases)("%s: the host hears %j", async (fault, statuses) => {
  const { allEvents, clock, dial, host, twilio } = await stage({ faults: at("status:ringing", fault) })
  await dial(allEvents)
  await clock.runOut()
  expect(host.heard.map(({ parameters }) => parameters["CallStatus"])).toEqual(statuses)
  expect(twilio.callbacks().filter((entry) => entry.fault === fault).length).toBe(fault === "doubled" ? 2 : 1)
})

it("late: the host hears it up to a minute after it happened, with the time at which it happened", async () => {
  const { allEvents, clock, dial, host } = await stage({ faults: at("status:ringing", "late"), seed: "late" })
  const start = clock.now()
  await dial(allEvents)
  await clock.runOut()
  const ringing = host.heard.find(({ parameters }) => parameters["CallStatus"] === "ringing")
  expect(ringing?.at).toBeGreaterThan(start + 1_000)
  expect(ringing?.at).toBeLessThan(start + 61_000)
  expect(ringing?.parameters["Timestamp"]).toBe("Mon, 05 Jan 2026 09:00:01 +0000")
})

it("reordered: what waits for the next callback waits no longer than it may", async () => {
  const { allEvents, clock, dial, host } = await stage({ faults: at("status:completed", "reordered") })
  await dial(allEvents)
  await clock.runOut()
  expect(host.heard.map(({ parameters }) => parameters["SequenceNumber"])).toEqual(["0", "1", "2", "3"])
})

it("draws the same faults for the same seed, as often as was asked for", () => {
  const rates = { requests: { lost_after: 0.1, too_many: 0.1 }, callbacks: { doubled: 0.2 } }
  const drawn = (seed: string) => {
    const faults = drawnFaults({ seed, ...rates })
    return Array.from({ length: 1_000 }, (_, nth) => [
      faults.request({ on: "create", to: `+1${nth}`, nth: 0 }),
      faults.callback({ on: "amd", to: "+1", nth }),
    ])
  }
  expect(drawn("a")).toEqual(drawn("a"))
  expect(drawn("a")).not.toEqual(drawn("b"))
  const count = (fault: string) =>
    drawn("a")
      .flat()
      .filter((one) => one === fault).length / 1_000
  for (const [fault, rate] of [
    ["lost_after", 0.1],
    ["too_many", 0.1],
    ["doubled", 0.2],
  ] as const) {
    expect(Math.abs(count(fault) - rate)).toBeLessThan(0.04)
  }
  expect(count("lost_before")).toBe(0)
})

/** Sixteen calls while a seventh of all that can go wrong does; each is dialled again until there is an answer. */
const day = async (seed: string) => {
  const requests = { lost_before: 0.15, lost_after: 0.15, too_many: 0.15, error_after: 0.15 }
  const callbacks = { lost: 0.15, doubled: 0.15, late: 0.15, reordered: 0.15 }
  const faults = drawnFaults({ seed, requests, callbacks })
  const { allEvents, clock, dial, host, twilio } = await stage({ faults, seed, callsPerSecond: 2 })
  for (let call = 0; call < 16; call++) {
    for (let tries = 0; tries < 20; tries++) {
      const answer = await dial({ ...allEvents, To: `+121255501${call + 10}` }).catch(() => null)
      if (answer?.status === 201) break
    }
  }
  await clock.runOut()
  const told = twilio
    .callbacks()
    .map(({ at, attempt, call_sid, fault, on, status }) => [at, attempt, call_sid, fault, on, status])
  const statuses = twilio.requests().map(({ fault, status }) => [fault, status])
  return { host, told, statuses, calls: twilio.calls() }
}

it("is the same day again for the same seed, with every fault in it, and no call is left over", async () => {
  const { calls, host, statuses, told } = await day("day")
  expect(calls.every(({ planned, status }) => status === "completed" && planned.size === 0)).toBe(true)
  const met = new Set([...statuses.map(([fault]) => fault), ...told.map(([, , , fault]) => fault)])
  for (const fault of [
    "lost_before",
    "lost_after",
    "too_many",
    "error_after",
    "lost",
    "doubled",
    "late",
    "reordered",
  ]) {
    expect(met).toContain(fault)
  }
  // More calls than answers: those whose answers were lost are there too.
  const acted = statuses.filter(
    ([fault, status]) => status === 201 || fault === "lost_after" || fault === "error_after",
  )
  expect(calls).toHaveLength(acted.length)
  // Four events of each call: told once, twice, or not at all.
  const lost = told.filter(([, , , fault]) => fault === "lost").length
  const doubled = told.filter(([, , , fault]) => fault === "doubled").length / 2
  expect(host.heard).toHaveLength(calls.length * 4 - lost + doubled)
  const again = await day("day")
  expect([again.statuses, again.told]).toEqual([statuses, told])
})
