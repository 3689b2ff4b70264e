import { limits, NotFound, StateConflict } from "@carillon/core"
import type { PhoneNumber } from "@carillon/core/ports"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { callersFrom, holdersOf, numbersOf } from "../../src/engine/rules/Guards.ts"
import { put, refused, remove, write } from "../../src/engine/rules/Outcome.ts"
import { changeNumber } from "../../src/numbers/steps/ChangeNumber.ts"
import { openOrganization } from "../../src/organizations/steps/OpenOrganization.ts"
import { keptText } from "../../src/keys/rules/KeptText.ts"
import { registerNumber } from "../../src/numbers/steps/RegisterNumber.ts"
import { releaseNumber } from "../../src/numbers/steps/ReleaseNumber.ts"
import { sampleBatch, sampleCaller, sampleInboundAgent, samplePhoneNumber } from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn, replied } from "../StepInPieces.ts"

const organization_id = "org_one"
const caller = sampleCaller(organization_id)
const number: PhoneNumber = { ...samplePhoneNumber(organization_id, "+15555550101"), revision: 2 }
const { phone_number, phone_number_id } = number
const binding = { ...sampleInboundAgent(number), revision: 3 }
const at = momentAt(5_000)
const resource = { type: "phone_number", id: phone_number_id }

const refusalOf = <Refusal>(read: Result.Result<unknown, Refusal>) => Result.getOrThrow(Result.flip(read))

describe("a number is registered", () => {
  const input = { caller, phone_number, label: "Front desk", country: null }
  const others = { put: "phone_number", row: { ...number, organization_id: "org_two" } } as const

  it("where nobody has it, and joins those that have it and those of its organization", () => {
    const { expected } = Result.getOrThrow(readOn(sourcesOn(), registerNumber.reads(input)))
    assert.deepStrictEqual(expected, [
      { guard: holdersOf(phone_number), version: 0 },
      { guard: numbersOf(organization_id), version: 0 },
    ])
    const { answer, changes } = registerNumber.decide(input, undefined, at)
    const row = Result.getOrThrow(replied(answer))
    assert.deepInclude(row, { phone_number, label: "Front desk", revision: 1, created_at: 5_000 })
    assert.deepStrictEqual(draftOf(organization_id, changes ?? [], new Grounds(), at.now).changes, [
      { put: "phone_number", row },
      { put: "guard", guard: holdersOf(phone_number) },
      { put: "guard", guard: numbersOf(organization_id) },
    ])
  })

  it("neither twice, nor where another has it and the host does not let it be had by both", () => {
    const own = sourcesOn({ put: "phone_number", row: number })
    const registered = new StateConflict({ message: "This phone number is already registered." })
    assert.deepStrictEqual(refusalOf(readOn(own, registerNumber.reads(input))), registered)
    const unavailable = new StateConflict({ message: "This phone number is not available to this organization." })
    assert.deepStrictEqual(refusalOf(readOn(sourcesOn(others), registerNumber.reads(input))), unavailable)
    const lenient = { ...sourcesOn(others), ownership: { mayRegister: () => Effect.succeed(true) } }
    assert.isTrue(Result.isSuccess(readOn(lenient, registerNumber.reads(input))))
  })

  it("by the host where nobody has it, whatever it would say to a customer", () => {
    const byHost = { organization_id, phone_number, label: null, country: null }
    const strict = { ...sourcesOn(), ownership: { mayRegister: () => Effect.succeed(false) } }
    assert.isTrue(Result.isFailure(readOn(strict, registerNumber.reads(input))))
    const { expected } = Result.getOrThrow(readOn(strict, registerNumber.reads(byHost)))
    assert.deepStrictEqual(expected, [
      { guard: holdersOf(phone_number), version: 0 },
      { guard: numbersOf(organization_id), version: 0 },
    ])
    const lenient = { ...sourcesOn(others), ownership: { mayRegister: () => Effect.succeed(true) } }
    assert.instanceOf(refusalOf(readOn(lenient, registerNumber.reads(byHost))), StateConflict)
    const row = Result.getOrThrow(replied(registerNumber.decide(byHost, undefined, at).answer))
    assert.deepInclude(row, { organization_id, phone_number, revision: 1 })
  })

  it("by an organization that has room for it", () => {
    const holding = (count: number) => {
      const sources = sourcesOn()
      return { ...sources, accounts: { ...sources.accounts, numberCount: () => Effect.succeed(count) } }
    }
    const most = limits.numbersPerOrganization
    assert.isTrue(Result.isSuccess(readOn(holding(most - 1), registerNumber.reads(input))))
    assert.instanceOf(refusalOf(readOn(holding(most), registerNumber.reads(input))), StateConflict)
  })
})

describe("a number is changed", () => {
  const input = { caller, phone_number_id, details: { label: "Front desk" } }

  it("in what is said of it, and joins nothing", () => {
    const { view } = Result.getOrThrow(
      readOn(sourcesOn({ put: "phone_number", row: number }), changeNumber.reads(input)),
    )
    const change = put("phone_number", number, { ...number, label: "Front desk", updated_at: 5_000 })
    assert.deepStrictEqual(
      changeNumber.decide(input, view, at),
      write([change], { audit: [{ resource }], reply: change.row }),
    )
    const draft = draftOf(organization_id, [change], new Grounds(), at.now)
    assert.deepStrictEqual(draft.changes, [{ put: "phone_number", row: { ...change.row, revision: 3 } }])
  })

  it("by its own organization", () => {
    const unknown = new NotFound({ message: "Phone number not found." })
    assert.deepStrictEqual(refusalOf(readOn(sourcesOn(), changeNumber.reads(input))), unknown)
    const strange = sourcesOn({ put: "phone_number", row: { ...number, organization_id: "org_two" } })
    assert.deepStrictEqual(refusalOf(readOn(strange, changeNumber.reads(input))), unknown)
  })
})

describe("a number is given up", () => {
  const input = { caller, phone_number_id }
  const stored = [
    { put: "phone_number", row: number },
    { put: "inbound_agent", row: binding },
  ] as const

  it("with its binding, while nobody names it", () => {
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(...stored), releaseNumber.reads(input)))
    assert.deepStrictEqual(view, { number, binding, isCalledFrom: false })
    assert.deepInclude(expected, { guard: callersFrom(phone_number_id), version: 0 })
    assert.deepStrictEqual(
      releaseNumber.decide(input, view, at),
      write([remove("phone_number", number), remove("inbound_agent", binding)], {
        audit: [{ resource }],
        reply: undefined,
      }),
    )
    assert.deepStrictEqual(releaseNumber.decide(input, { ...view, binding: null }, at).changes, [
      remove("phone_number", number),
    ])
  })

  it("by the host, too, and of that organization only", () => {
    const byHost = { organization_id, phone_number_id }
    const { view } = Result.getOrThrow(readOn(sourcesOn(...stored), releaseNumber.reads(byHost)))
    assert.deepStrictEqual(releaseNumber.decide(byHost, view, at), releaseNumber.decide(input, view, at))
    const foreign = releaseNumber.reads({ organization_id: "org_two", phone_number_id })
    assert.instanceOf(refusalOf(readOn(sourcesOn(...stored), foreign)), NotFound)
  })

  it("not while a batch names it that may still dial", () => {
    for (const [status, isCalledFrom] of [
      ["scheduled", true],
      ["completed", false],
    ] as const) {
      const batch = sampleBatch(organization_id, { status, phone_numbers: [phone_number] })
      const sources = sourcesOn(...stored, { put: "batch", row: batch })
      const { view } = Result.getOrThrow(readOn(sources, releaseNumber.reads(input)))
      assert.strictEqual(view.isCalledFrom, isCalledFrom)
    }
    const message = "A campaign, a batch or a booked call that may still dial calls from this phone number."
    assert.deepStrictEqual(
      releaseNumber.decide(input, { number, binding, isCalledFrom: true }, at),
      refused(new StateConflict({ message })),
    )
  })
})

describe("an organization is opened", () => {
  const opening = (...phone_numbers: ReadonlyArray<string>) => ({
    organization_id: "org_new",
    request: { name: "New", phone_numbers },
    webhook_secret: null,
    kept: keptText("gat_text"),
  })
  const others = { put: "phone_number", row: number } as const
  const free = "+15555550102"

  it("with numbers that nobody has, and rests on that", () => {
    const { expected } = Result.getOrThrow(readOn(sourcesOn(), openOrganization.reads(opening(phone_number, free))))
    assert.deepStrictEqual(expected, [
      { guard: holdersOf(phone_number), version: 0 },
      { guard: holdersOf(free), version: 0 },
    ])
  })

  it("not with one that another has, unless the host lets both have it", () => {
    const input = opening(free, phone_number)
    const denied = new StateConflict({ message: "phone_numbers[1] is not available to this organization." })
    assert.deepStrictEqual(refusalOf(readOn(sourcesOn(others), openOrganization.reads(input))), denied)
    const lenient = { ...sourcesOn(others), ownership: { mayRegister: () => Effect.succeed(true) } }
    assert.isTrue(Result.isSuccess(readOn(lenient, openOrganization.reads(input))))
  })

  it("with numbers that nobody has, whatever the host would say to a customer", () => {
    const strict = { ...sourcesOn(), ownership: { mayRegister: () => Effect.succeed(false) } }
    assert.isTrue(Result.isSuccess(readOn(strict, openOrganization.reads(opening(phone_number)))))
  })
})
