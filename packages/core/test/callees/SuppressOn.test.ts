import { assert, describe, it } from "@effect/vitest"
import { type EngineError, Engine, InvalidField, limits, NotFound, Suppressions } from "@carillon/core"
import type { SuppressOn } from "@carillon/core/domain"
import type { Callee } from "@carillon/core/ports"
import { Effect } from "effect"
import { suppressed, unknownCallee } from "../../src/callees/rules/Suppression.ts"
import { personOf, suppressedAtEnd } from "../../src/callees/rules/SuppressOn.ts"
import { sampleCall, sampleEpoch, sampleSuppression } from "../../src/testing/Samples.ts"
import { type Campaigning, campaigning, contactsOf, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, organizationId, type World } from "../../src/testing/world/World.ts"
import { everywhere, interrupted } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const rule = (changes: Partial<SuppressOn>): SuppressOn => ({
  agent_id: null,
  campaign_id: null,
  outcomes: [],
  hangup_reasons: [],
  extracted: [],
  suppress_for: "organization",
  days: null,
  reason: null,
  ...changes,
})

const optedOut = rule({ extracted: [{ field: "opt_out", equals: [true, "Yes"] }], reason: "opt_out" })

const settle = (world: World, ...rules: ReadonlyArray<SuppressOn>) =>
  world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.setSuppressOn(caller, rules)))

const knownOf = (world: World, toNumber: string): Callee | null => world.tables.callees.find(organizationId, toNumber)

const analyse = (world: World, executionId: string, extracted_data: { readonly [field: string]: string | boolean }) =>
  world.run(
    Effect.flatMap(Engine, (engine) =>
      engine.report({
        type: "analysis",
        execution_id: executionId,
        at: world.now,
        call_sid: null,
        analysis: { summary: null, sentiment: null, extracted_data },
      }),
    ),
  )

describe("a rule that suppresses at the end of a call", () => {
  const before = sampleCall(organizationId, { status: "in-progress", agent_id: "agt_one", campaign_id: "cmp_one" })
  const over = { ...before, status: "completed", final_report_at: sampleEpoch } as const
  const nobody = unknownCallee(organizationId, before.to_number)
  const after = (rules: ReadonlyArray<SuppressOn>, changes: object = {}, was: object = before) =>
    suppressedAtEnd(
      nobody,
      rules,
      { before: { ...before, ...was }, after: { ...over, ...changes }, askedFor: "agt_asked" },
      sampleEpoch,
    )

  it("holds by status, reason and value, of each list that is there by one entry", () => {
    const both = rule({ outcomes: ["busy", "completed"], hangup_reasons: ["user_hangup"] })
    assert.strictEqual(after([both]), nobody)
    assert.lengthOf(after([both], { hangup_reason: "user_hangup" }).suppressions, 1)
    assert.strictEqual(after([both], { hangup_reason: "user_hangup", status: "failed" }), nobody)
    for (const value of [true, "yes", " YES "]) {
      assert.lengthOf(after([optedOut], { extracted_data: { opt_out: value } }).suppressions, 1, String(value))
    }
    for (const extracted_data of [null, {}, { opt_out: false }, { opt_out: "no" }, { opt_out: ["yes"] }]) {
      assert.strictEqual(after([optedOut], { extracted_data }), nobody)
    }
  })

  it("holds once, when all is known, and not while the leg may go on", () => {
    const completed = rule({ outcomes: ["completed"] })
    assert.strictEqual(after([completed], { final_report_at: null }), nobody)
    assert.strictEqual(after([completed], {}, over), nobody)
    assert.lengthOf(after([completed], {}, { ...over, final_report_at: null }).suppressions, 1)
  })

  it("looks at the calls of its agent or campaign alone, the agent that was asked for among them", () => {
    const of = (changes: Partial<SuppressOn>) => after([rule({ outcomes: ["completed"], ...changes })]).suppressions
    assert.lengthOf(of({ agent_id: "agt_one" }), 1)
    assert.lengthOf(of({ agent_id: "agt_asked" }), 1)
    assert.lengthOf(of({ agent_id: "agt_other" }), 0)
    assert.lengthOf(of({ campaign_id: "cmp_one" }), 1)
    assert.lengthOf(of({ campaign_id: "cmp_other" }), 0)
  })

  it("suppresses for all, for the agent that was asked for, or for the campaign of the call, for so many days", () => {
    const ended = (changes: Partial<SuppressOn>, call: object = {}) =>
      after([rule({ outcomes: ["completed"], ...changes })], call).suppressions.map(
        ({ agent_id, campaign_id, expires_at }) => [agent_id, campaign_id, expires_at],
      )
    assert.deepStrictEqual(ended({ days: 2 }), [[null, null, sampleEpoch + 2 * day]])
    assert.deepStrictEqual(ended({ suppress_for: "agent" }), [["agt_asked", null, null]])
    assert.deepStrictEqual(ended({ suppress_for: "campaign" }), [[null, "cmp_one", null]])
    assert.deepStrictEqual(ended({ suppress_for: "campaign" }, { campaign_id: null }), [])
  })

  it("suppresses for all where the number has no room for more", () => {
    let full = nobody
    for (let nth = 0; nth < limits.suppressionsPerNumber; nth++) {
      full = suppressed(full, sampleSuppression({ agent_id: `agt_${nth}` }), sampleEpoch).callee
    }
    const rules = [rule({ outcomes: ["completed"], suppress_for: "agent" })]
    const { suppressions } = suppressedAtEnd(full, rules, { before, after: over, askedFor: "agt_asked" }, sampleEpoch)
    assert.deepInclude(suppressions.at(-1), { agent_id: null, campaign_id: null })
  })

  it("is about the person, whoever called", () => {
    const call = { ...before, to_number: "+15551110000", from_number: "+15552220000" }
    assert.strictEqual(personOf(call), "+15551110000")
    assert.strictEqual(personOf({ ...call, direction: "inbound" }), "+15552220000")
    assert.strictEqual(personOf({ ...call, direction: "inbound", from_number: "anonymous" }), null)
  })
})

describe("a call that ends as a rule says", () => {
  it.effect("suppresses its number in the commit of the report, and nobody is retried, followed up or called", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ to_number }) => ending(to_number === numberOf(0) ? "busy" : "completed"))
      yield* settle(test.world, rule({ outcomes: ["busy"], reason: "busy_once" }))
      const { campaign_id } = yield* test.create(contactsOf(2), {
        retry_policy: { max_retries: 3, respect_working_hours: false },
      })
      yield* test.world.advance(day)
      assert.strictEqual(test.world.dials.length, 2)
      const call = test.world.calls().find(({ to_number }) => to_number === numberOf(0))
      const commit = test.world.commits.find(({ changes }) => changes.some(({ put }) => put === "callee"))
      assert.isTrue(commit?.changes.some((each) => each.put === "call" && each.row.final_report_at !== null))
      assert.deepInclude(knownOf(test.world, numberOf(0))?.suppressions[0], {
        reason: "busy_once",
        source: call?.execution_id ?? "",
      })
      assert.isNull(knownOf(test.world, numberOf(1)))
      assert.deepStrictEqual(
        (yield* test.contacts(campaign_id)).map(({ skip_reason, status }) => [status, skip_reason]),
        [
          ["skipped", "suppressed"],
          ["completed", null],
        ],
      )
    }),
  )

  it.effect("suppresses it when the analysis comes, before the last word of the carrier or after it", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      yield* settle(test.world, optedOut)
      yield* test.create(contactsOf(2))
      yield* test.world.advance(10_000)
      const [first, second] = test.world.calls()
      yield* analyse(test.world, first?.execution_id ?? "", { opt_out: "yes" })
      assert.isNull(knownOf(test.world, first?.to_number ?? ""))
      yield* test.world.advance(minute)
      assert.lengthOf(knownOf(test.world, first?.to_number ?? "")?.suppressions ?? [], 1)
      assert.isNull(knownOf(test.world, second?.to_number ?? ""))
      yield* analyse(test.world, second?.execution_id ?? "", { opt_out: true })
      assert.lengthOf(knownOf(test.world, second?.to_number ?? "")?.suppressions ?? [], 1)
      // The same word once more changes nothing, also where somebody has taken the suppression back meanwhile.
      const none = { agent_id: null, campaign_id: null }
      yield* test.world.run(
        Effect.flatMap(Suppressions, (suppressions) => suppressions.remove(caller, [second?.to_number ?? ""], none)),
      )
      yield* analyse(test.world, second?.execution_id ?? "", { opt_out: true })
      assert.lengthOf(knownOf(test.world, second?.to_number ?? "")?.suppressions ?? [], 0)
    }),
  )

  it.effect("keeps what somebody else says of the number at that moment", () =>
    Effect.gen(function* () {
      const also = ({ world }: Campaigning) =>
        Effect.orDie(
          world.run(
            Effect.flatMap(Suppressions, (suppressions) =>
              suppressions.add(caller, [numberOf(0)], {
                ...{ agent_id: agentId, campaign_id: null, expires_at: null },
                ...{ reason: null, source: null, note: null },
              }),
            ),
          ),
        )
      const operations = yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          const { arm, count, test } = yield* interrupted(nth, () => ending("completed"), also)
          yield* Effect.orDie(settle(test.world, optedOut))
          yield* Effect.orDie(test.world.placed({ to_number: numberOf(0) }))
          yield* test.world.advance(minute)
          arm()
          yield* Effect.orDie(analyse(test.world, test.world.calls()[0]?.execution_id ?? "", { opt_out: "yes" }))
          const operations = count()
          if (nth < operations) assert.lengthOf(knownOf(test.world, numberOf(0))?.suppressions ?? [], 2, `${nth}`)
          return operations
        }),
      )
      assert.isAbove(operations, 3)
    }),
  )
})

describe("the rules of an organization", () => {
  const refusal = (rules: Effect.Effect<unknown, EngineError>) => Effect.flip(rules)

  it.effect("are replaced whole, recorded, and read", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => ending("completed"))
      yield* settle(world, optedOut, rule({ outcomes: ["busy"], agent_id: agentId }))
      yield* settle(world, optedOut)
      const read = world.run(Effect.flatMap(Suppressions, (suppressions) => suppressions.suppressOn(organizationId)))
      assert.deepStrictEqual(yield* read, [optedOut])
      const recorded = world.commits.flatMap(({ audit }) => audit.map(({ action, details }) => [action, details]))
      assert.deepStrictEqual(recorded, [
        ["suppression.update", { rules: 2 }],
        ["suppression.update", { rules: 1 }],
      ])
    }),
  )

  it.effect("are refused where they name nobody, ask for nothing, or are too many", () =>
    Effect.gen(function* () {
      const { world } = yield* campaigning(() => ending("completed"))
      assert.instanceOf(yield* refusal(settle(world, rule({}))), InvalidField)
      const many = Array.from({ length: limits.suppressOnRules + 1 }, () => optedOut)
      assert.instanceOf(yield* refusal(settle(world, ...many)), InvalidField)
      const busy = { outcomes: ["busy"] } as const
      const both = rule({ ...busy, agent_id: agentId, campaign_id: "cmp_none" })
      assert.instanceOf(yield* refusal(settle(world, both)), InvalidField)
      assert.instanceOf(yield* refusal(settle(world, rule({ ...busy, agent_id: "agt_none" }))), NotFound)
      assert.instanceOf(yield* refusal(settle(world, rule({ ...busy, campaign_id: "cmp_none" }))), NotFound)
    }),
  )
})
