import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type AgentCommand,
  type AgentStatus,
  agentStatuses,
  agentTransitions,
  canPlaceCalls,
  decideAgent,
} from "../../src/agents/rules/AgentStatus.ts"

/** What each command answers in DRAFT, ACTIVE, INACTIVE and ARCHIVED: the status after it, or the reason of its refusal. */
const table: ReadonlyArray<readonly [name: string, command: AgentCommand, answers: ReadonlyArray<string>]> = [
  ["an edit without a status", edit(["summary"], null), ["DRAFT", "active", "INACTIVE", "archived"]],
  ["exactly {status: DRAFT}", edit(["status"], "DRAFT"), ["DRAFT", "active", "not_a_move", "archived"]],
  ["exactly {status: ACTIVE}", edit(["status"], "ACTIVE"), ["ACTIVE", "active", "ACTIVE", "archived"]],
  ["exactly {status: INACTIVE}", edit(["status"], "INACTIVE"), ["INACTIVE", "INACTIVE", "INACTIVE", "archived"]],
  ["exactly {status: ARCHIVED}", edit(["status"], "ARCHIVED"), ["ARCHIVED", "active", "ARCHIVED", "archived"]],
  ["exactly {status: null}", edit(["status"], null), ["DRAFT", "active", "INACTIVE", "archived"]],
  ["DRAFT and more", edit(["status", "labels"], "DRAFT"), ["DRAFT", "active", "not_a_move", "archived"]],
  ["ACTIVE and more", edit(["status", "labels"], "ACTIVE"), ["ACTIVE", "active", "ACTIVE", "archived"]],
  ["INACTIVE and more", edit(["status", "labels"], "INACTIVE"), ["INACTIVE", "active", "INACTIVE", "archived"]],
  ["ARCHIVED and more", edit(["labels", "status"], "ARCHIVED"), ["ARCHIVED", "active", "ARCHIVED", "archived"]],
  ["deploy", { kind: "deploy" }, ["ACTIVE", "active", "ACTIVE", "archived"]],
  ["undeploy", { kind: "undeploy" }, ["INACTIVE", "INACTIVE", "INACTIVE", "archived"]],
  ["archive", { kind: "archive" }, ["ARCHIVED", "active", "ARCHIVED", "ARCHIVED"]],
]

function edit(fields: ReadonlyArray<string>, status: AgentStatus | null): AgentCommand {
  return { kind: "edit", fields, status }
}

describe("agent status", () => {
  it.each(table)("%s", (_name, command, answers) => {
    for (const [index, status] of agentStatuses.entries()) {
      const decision = decideAgent(status, command)
      assert.strictEqual(decision.ok ? decision.to : decision.reason, answers[index], status)
      if (!decision.ok) assert.strictEqual(decision.status, status)
    }
  })

  it("allows calls only while ACTIVE", () => {
    assert.deepEqual(agentStatuses.filter(canPlaceCalls), ["ACTIVE"])
  })

  it("moves only along its table, leaves ACTIVE only for INACTIVE and ARCHIVED never", () => {
    const command: fc.Arbitrary<AgentCommand> = fc.oneof(
      fc.constantFrom<AgentCommand>({ kind: "deploy" }, { kind: "undeploy" }, { kind: "archive" }),
      fc.record({
        kind: fc.constant("edit" as const),
        fields: fc.uniqueArray(fc.constantFrom("status", "summary", "labels"), { minLength: 1 }),
        status: fc.constantFrom(null, ...agentStatuses),
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...agentStatuses), fc.array(command), (first, commands) => {
        let status: AgentStatus = first
        for (const each of commands) {
          const decision = decideAgent(status, each)
          if (!decision.ok || decision.to === status) continue
          assert.include(agentTransitions[status], decision.to)
          assert.notStrictEqual(status, "ARCHIVED")
          if (status === "ACTIVE") assert.strictEqual(decision.to, "INACTIVE")
          status = decision.to
        }
      }),
    )
  })
})
