import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  decideExperiment,
  type ExperimentCommand,
  type ExperimentDecision,
  type ExperimentStatus,
  experimentStatuses,
  experimentTransitions,
  experimentWinners,
} from "../../src/experiments/rules/ExperimentStatus.ts"

const edit = (
  status: ExperimentStatus | null,
  winner: "control" | "variant" | null = null,
  controlIsTaken = false,
): ExperimentCommand => ({ kind: "edit", status, winner, controlIsTaken })

const shown = (decision: ExperimentDecision): string => (decision.ok ? decision.to : decision.reason)

/** In the order draft, active, paused, concluded. */
const table: ReadonlyArray<readonly [name: string, command: ExperimentCommand, answers: ReadonlyArray<string>]> = [
  ["an edit without a status", edit(null), ["draft", "active", "paused", "concluded"]],
  ["to draft", edit("draft"), ["draft", "not_a_move", "not_a_move", "concluded"]],
  ["to active", edit("active"), ["active", "active", "active", "concluded"]],
  ["to paused", edit("paused"), ["not_a_move", "paused", "paused", "concluded"]],
  ["to concluded", edit("concluded", "variant"), ["concluded", "concluded", "concluded", "concluded"]],
  [
    "to concluded without a winner",
    edit("concluded"),
    ["winner_required", "winner_required", "winner_required", "winner_required"],
  ],
  [
    "a winner alone",
    edit(null, "control"),
    [
      "winner_without_concluding",
      "winner_without_concluding",
      "winner_without_concluding",
      "winner_without_concluding",
    ],
  ],
  [
    "a winner and active",
    edit("active", "control"),
    [
      "winner_without_concluding",
      "winner_without_concluding",
      "winner_without_concluding",
      "winner_without_concluding",
    ],
  ],
  [
    "to active, the control taken",
    edit("active", null, true),
    ["control_taken", "active", "control_taken", "concluded"],
  ],
  ["to paused, the control taken", edit("paused", null, true), ["not_a_move", "paused", "paused", "concluded"]],
  [
    "to concluded, the control taken",
    edit("concluded", "control", true),
    ["concluded", "concluded", "concluded", "concluded"],
  ],
  ["delete", { kind: "delete" }, ["deleted", "running", "running", "deleted"]],
]

describe("experiment status", () => {
  it.each(table)("%s", (_name, command, answers) => {
    for (const [index, status] of experimentStatuses.entries()) {
      const decision = decideExperiment(status, command)
      assert.strictEqual(shown(decision), answers[index], status)
      if (!decision.ok) assert.strictEqual(decision.status, status)
    }
  })

  it("is won by the control or the variant", () => {
    assert.deepEqual([...experimentWinners], ["control", "variant"])
  })

  it("is final once concluded", () => {
    for (const command of [
      edit(null),
      edit("concluded", "variant"),
      edit("active"),
      edit("concluded", "control", true),
    ]) {
      const decision = decideExperiment("concluded", command)
      assert.deepEqual(decision, { ok: false, reason: "concluded", status: "concluded" })
    }
  })

  it("moves along its table, and has a winner exactly when it concludes", () => {
    const command = fc.record({
      kind: fc.constant("edit" as const),
      status: fc.constantFrom(null, ...experimentStatuses),
      winner: fc.constantFrom(null, ...experimentWinners),
      controlIsTaken: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.constantFrom(...experimentStatuses), command, (status, asked) => {
        const decision = decideExperiment(status, asked)
        if (!decision.ok) return
        if (decision.to !== status) assert.include<string>(experimentTransitions[status], decision.to)
        assert.strictEqual(decision.to === "concluded", decision.winner !== null)
        assert.strictEqual(decision.winner, asked.winner)
      }),
    )
  })
})
