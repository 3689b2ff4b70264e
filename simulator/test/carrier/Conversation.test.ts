import * as fc from "fast-check"
import { expect, test } from "vitest"
import { costOf, extractedOf, transcriptOf, turnTimingsOf } from "../../src/carrier/Conversation.ts"

const point = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

test("the parts of a cost add up to its total, to the millionth", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (talk) => {
      const { total, breakdown } = costOf(talk, undefined)
      const micros = Object.values(breakdown).reduce((sum, part) => sum + Math.round(part * 1e6), 0)
      expect(Math.round(total * 1e6)).toBe(micros)
    }),
  )
  expect(costOf(60_000, { breakdown: { llm: 1, network: 0.5 } }).total).toBe(1.5)
  expect(costOf(60_000, { total: 9 })).toMatchObject({ total: 9, breakdown: { llm: 0 } })
})

test("a transcript fits into its talk: bounded, in order, the agent first, speakers taking turns", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_600_000 }), fc.boolean(), point, (talk, finished, drawn) => {
      const turns = transcriptOf(talk, finished, () => drawn)
      expect(turns.length).toBeGreaterThan(0)
      expect(turns.length).toBeLessThanOrEqual(40)
      let before = 0
      for (const [index, { role, start_ms, end_ms }] of turns.entries()) {
        expect(role).toBe(index % 2 === 0 ? "agent" : "user")
        expect(start_ms!).toBeGreaterThanOrEqual(before)
        expect(end_ms!).toBeGreaterThanOrEqual(start_ms!)
        before = end_ms!
      }
      expect(before).toBeLessThanOrEqual(talk)
    }),
  )
})

test("the last token and the end of the audio do not come before the first", () => {
  for (const turn of turnTimingsOf(20, (purpose) => (purpose.length % 7) / 7)) {
    expect(turn.last_token_ms!).toBeGreaterThan(turn.first_token_ms!)
    expect(turn.complete_ms!).toBeGreaterThan(turn.first_audio_ms!)
  }
})

test("the analysis answers what the agent asks, and nothing where it asks nothing", () => {
  const asked = { custom: [{ name: "a", required_keys: ["x", "y"] }, { name: "b" }, { prompt: "nameless" }] }
  expect(extractedOf(asked, () => 0)).toEqual({ a: { x: "yes", y: "yes" }, b: {} })
  expect(extractedOf({}, () => 0)).toBeNull()
  expect(extractedOf({ custom: [] }, () => 0)).toBeNull()
})
