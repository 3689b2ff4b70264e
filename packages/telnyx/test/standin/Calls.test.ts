import { expect, it } from "vitest"
import type { Fate, Verdict } from "./Fate.ts"
import { codeOf, type Fields, stage } from "./Stage.ts"

const script = (fate: Fate) => () => fate
const state = Buffer.from("e1").toString("base64")

it("leads a call through its phases, in its own time, and tells of each", async () => {
  const fate: Fate = { outcome: "answered", ring_s: 6, talk_s: 61, cost: 0.028, costed_after_s: 10 }
  const { clock, dialled, host, statusOf } = await stage({ script: script(fate), costWebhooks: true })
  const start = clock.now()
  const id = await dialled({ client_state: state })
  const alive: Array<unknown> = []
  for (const second of [0, 6, 67, 77]) {
    await clock.runTo(start + second * 1000)
    const { call_duration, is_alive } = await statusOf(id)
    alive.push([second, is_alive, call_duration])
  }
  expect(alive).toEqual([
    [0, true, 0],
    [6, true, 0],
    [67, false, 61],
    [77, false, 61],
  ])
  expect(host.heard.map(({ at, type }) => [(at - start) / 1000, type])).toEqual([
    [0, "call.initiated"],
    [6, "call.answered"],
    [67, "call.hangup"],
    [77, "call.cost"],
  ])
  expect(host.heard[0]?.payload).toMatchObject({ direction: "outgoing", state: "bridging", to: "+12125550100" })
  expect(host.heard[2]?.payload).toMatchObject({
    state: "hangup",
    hangup_cause: "normal_clearing",
    hangup_source: "callee",
    sip_hangup_cause: "200",
  })
  expect(host.heard[3]?.payload).toMatchObject({ total_cost: 0.028, billed_duration_secs: 61, status: "valid" })
  for (const { payload } of host.heard) expect(payload).toMatchObject({ call_control_id: id, client_state: state })
})

const ends: ReadonlyArray<readonly [fate: Fate, body: Fields, end: readonly [string, string, string], second: number]> =
  [
    [{ outcome: "busy", ring_s: 3 }, {}, ["user_busy", "callee", "486"], 3],
    [{ outcome: "rejected", ring_s: 3 }, {}, ["call_rejected", "callee", "603"], 3],
    [{ outcome: "not_found", ring_s: 1 }, {}, ["not_found", "unknown", "404"], 1],
    [{ outcome: "failed", ring_s: 1 }, {}, ["unspecified", "unknown", "503"], 1],
    [{ outcome: "failed", ring_s: 1, sip_hangup_cause: "500" }, {}, ["unspecified", "unknown", "500"], 1],
    [{ outcome: "no_answer" }, {}, ["timeout", "caller", "487"], 30],
    [{ outcome: "no_answer" }, { timeout_secs: 15 }, ["timeout", "caller", "487"], 15],
    [{ outcome: "no_answer" }, { retry_on_timeout: false }, ["no_answer", "caller", "487"], 30],
    [{ outcome: "answered", ring_s: 16 }, { timeout_secs: 15 }, ["timeout", "caller", "487"], 15],
    [{ outcome: "answered", ring_s: 5, talk_s: 100 }, { time_limit_secs: 30 }, ["time_limit", "caller", "200"], 35],
  ]

it.each(ends)("ends as its fate and its limits have it: %j %j", async (fate, body, end, second) => {
  const { clock, dialled, host } = await stage({ script: script(fate) })
  const start = clock.now()
  await dialled(body)
  await clock.runOut()
  const last = host.heard.at(-1)
  expect(last?.type).toBe("call.hangup")
  const { hangup_cause, hangup_source, sip_hangup_cause } = last?.payload ?? {}
  expect([hangup_cause, hangup_source, sip_hangup_cause]).toEqual(end)
  expect((last?.at ?? 0) - start).toBe(second * 1000)
})

it("hangs up by phase, once, and says that what is over is over", async () => {
  for (const [second, cause] of [
    [2, "originator_cancel"],
    [10, "normal_clearing"],
  ] as const) {
    const { act, clock, dialled, host } = await stage()
    const id = await dialled()
    await clock.advance(second * 1000)
    expect(await act(id, "hangup", { client_state: state })).toMatchObject({
      status: 200,
      body: { data: { result: "ok" } },
    })
    const again = await act(id, "hangup")
    expect([again.status, codeOf(again)]).toEqual([422, "90018"])
    await clock.runOut()
    const hangups = host.heard.filter(({ type }) => type === "call.hangup")
    expect(hangups.map(({ payload }) => [payload["hangup_cause"], payload["client_state"]])).toEqual([[cause, state]])
  }
})

it("tells of a call that was hung up at once all the same", async () => {
  const { act, clock, dialled, host } = await stage()
  await act(await dialled(), "hangup")
  await clock.runOut()
  expect(host.heard.map(({ type }) => type)).toEqual(["call.initiated", "call.hangup"])
})

const detections: ReadonlyArray<
  readonly [mode: string, says: Verdict, beep: boolean, heard: ReadonlyArray<readonly [string, string]>]
> = [
  ["detect", "human", true, [["call.machine.detection.ended", "human"]]],
  ["detect", "machine", true, [["call.machine.detection.ended", "machine"]]],
  ["detect", "fax", true, [["call.machine.detection.ended", "not_sure"]]],
  [
    "greeting_end",
    "machine",
    false,
    [
      ["call.machine.detection.ended", "machine"],
      ["call.machine.greeting.ended", "ended"],
    ],
  ],
  ["detect_beep", "machine", false, [["call.machine.detection.ended", "machine"]]],
  ["premium", "human", true, [["call.machine.premium.detection.ended", "human_residence"]]],
  ["premium", "fax", true, [["call.machine.premium.detection.ended", "fax_detected"]]],
  [
    "premium",
    "machine",
    true,
    [
      ["call.machine.premium.detection.ended", "machine"],
      ["call.machine.premium.greeting.ended", "beep_detected"],
    ],
  ],
  ["disabled", "machine", true, []],
]

it.each(detections)("detects in the words of its kind: %s of %s (beep: %s)", async (mode, answered_by, beep, heard) => {
  const { clock, dialled, host } = await stage({ script: script({ outcome: "answered", answered_by, beep }) })
  await dialled({ answering_machine_detection: mode })
  await clock.runOut()
  const told = host.heard.filter(({ type }) => type.startsWith("call.machine"))
  expect(told.map(({ payload, type }) => [type, payload["result"]])).toEqual(heard)
})

it("speaks, streams and transfers while somebody listens, and not before", async () => {
  const { act, clock, dialled, host } = await stage({ script: script({ outcome: "answered", talk_s: 60 }) })
  const id = await dialled()
  const commands = [
    ["speak", { payload: "Hello", voice: "female" }],
    ["streaming_start", { stream_url: "wss://media.test/" }],
    ["transfer", { to: "+12125550101" }],
    ["record_start", { channels: "dual", format: "mp3" }],
  ] as const
  for (const [action, body] of commands) expect([action, (await act(id, action, body)).status]).toEqual([action, 422])
  await clock.advance(10_000)
  for (const [action, body] of commands) expect([action, (await act(id, action, body)).status]).toEqual([action, 200])
  expect((await act(id, "answer")).status).toBe(422)
  await clock.runOut()
  expect(host.heard.map(({ type }) => type)).toEqual([
    "call.initiated",
    "call.answered",
    "call.speak.started",
    "streaming.started",
    "call.speak.ended",
    "streaming.stopped",
    "call.hangup",
    "call.recording.saved",
  ])
})

it("lets the callee hang up", async () => {
  const { clock, dialled, host, telnyx } = await stage({ script: script({ outcome: "answered", talk_s: 600 }) })
  const id = await dialled()
  await telnyx.hangUp(id)
  expect(telnyx.calls()[0]?.endedAt).toBeNull()
  await clock.advance(10_000)
  await telnyx.hangUp(id)
  expect(host.heard.at(-1)?.payload).toMatchObject({ hangup_source: "callee" })
})

it("answers with what the script refuses with", async () => {
  const { dial, telnyx } = await stage({
    script: ({ nth }) => (nth === 0 ? { refused: 20100 } : { refused: 90041, status: 403, retry_after_s: 7 }),
  })
  const funds = await dial()
  expect([funds.status, codeOf(funds)]).toEqual([402, "20100"])
  expect(telnyx.calls()).toEqual([])
})
