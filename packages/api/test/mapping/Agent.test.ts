import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Agent } from "../../src/Agents.ts"
import { toWireAgent, toWireListedAgent } from "../../src/mapping/Agent.ts"
import { agent, assertReads } from "./Arbitraries.ts"

const placeholders = ["name"]

describe("agents on the wire", () => {
  it("are read by the agent schema, as a row and alone", () => {
    fc.assert(
      fc.property(agent, (agent) => {
        assertReads(Agent, toWireAgent(agent, placeholders))
        assertReads(Agent, toWireListedAgent({ ...agent, placeholders }))
        assertReads(Agent, toWireAgent(agent, placeholders, { droppedLanguages: ["hi"] }))
      }),
    )
  })

  it("carry the same keys as a row, with empty prompts and no knowledge base", () => {
    fc.assert(
      fc.property(agent, (agent) => {
        const alone = toWireAgent(agent, placeholders)
        const row = toWireListedAgent({ ...agent, placeholders })
        assert.deepStrictEqual(Object.keys(row), Object.keys(alone))
        assert.deepStrictEqual({ ...row, prompts: alone.prompts, knowledge_base: alone.knowledge_base }, alone)
        assert.deepStrictEqual([row.prompts, row.knowledge_base], [{}, null])
      }),
    )
  })

  it("name the languages that could not be saved, and only then", () => {
    fc.assert(
      fc.property(agent, fc.array(fc.string(), { maxLength: 2 }), (agent, droppedLanguages) => {
        const wire = toWireAgent(agent, placeholders, { droppedLanguages })
        assert.deepStrictEqual(wire.dropped_languages, droppedLanguages.length === 0 ? undefined : droppedLanguages)
      }),
    )
  })

  it("carry nothing of how the engine keeps them", () => {
    fc.assert(
      fc.property(agent, (agent) => {
        assert.sameMembers(
          Object.keys(toWireAgent(agent, placeholders, { droppedLanguages: ["hi"] })),
          Object.keys(Agent.fields),
        )
      }),
    )
  })
})
