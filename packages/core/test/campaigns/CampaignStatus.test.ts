import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  campaignAfter,
  type CampaignCommand,
  type CampaignOccurrence,
  type CampaignStatus,
  campaignStatuses,
  decideCampaign,
} from "../../src/campaigns/rules/CampaignStatus.ts"

const edit = (changesAgent: boolean, endTimeMs: number | null): CampaignCommand => ({
  kind: "edit",
  changesAgent,
  endTimeMs,
  nowMs: 1000,
})

/** The answers in the order created, active, paused, completed, cancelled, expired, archived. */
const commands: ReadonlyArray<readonly [name: string, command: CampaignCommand, answers: ReadonlyArray<string>]> = [
  ["pause", { kind: "pause" }, ["paused", "paused", "paused", "ended", "ended", "ended", "ended"]],
  ["resume", { kind: "resume" }, ["created", "active", "active", "ended", "ended", "ended", "ended"]],
  ["cancel", { kind: "cancel" }, ["cancelled", "cancelled", "cancelled", "ended", "ended", "ended", "ended"]],
  [
    "revive",
    { kind: "revive" },
    ["still_running", "still_running", "still_running", "active", "active", "active", "archived"],
  ],
  [
    "delete with every batch finished",
    { kind: "delete", unfinishedBatches: 0 },
    ["archived", "archived", "archived", "archived", "archived", "archived", "archived"],
  ],
  [
    "delete with a batch unfinished",
    { kind: "delete", unfinishedBatches: 1 },
    [
      "batches_unfinished",
      "batches_unfinished",
      "batches_unfinished",
      "batches_unfinished",
      "batches_unfinished",
      "batches_unfinished",
      "archived",
    ],
  ],
  [
    "edit, the end still to come",
    edit(false, 1001),
    ["created", "active", "paused", "completed", "not_editable", "active", "not_editable"],
  ],
  [
    "edit, no end",
    edit(false, null),
    ["created", "active", "paused", "completed", "not_editable", "active", "not_editable"],
  ],
  [
    "edit, the end reached",
    edit(false, 1000),
    ["created", "active", "paused", "completed", "not_editable", "expired", "not_editable"],
  ],
  [
    "edit of the agent",
    edit(true, 1001),
    ["created", "agent_in_use", "paused", "agent_in_use", "not_editable", "agent_in_use", "not_editable"],
  ],
]

const occurrences: ReadonlyArray<
  readonly [name: string, occurrence: CampaignOccurrence, after: ReadonlyArray<string>]
> = [
  [
    "its first batch dials",
    { kind: "batch_dials" },
    ["active", "active", "paused", "completed", "cancelled", "expired", "archived"],
  ],
  [
    "its end passes",
    { kind: "end_time_passes", contacts: 1 },
    ["expired", "expired", "paused", "completed", "cancelled", "expired", "archived"],
  ],
  [
    "its end passes and it never had a contact",
    { kind: "end_time_passes", contacts: 0 },
    ["created", "expired", "paused", "completed", "cancelled", "expired", "archived"],
  ],
  [
    "its work is done",
    { kind: "work_changes", contacts: 1, unfinishedBatches: 0, pendingAttempts: 0 },
    ["completed", "completed", "paused", "completed", "cancelled", "expired", "archived"],
  ],
  [
    "it has no contacts",
    { kind: "work_changes", contacts: 0, unfinishedBatches: 0, pendingAttempts: 0 },
    [...campaignStatuses],
  ],
  [
    "a batch is unfinished",
    { kind: "work_changes", contacts: 1, unfinishedBatches: 1, pendingAttempts: 0 },
    [...campaignStatuses],
  ],
  [
    "a retry is pending",
    { kind: "work_changes", contacts: 1, unfinishedBatches: 0, pendingAttempts: 1 },
    [...campaignStatuses],
  ],
]

describe("campaign commands", () => {
  it.each(commands)("%s", (_name, command, answers) => {
    for (const [index, status] of campaignStatuses.entries()) {
      const decision = decideCampaign(status, command)
      assert.strictEqual(decision.ok ? decision.to : decision.reason, answers[index], status)
      if (!decision.ok) assert.strictEqual(decision.status, status)
    }
  })
})

describe("campaign occurrences", () => {
  it.each(occurrences)("%s", (_name, occurrence, after) => {
    for (const [index, status] of campaignStatuses.entries()) {
      assert.strictEqual(campaignAfter(status, occurrence), after[index], status)
    }
  })
})

describe("a campaign's life", () => {
  const command: fc.Arbitrary<CampaignCommand> = fc.oneof(
    fc.constantFrom<CampaignCommand>({ kind: "pause" }, { kind: "resume" }, { kind: "cancel" }, { kind: "revive" }),
    fc.record({ kind: fc.constant("delete" as const), unfinishedBatches: fc.nat({ max: 2 }) }),
    fc.record({
      kind: fc.constant("edit" as const),
      changesAgent: fc.boolean(),
      endTimeMs: fc.option(fc.nat({ max: 9 })),
      nowMs: fc.nat({ max: 9 }),
    }),
  )
  const occurrence: fc.Arbitrary<CampaignOccurrence> = fc.oneof(
    fc.constant<CampaignOccurrence>({ kind: "batch_dials" }),
    fc.record({ kind: fc.constant("end_time_passes" as const), contacts: fc.nat({ max: 1 }) }),
    fc.record({
      kind: fc.constant("work_changes" as const),
      contacts: fc.nat({ max: 1 }),
      unfinishedBatches: fc.nat({ max: 1 }),
      pendingAttempts: fc.nat({ max: 1 }),
    }),
  )
  const step = fc.oneof(
    command.map((each) => ({ command: each, occurrence: null })),
    occurrence.map((each) => ({ command: null, occurrence: each })),
  )

  it("never leaves archived, returns from its other ends only by revive or a later end, and from a pause only by command", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let status: CampaignStatus = "created"
        for (const each of steps) {
          const before: CampaignStatus = status
          if (each.occurrence !== null) status = campaignAfter(status, each.occurrence)
          if (each.command !== null) {
            const decision = decideCampaign(status, each.command)
            if (decision.ok) status = decision.to
          }
          if (status === before) continue
          assert.notStrictEqual(before, "archived")
          assert.notStrictEqual(status, "created")
          const hasEnded = ["completed", "cancelled", "expired"].includes(before)
          if (hasEnded) assert.include(["revive", "delete", "edit"], each.command?.kind)
          if (each.command?.kind === "edit") assert.deepEqual([before, status], ["expired", "active"])
          if (before === "paused") assert.isNotNull(each.command)
        }
      }),
      { numRuns: 500 },
    )
  })

  it("repeats a pause, a resume and a delete without harm", () => {
    for (const status of campaignStatuses) {
      for (const kind of ["pause", "resume"] as const) {
        const once = decideCampaign(status, { kind })
        if (once.ok) assert.deepEqual(decideCampaign(once.to, { kind }), once)
      }
      const deleted = decideCampaign(status, { kind: "delete", unfinishedBatches: 0 })
      assert.deepEqual(deleted, { ok: true, to: "archived" })
      assert.deepEqual(decideCampaign("archived", { kind: "delete", unfinishedBatches: 0 }), deleted)
    }
  })
})
