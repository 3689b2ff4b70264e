import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { toWireTranscript } from "../../src/mapping/Transcript.ts"
import { CallTranscript } from "../../src/Transcript.ts"
import { assertReads, media } from "./Arbitraries.ts"

const labels = {
  agent: "agent",
  Assistant: "agent",
  BOT: "agent",
  user: "user",
  customer: "user",
  Human: "user",
} as const

describe("transcripts on the wire", () => {
  it("are read by their schema, count their turns and number them", () => {
    fc.assert(
      fc.property(fc.option(media, { nil: null }), (media) => {
        const wire = toWireTranscript("exec_1", media)
        assertReads(CallTranscript, wire)
        assert.strictEqual(wire.turn_count, wire.turns.length)
        assert.deepStrictEqual(
          wire.turns.map((turn) => turn.index),
          wire.turns.map((_, index) => index),
        )
        assert.strictEqual(wire.transcript_status, wire.turns.length === 0 ? "unavailable" : "available")
      }),
    )
  })

  it("give a text of speakers back as the turns it was written from", () => {
    const word = fc.stringMatching(/^[a-z][a-z ?!]{0,12}[a-z]$/)
    const turn = fc.record({
      label: fc.constantFrom("agent", "Assistant", "BOT", "user", "customer", "Human"),
      content: fc.array(word, { minLength: 1, maxLength: 2 }).map((lines) => lines.join("\n")),
    })
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const transcript = turns.map(({ label, content }) => `${label}: ${content}`).join("\n")
        const wire = toWireTranscript("exec_1", { transcript })
        assert.deepStrictEqual(
          wire.turns.map(({ role, content }) => ({ role, content })),
          turns.map(({ label, content }) => ({ role: labels[label], content })),
        )
        assert.deepStrictEqual(toWireTranscript("exec_1", { transcript: wire.text }).turns, wire.turns)
      }),
    )
  })

  it("take a text without speakers for one turn of an unknown one", () => {
    const wire = toWireTranscript("exec_1", { transcript: "We spoke of the weather.\nTime: 10 past nine." })
    assert.deepStrictEqual(
      wire.turns.map(({ role, content }) => ({ role, content })),
      [{ role: "unknown", content: "We spoke of the weather.\nTime: 10 past nine." }],
    )
  })

  it("keep what came before the first speaker", () => {
    const { turns } = toWireTranscript("exec_1", { transcript: "(beep)\nuser: Hi" })
    assert.deepStrictEqual(
      turns.map(({ role, content }) => `${role}|${content}`),
      ["unknown|(beep)", "user|Hi"],
    )
  })

  it("have no turns where nothing was said", () => {
    for (const transcript of [null, "", " \n ", []]) {
      assert.deepInclude(toWireTranscript("exec_1", { transcript }), { turn_count: 0, text: "" })
    }
  })
})
