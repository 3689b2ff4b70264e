import { expect, it } from "vitest"
import { drawnFaults, type RequestFault } from "../../../twilio/test/standin/Faults.ts"
import { codeOf, stage } from "./Stage.ts"

const one = (fault: RequestFault) => ({
  request: ({ nth, on }: { readonly on: string; readonly nth: number }) =>
    on === "create" && nth === 0 ? fault : null,
  callback: () => null,
})

it.each([
  ["lost_before", 0],
  ["lost_after", 1],
  ["too_many", 0],
  ["error_before", 0],
  ["error_after", 1],
] as const)("fails a dial by %s: %i calls", async (fault, calls) => {
  const { clock, dial, telnyx } = await stage({ faults: one(fault), retryAfterSeconds: 4 })
  if (fault.startsWith("lost")) await expect(dial({ command_id: "c" })).rejects.toThrow("fetch failed")
  else {
    const answer = await dial({ command_id: "c" })
    const expected = fault === "too_many" ? [429, "10011", "4"] : [500, "10007", null]
    expect([answer.status, codeOf(answer), answer.headers.get("retry-after")]).toEqual(expected)
  }
  expect(telnyx.calls()).toHaveLength(calls)
  // The same command again: one call in the end, whatever was lost.
  await dial({ command_id: "c" })
  expect(telnyx.calls()).toHaveLength(1)
  await clock.runOut()
})

it("sends webhooks never, twice, late and out of order", async () => {
  const { clock, dialled, host, telnyx } = await stage({
    script: () => ({ outcome: "answered", ring_s: 5, talk_s: 30 }),
    faults: {
      request: () => null,
      callback: ({ on, to }) => {
        if (to.endsWith("1")) return on === "call.answered" ? "lost" : null
        if (to.endsWith("2")) return on === "call.answered" ? "doubled" : null
        if (to.endsWith("3")) return on === "call.initiated" ? "reordered" : null
        return on === "call.answered" ? "late" : null
      },
    },
  })
  for (const end of [1, 2, 3, 4]) await dialled({ to: `+1212555010${end}` })
  await clock.runOut()
  const told = (end: number) =>
    host.heard.filter(({ payload }) => payload["to"] === `+1212555010${end}`).map(({ type }) => type)
  expect(told(1)).toEqual(["call.initiated", "call.hangup"])
  expect(told(2)).toEqual(["call.initiated", "call.answered", "call.answered", "call.hangup"])
  expect(told(3)).toEqual(["call.answered", "call.initiated", "call.hangup"])
  expect(told(4).toSorted()).toEqual(["call.answered", "call.hangup", "call.initiated"])
  expect(telnyx.webhooks().filter(({ fault }) => fault === "lost")).toHaveLength(1)
})

it("draws the same faults from the same seed", async () => {
  const run = async () => {
    const rates = { seed: "s", requests: { too_many: 0.3 }, callbacks: { lost: 0.3, doubled: 0.3 } }
    const { clock, dial, telnyx } = await stage({ faults: drawnFaults(rates) })
    for (let nth = 0; nth < 10; nth += 1) await dial({ to: `+1212555010${nth}` })
    await clock.runOut()
    return [
      telnyx.requests().map(({ fault }) => fault),
      telnyx.webhooks().map(({ event_type, fault }) => [event_type, fault]),
    ]
  }
  expect(await run()).toEqual(await run())
})
