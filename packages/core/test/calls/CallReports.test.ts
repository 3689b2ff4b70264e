import { type Call, type CallStatus, type LegEnd, type LegFacts, limits } from "@carillon/core"
import {
  CallReports,
  callTransitions,
  isTerminal,
  terminalStatuses,
  transcriptStatus,
  transcriptTurns,
} from "@carillon/core/domain"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sampleCall, sampleEpoch } from "../../src/testing/Samples.ts"

const { applyAnswer, applyReport } = CallReports

type Report = CallReports.LegReport

const dialled: Call = sampleCall("org_test", { dial: "accepted", call_sid: "leg", due_at: sampleEpoch + 60_000 })

const text = fc.constantFrom("https://media.example.com/a.wav", "https://media.example.com/b.wav", null)

const cost = fc.option(
  fc.integer({ min: 1, max: 40 }).map((eighths) => ({
    total: eighths / 8,
    breakdown: { llm: eighths / 8, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
  })),
)

const end = (status: fc.Arbitrary<LegEnd["status"]>): fc.Arbitrary<LegEnd> =>
  fc.record({
    status,
    duration_seconds: fc.constantFrom(null, 0, 12.5),
    answered_by_voicemail: fc.constantFrom(null, false, true),
    hangup_by: fc.constantFrom(null, "agent", "customer"),
    hangup_reason: fc.constantFrom(null, "user_hangup", "inactivity_timeout"),
    error: fc.constantFrom(null, "The leg broke."),
  })

const media = fc.constantFrom(null, { transcript: "agent: Hello", setup: null, turns: null })

const base = { execution_id: dialled.execution_id, at: sampleEpoch, call_sid: "leg" }

const reportOf = (ends: fc.Arbitrary<LegEnd>): fc.Arbitrary<Report> =>
  fc.oneof(
    fc.constantFrom<Report>(
      { ...base, type: "initiated" },
      { ...base, type: "ringing" },
      { ...base, type: "answered" },
    ),
    ends.map((one): Report => ({ ...base, type: "ended", end: one })),
    fc.tuple(ends, text, cost, media).map(([one, recording_url, paid, said]): Report => ({
      ...base,
      type: "final",
      end: one,
      facts: { recording_url, cost: paid, media: said },
    })),
    fc.constant<Report>({
      ...base,
      type: "analysis",
      analysis: { summary: "Agreed.", sentiment: "positive", extracted_data: { yes: true } },
    }),
    fc.tuple(cost, text).map(([paid, recording_url]): Report => ({
      ...base,
      type: "corrected",
      end: { duration_seconds: 13 },
      facts: { cost: paid, recording_url },
    })),
  )

const anyReport = reportOf(end(fc.constantFrom(...terminalStatuses)))

/** What one leg has to tell, in the order in which it happens: every report is true, and the end is one that a leg can have. */
const story: fc.Arbitrary<ReadonlyArray<Report>> = fc
  .record({
    ends: fc
      .boolean()
      .chain((isAnswered) =>
        end(
          isAnswered
            ? fc.constantFrom("completed", "failed", "no-answer", "error", "call-disconnected", "balance-low")
            : fc.constantFrom("busy", "no-answer", "failed", "error"),
        ).map((one) => ({ isAnswered, one })),
      ),
    recording_url: text,
    paid: cost,
    said: media,
    corrections: fc.array(fc.record({ duration_seconds: fc.constantFrom(13, 14), paid: cost, recording_url: text }), {
      maxLength: 3,
    }),
  })
  .map(({ ends: { isAnswered, one }, recording_url, paid, said, corrections }) => [
    { ...base, type: "initiated" },
    { ...base, type: "ringing" },
    ...(isAnswered ? [{ ...base, type: "answered" as const }] : []),
    { ...base, type: "ended", end: one },
    { ...base, type: "final", end: one, facts: { recording_url, cost: paid, media: said } },
    {
      ...base,
      type: "analysis",
      analysis: { summary: "Agreed.", sentiment: "positive", extracted_data: { yes: true } },
    },
    ...corrections.map((corrected, index) => ({
      ...base,
      at: base.at + index,
      type: "corrected" as const,
      end: { duration_seconds: corrected.duration_seconds },
      facts: { cost: corrected.paid, recording_url: corrected.recording_url },
    })),
  ])

interface Told {
  readonly call: Call
  readonly debit: number
  readonly media: number
}

/** A call after reports that came one second apart. */
const tell = (call: Call, reports: ReadonlyArray<Report>, from = sampleEpoch): Told => {
  let told: Told = { call, debit: 0, media: 0 }
  for (const [index, report] of reports.entries()) {
    const outcome = applyReport(told.call, report, from + index * 1_000, "USD", limits)
    told = {
      call: outcome.call,
      debit: told.debit + outcome.debit,
      media: told.media + (outcome.media === null ? 0 : 1),
    }
  }
  return told
}

/** What a call comes to in the end, whenever its parts became known. */
const factsOf = ({ call, debit, media: stored }: Told) => ({
  status: call.status,
  duration_seconds: call.duration_seconds,
  answered_by_voicemail: call.answered_by_voicemail,
  hangup_by: call.hangup_by,
  hangup_reason: call.hangup_reason,
  recording_url: call.recording_url,
  cost: call.cost,
  error: call.error,
  summary: call.summary,
  sentiment: call.sentiment,
  extracted_data: call.extracted_data,
  call_sid: call.call_sid,
  isAnswered: call.answered_at !== null,
  isFinal: call.final_report_at !== null,
  due_at: call.due_at,
  debit,
  stored,
})

describe("applyReport", () => {
  it("changes nothing on a report that comes again at once: the very same row", () => {
    fc.assert(
      fc.property(fc.array(anyReport, { maxLength: 12 }), anyReport, (before, report) => {
        const { call } = tell(dialled, before)
        const { call: once } = applyReport(call, report, sampleEpoch + 60_000, "USD", limits)
        const twice = applyReport(once, report, sampleEpoch + 90_000, "USD", limits)
        expect(twice.call).toBe(once)
        expect(twice).toMatchObject({ media: null, debit: 0 })
      }),
      { numRuns: 300 },
    )
  })

  it("changes nothing when a leg's whole story is told again", () => {
    fc.assert(
      fc.property(
        story.chain((reports) => fc.shuffledSubarray([...reports], { minLength: reports.length })),
        (reports) => {
          const { call } = tell(dialled, [...reports, ...reports])
          for (const report of reports) {
            const again = applyReport(call, report, sampleEpoch + 90_000, "USD", limits)
            expect(again.call).toBe(call)
            expect(again).toMatchObject({ media: null, debit: 0 })
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it("ends in the same facts and the same payment, in whatever order a leg's reports come", () => {
    fc.assert(
      fc.property(
        story.chain((reports) =>
          fc.tuple(fc.constant(reports), fc.shuffledSubarray([...reports], { minLength: reports.length })),
        ),
        ([reports, shuffled]) => {
          const lastWordLast = factsOf(tell(dialled, reports))
          const { debit, ...facts } = factsOf(tell(dialled, shuffled))
          const { debit: expected, ...expectedFacts } = lastWordLast
          expect(facts).toEqual(expectedFacts)
          // What was paid is never given back, so a correction downwards costs what was known first.
          expect(debit).toBeLessThanOrEqual(expected)
          expect(debit).toBeGreaterThanOrEqual(facts.cost?.total ?? 0)
        },
      ),
      { numRuns: 500 },
    )
  })

  it("takes no answer from a call that cannot have had one: one that was busy, or canceled", () => {
    for (const status of terminalStatuses) {
      const { call } = tell(dialled, [
        { ...base, type: "ended", end: endOf(status) },
        { ...base, type: "answered" },
      ])
      expect([status, call.answered_at !== null]).toEqual([status, status !== "busy" && status !== "canceled"])
      if (call.answered_at !== null) expect(call.answered_at).toBe(call.completed_at)
    }
  })

  it("moves only as the status machine allows, and never away from an end", () => {
    fc.assert(
      fc.property(fc.array(anyReport, { maxLength: 15 }), (reports) => {
        let call = dialled
        for (const [index, report] of reports.entries()) {
          const { call: after } = applyReport(call, report, sampleEpoch + index, "USD", limits)
          if (after.status !== call.status) expect(callTransitions[call.status]).toContain(after.status)
          if (isTerminal(call.status)) expect(after.status).toBe(call.status)
          if (call.final_report_at !== null) expect(after.final_report_at).toBe(call.final_report_at)
          expect(isTerminal(after.status)).toBe(after.completed_at !== null)
          if (after.final_report_at !== null) expect(isTerminal(after.status)).toBe(true)
          call = after
        }
      }),
      { numRuns: 300 },
    )
  })

  it("keeps what the machine refuses, newest last, and no more than it has room for", () => {
    fc.assert(
      fc.property(fc.array(anyReport, { minLength: 5, maxLength: 40 }), (reports) => {
        const { refused_reports } = tell(dialled, reports).call
        expect(refused_reports.length).toBeLessThanOrEqual(limits.refusedReports)
        const times = refused_reports.map((report) => report.at)
        expect(times).toEqual(times.toSorted((a, b) => a - b))
      }),
    )
    const everything = terminalStatuses.map((status): Report => ({ ...base, type: "ended", end: endOf(status) }))
    expect(tell(dialled, [...everything, { ...base, type: "ringing" }]).call.refused_reports).toHaveLength(
      limits.refusedReports,
    )
    const late = tell(dialled, [
      { ...base, type: "ended", end: endOf("completed") },
      { ...base, type: "ended", end: endOf("busy") },
      { ...base, type: "ringing" },
    ]).call
    expect(late.refused_reports).toEqual([
      { at: sampleEpoch + 1_000, from: "completed", to: "busy" },
      { at: sampleEpoch + 2_000, from: "completed", to: "ringing" },
    ])
  })

  it("comes to every status of the table from every phase that leads there", () => {
    const phases = {
      queued: [],
      initiated: [{ ...base, type: "initiated" }],
      ringing: [{ ...base, type: "ringing" }],
      "in-progress": [{ ...base, type: "answered" }],
    } satisfies Partial<Record<CallStatus, ReadonlyArray<Report>>>
    for (const [phase, reports] of Object.entries(phases)) {
      for (const status of terminalStatuses) {
        const { call: before } = tell(dialled, reports)
        const { call: ended } = applyReport(
          before,
          { ...base, type: "ended", end: endOf(status) },
          sampleEpoch,
          "USD",
          limits,
        )
        const isAllowed = callTransitions[before.status].includes(status)
        expect(ended.status, `${phase} to ${status}`).toBe(isAllowed ? status : before.status)
        const final: Report = { ...base, type: "final", end: endOf(status), facts: noFacts }
        const { call: over } = applyReport(before, final, sampleEpoch, "USD", limits)
        // A leg that is over is over, even where its end is impossible.
        expect(over.status, `${phase} to ${status}`).toBe(isAllowed ? status : "error")
        expect(over).toMatchObject({ final_report_at: sampleEpoch, completed_at: sampleEpoch, due_at: null })
      }
    }
  })

  it("completes facts on an ended call without touching what is known", () => {
    const stopped: Call = {
      ...dialled,
      status: "stopped",
      hangup_reason: "user_request",
      stop: { requested_at: sampleEpoch, reason: "user_request" },
      completed_at: sampleEpoch,
    }
    const end = {
      ...endOf("completed"),
      duration_seconds: 8,
      hangup_by: "agent",
      hangup_reason: "agent_hangup",
    } as const
    const { call } = applyReport(
      stopped,
      { ...base, type: "final", end, facts: noFacts },
      sampleEpoch + 1,
      "USD",
      limits,
    )
    expect(call).toMatchObject({
      status: "stopped",
      duration_seconds: 8,
      hangup_by: "agent",
      hangup_reason: "user_request",
      completed_at: sampleEpoch,
      final_report_at: sampleEpoch + 1,
    })
  })

  it("stores no recording of a call that was not to be recorded", () => {
    const facts = { ...noFacts, recording_url: "https://media.example.com/a.wav" }
    const reports: ReadonlyArray<Report> = [
      { ...base, type: "final", end: endOf("completed"), facts },
      { ...base, type: "corrected", end: {}, facts },
    ]
    expect(tell({ ...dialled, record: false }, reports).call.recording_url).toBeNull()
    expect(tell(dialled, reports).call.recording_url).toBe(facts.recording_url)
  })

  it("keeps the newest correction when older ones come again after it, and takes no money for them", () => {
    const costing = (total: number) => ({
      total,
      breakdown: { llm: total, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
    })
    const correction = (minute: number, total: number): Report => ({
      ...base,
      at: base.at + minute * 60_000,
      type: "corrected",
      end: {},
      facts: { cost: costing(total) },
    })
    const final: Report = { ...base, type: "final", end: endOf("completed"), facts: { ...noFacts, cost: costing(2) } }
    const both = [correction(1, 3), correction(2, 4)]
    expect(tell(dialled, [final, ...both, ...both])).toMatchObject({ debit: 4, call: { cost: { total: 4 } } })
    expect(tell(dialled, [final, ...both.toReversed()])).toMatchObject({ debit: 4, call: { cost: { total: 4 } } })
    // What the newer one says nothing of is still completed by the older one.
    const recorded: Report = { ...base, type: "corrected", end: { duration_seconds: 14 }, facts: {} }
    expect(tell(dialled, [final, ...both, recorded]).call).toMatchObject({ cost: { total: 4 }, duration_seconds: 14 })
  })

  it("debits what a correction adds, and gives nothing back", () => {
    const at = (total: number) => ({
      total,
      breakdown: { llm: total, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
    })
    const correction = (total: number): Report => ({ ...base, type: "corrected", end: {}, facts: { cost: at(total) } })
    const final: Report = { ...base, type: "final", end: endOf("completed"), facts: { ...noFacts, cost: at(2) } }
    expect(tell(dialled, [final, correction(3)])).toMatchObject({ debit: 3, call: { cost: { total: 3 } } })
    expect(tell(dialled, [final, correction(1)])).toMatchObject({ debit: 2, call: { cost: { total: 1 } } })
    expect(tell(dialled, [correction(3), final])).toMatchObject({ debit: 3, call: { cost: { total: 3 } } })
    // What was paid once is not paid again when the cost comes back.
    expect(tell(dialled, [final, correction(5), correction(1), correction(5)])).toMatchObject({
      debit: 5,
      call: { cost: { total: 5 } },
    })
    expect(tell(dialled, [final, correction(1), correction(4)])).toMatchObject({
      debit: 4,
      call: { cost: { total: 4 } },
    })
  })
})

describe("applyAnswer", () => {
  it("asks again after 30 s, doubling to five minutes, while the carrier gives no answer", () => {
    let call = dialled
    const delays: Array<number> = []
    for (let now = sampleEpoch; delays.length < 7; now = call.due_at ?? now) {
      call = applyAnswer(call, { _tag: "NoAnswer" }, now, "USD", limits).call
      delays.push(((call.due_at ?? 0) - now) / 1_000)
    }
    expect(delays).toEqual([30, 60, 120, 240, 300, 300, 300])
    expect(call.status).toBe("queued")
  })

  it("lets a live leg go on, and looks at a conversation every ten minutes", () => {
    const live = (phase: "initiated" | "ringing" | "answered") =>
      applyAnswer(dialled, { _tag: "Live", call_sid: "leg-2", phase }, sampleEpoch, "USD", limits).call
    expect(live("initiated")).toMatchObject({ status: "initiated", due_at: sampleEpoch + 30_000 })
    expect(live("ringing")).toMatchObject({ status: "ringing", due_at: sampleEpoch + 30_000 })
    expect(live("answered")).toMatchObject({ status: "in-progress", due_at: sampleEpoch + 600_000 })
  })

  it("ends a call whose leg the carrier does not know, and frees its line", () => {
    const unknown = (call: Call) => applyAnswer(call, { _tag: "Unknown" }, sampleEpoch, "USD", limits).call
    expect(unknown({ ...dialled, dial: "unconfirmed" })).toMatchObject({
      status: "error",
      error: "The telephony provider never placed the call.",
      hangup_reason: "carrier_error",
      final_report_at: sampleEpoch,
      due_at: null,
    })
    expect(unknown(dialled).error).toBe("The telephony provider lost the call.")
    const { call: ended } = applyReport(
      dialled,
      { ...base, type: "ended", end: endOf("busy") },
      sampleEpoch,
      "USD",
      limits,
    )
    expect(unknown(ended)).toMatchObject({ status: "busy", error: null, final_report_at: sampleEpoch, due_at: null })
  })

  const lost: Call = {
    ...dialled,
    dial: "unconfirmed",
    call_sid: null,
    answer_lost_at: sampleEpoch,
    due_at: sampleEpoch + 3_000,
  }

  it("asks soon after the answer to a dial was lost, and then as about any silent leg", () => {
    let call = lost
    const asked: Array<number> = []
    while (asked.length < 8) {
      const now = call.due_at ?? 0
      asked.push((now - sampleEpoch) / 1_000)
      call = applyAnswer(call, { _tag: "NoAnswer" }, now, "USD", limits).call
    }
    expect(asked).toEqual([3, 6, 12, 24, 30, 60, 120, 240])
  })

  it("believes that there is no leg of a lost dial from 30 s on only, by when it was asked", () => {
    const times = fc.record({ asked: fc.integer({ min: 0, max: 60_000 }), took: fc.nat(20_000) })
    fc.assert(
      fc.property(times, ({ asked, took }) => {
        const now = sampleEpoch + asked + took
        const { call } = applyAnswer(lost, { _tag: "Unknown" }, now, "USD", limits, sampleEpoch + asked)
        if (asked >= limits.questionDelayMs) {
          expect(call).toMatchObject({ status: "error", dial: "unconfirmed", final_report_at: now, due_at: null })
        } else {
          expect(call).toMatchObject({ status: "queued", dial: "unconfirmed", final_report_at: null })
          expect(call.due_at).toBeLessThanOrEqual(sampleEpoch + limits.questionDelayMs)
        }
      }),
    )
  })

  it("believes a live leg and an ended one whenever it is asked, and counts its questions from then on", () => {
    const now = sampleEpoch + 3_000
    const live = applyAnswer(lost, { _tag: "Live", call_sid: "leg", phase: "ringing" }, now, "USD", limits).call
    expect(live).toMatchObject({ status: "ringing", dial: "accepted", call_sid: "leg", due_at: now + 30_000 })
    const facts = noFacts
    const over = applyAnswer(
      lost,
      { _tag: "Ended", call_sid: "leg", end: endOf("busy"), facts },
      now,
      "USD",
      limits,
    ).call
    expect(over).toMatchObject({ status: "busy", final_report_at: now, due_at: null })
  })

  it("takes a carrier at its word that nobody was dialled and nobody will be", () => {
    const now = sampleEpoch + 3_000
    const never = (call: Call) => applyAnswer(call, { _tag: "NeverDialled" }, now, "USD", limits).call
    for (const call of [lost, { ...dialled, dial: "intended" as const }]) {
      const known = never(call)
      expect(known).toMatchObject({ status: "error", dial: "refused", final_report_at: now, due_at: null })
      // Whatever it says later changes no status.
      const late = applyReport(
        known,
        { ...base, type: "final", end: endOf("completed"), facts: noFacts },
        now,
        "USD",
        limits,
      )
      expect(late.call).toMatchObject({ status: "error", dial: "refused" })
    }
    // A leg that it has spoken of before was lost.
    expect(never(dialled)).toMatchObject({ status: "error", dial: "accepted" })
    const { call: ended } = applyReport(dialled, { ...base, type: "ended", end: endOf("busy") }, now, "USD", limits)
    expect(never(ended)).toMatchObject({ status: "busy", error: null, final_report_at: now, due_at: null })
  })

  it("takes the carrier's account of an end like its final report", () => {
    fc.assert(
      fc.property(end(fc.constantFrom(...terminalStatuses)), text, cost, media, (one, recording_url, paid, said) => {
        const facts = { recording_url, cost: paid, media: said }
        const answer = applyAnswer(
          dialled,
          { _tag: "Ended", call_sid: "leg", end: one, facts },
          sampleEpoch,
          "USD",
          limits,
        )
        expect(answer).toEqual(
          applyReport(dialled, { ...base, type: "final", end: one, facts }, sampleEpoch, "USD", limits),
        )
      }),
    )
  })
})

const noFacts = { recording_url: null, cost: null, media: null }

function endOf(status: LegEnd["status"]): LegEnd {
  return {
    status,
    duration_seconds: null,
    answered_by_voicemail: null,
    hangup_by: null,
    hangup_reason: null,
    error: null,
  }
}

describe("a report that is larger than a row may be", () => {
  const said = (transcript: NonNullable<LegFacts["media"]>["transcript"]) =>
    applyReport(
      dialled,
      {
        ...base,
        type: "final",
        end: {
          status: "completed",
          duration_seconds: 1,
          answered_by_voicemail: false,
          hangup_by: null,
          hangup_reason: null,
          error: null,
        },
        facts: { recording_url: null, cost: null, media: { transcript, setup: null, turns: null } },
      },
      sampleEpoch,
      "USD",
      limits,
    ).media

  it("ends the call all the same, keeps the beginning of what was said, and says that there was more", () => {
    const turn = { role: "agent", content: '…"'.repeat(500), start_ms: null, end_ms: null }
    for (const transcript of [Array.from({ length: 2_000 }, () => turn), "\u0001".repeat(limits.transcriptBytes)]) {
      const kept = said(transcript)
      expect(kept?.truncated).toBe(true)
      expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(limits.transcriptBytes + 1_000)
      expect(kept?.transcript).toEqual(transcript.slice(0, kept?.transcript?.length))
      expect(kept?.transcript?.length).toBeGreaterThan(100)
      expect(transcriptStatus(transcriptTurns(kept?.transcript ?? null), kept)).toBe("truncated")
    }
    expect(said("agent: Hello")).not.toHaveProperty("truncated")
  })

  it("takes an analysis that is too large for none", () => {
    const analysis = { summary: "x".repeat(100_000), sentiment: null, extracted_data: { a: "x".repeat(100_000) } }
    const { call } = applyReport(dialled, { ...base, type: "analysis", analysis }, sampleEpoch, "USD", limits)
    expect(call.summary?.length).toBe(limits.summaryCharacters)
    expect(call.extracted_data).toBeNull()
    expect(call.processing.analysed_at).toBe(sampleEpoch)
  })
})
