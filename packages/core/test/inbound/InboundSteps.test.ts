import { InvalidField, Malformed, MissingField, NotFound, StateConflict } from "@carillon/core"
import type { Change } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { callersFrom } from "../../src/engine/rules/Guards.ts"
import { refused, remove, write } from "../../src/engine/rules/Outcome.ts"
import { type BindAgent, bindAgent } from "../../src/inbound/steps/BindAgent.ts"
import { unbindAgent } from "../../src/inbound/steps/UnbindAgent.ts"
import { sampleAgent, sampleCaller, sampleInboundAgent, samplePhoneNumber } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const agent = sampleAgent(organization_id, { agent_id: "agt_one" })
const number = { ...samplePhoneNumber(organization_id, "+15555550101"), revision: 2 }
const { phone_number, phone_number_id } = number
const binding = { ...sampleInboundAgent(number), revision: 3 }
const stored = [
  { put: "agent", row: agent },
  { put: "phone_number", row: number },
] as const
const at = momentAt(5_000)

const read = (request: Partial<BindAgent>, ...rows: ReadonlyArray<Change>) =>
  readOn(sourcesOn(...stored, ...rows), bindAgent.reads({ caller, request: { agent_id: "agt_one", ...request } }))

const refusalOf = (request: Partial<BindAgent>) => Result.getOrThrow(Result.flip(read(request)))

describe("an agent is bound to a number", () => {
  it("that is named by its id, its text or both, and rests on its being registered", () => {
    for (const request of [{ phone_number_id }, { phone_number }, { phone_number_id, phone_number }]) {
      assert.deepStrictEqual(Result.getOrThrow(read(request)), {
        view: { number, bound: null },
        expected: [{ kind: "phone_number", id: phone_number_id, revision: 2 }],
      })
    }
  })

  it("which makes it one of those that use the number", () => {
    const input = { caller, request: { agent_id: "agt_one", phone_number_id } }
    const { answer, changes } = bindAgent.decide(input, { number, bound: null }, at)
    const row = Result.getOrThrow(replied(answer))
    assert.deepInclude(row, { agent_id: "agt_one", phone_number_id, phone_number, enabled: true, created_at: 5_000 })
    assert.deepStrictEqual(draftOf(organization_id, changes ?? [], new Grounds(), at.now).changes, [
      { put: "inbound_agent", row },
      { put: "guard", guard: callersFrom(phone_number_id) },
    ])
  })

  it("that nobody answers yet", () => {
    const { view } = Result.getOrThrow(read({ phone_number_id }, { put: "inbound_agent", row: binding }))
    assert.deepStrictEqual(view.bound, binding)
    assert.deepStrictEqual(
      bindAgent.decide({ caller, request: { agent_id: "agt_one" } }, view, at),
      refused(new StateConflict({ message: "An agent already answers this phone number." })),
    )
  })

  it("where agent and number are there, and named as they are", () => {
    assert.deepStrictEqual(refusalOf({ agent_id: "agt_two" }), new NotFound({ message: "Agent not found." }))
    assert.instanceOf(refusalOf({}), MissingField)
    assert.instanceOf(refusalOf({ phone_number_id: "pn_two" }), NotFound)
    assert.instanceOf(refusalOf({ phone_number: "+15555550102" }), InvalidField)
    assert.instanceOf(refusalOf({ phone_number_id, phone_number: "+15555550102" }), Malformed)
  })
})

it("a binding is removed as it was read", () => {
  const input = { caller, inbound_agent_id: binding.inbound_agent_id }
  const sources = sourcesOn({ put: "inbound_agent", row: binding })
  const { view } = Result.getOrThrow(readOn(sources, unbindAgent.reads(input)))
  const audit = [{ resource: { type: "inbound_agent", id: binding.inbound_agent_id } }]
  assert.deepStrictEqual(
    unbindAgent.decide(input, view, at),
    write([remove("inbound_agent", binding)], { audit, reply: undefined }),
  )
  assert.instanceOf(Result.getOrThrow(Result.flip(readOn(sourcesOn(), unbindAgent.reads(input)))), NotFound)
})
