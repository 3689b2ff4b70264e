import type { BlockingReason } from "@carillon/core/domain"
import { expect, test } from "vitest"
import type { Standing } from "../../src/dashboard/Standing.ts"
import { type Scene, verdictOf } from "../../src/dashboard/Verdict.ts"

const standing = (reason: BlockingReason | null, more: Partial<Standing> = {}): Standing => ({
  lane_id: "cmp_1",
  campaign_id: "cmp_1",
  name: "Renewals",
  status: "active",
  agent_id: "agt_1",
  used: 5,
  demand: 12,
  most: 12,
  holds: false,
  until: null,
  ceiling: null,
  floor: 5,
  share: 20,
  waiting: 0,
  outcomes: { completed: 0, failed: 0, in_flight: 5, pending: 12, total: 17 },
  held_by: reason === null ? null : { reason, until: null },
  estimated_finish_at: null,
  ...more,
})

/** A campaign with so many contacts still to be dialled, and none in flight. */
const pending = (contacts: number) => ({ completed: 0, failed: 0, in_flight: 0, pending: contacts, total: contacts })

const scene = (more: Partial<Scene> = {}): Scene => ({
  standings: [],
  platform: { used: 5, ceiling: 1_000 },
  organization: { used: 5, ceiling: 20 },
  faults: {},
  waitingDials: 0,
  ...more,
})

const full = { used: 20, ceiling: 20 }
const empty = { used: 0, ceiling: 20 }

test.each<[string, Partial<Scene>, string, string | null]>([
  ["nothing", { organization: empty }, "Nothing is calling.", null],
  ["room", { standings: [standing(null)] }, "Nothing limits it: 5 of 20 lines in use.", null],
  [
    "the organization",
    { organization: full, standings: [standing("organization_lines_full")] },
    "The organization’s ceiling limits it: 20 of 20 lines in use.",
    "organization",
  ],
  [
    "dials that wait, without a campaign",
    { organization: full, waitingDials: 1 },
    "The organization’s ceiling limits it: 20 of 20 lines in use.",
    "organization",
  ],
  [
    "the platform, before everything below it",
    { platform: full, standings: [standing("campaign_ceiling"), standing("platform_lines_full")] },
    "The platform’s ceiling limits it: 20 of 20 lines in use.",
    "platform",
  ],
  [
    "the shares of others",
    { organization: { used: 18, ceiling: 20 }, standings: [standing("fair_share")] },
    "Fair shares limit it: 18 of 20 lines in use, the rest is kept for other campaigns.",
    "organization",
  ],
  ["the agent", { standings: [standing("agent_ceiling")] }, "The agent’s ceiling limits it.", "agent"],
  [
    "the campaign itself",
    { standings: [standing("campaign_ceiling", { used: 5, ceiling: 5 })] },
    "Renewals is at its own ceiling: 5 of 5 lines in use.",
    "campaign",
  ],
  [
    "two campaigns themselves",
    { standings: [standing("campaign_ceiling"), standing("campaign_ceiling")] },
    "2 campaigns are at their own ceilings.",
    "campaign",
  ],
  ["hours", { organization: empty, standings: [standing("outside_hours")] }, "Outside working hours.", null],
  [
    "what is broken, before what is full",
    {
      organization: full,
      faults: { telephony: { mode: "timeout" } },
      standings: [standing("organization_lines_full")],
    },
    "The telephony is not answering.",
    null,
  ],
])("%s", (_, changes, title, level) => {
  expect(verdictOf(scene(changes))).toMatchObject({ title, level })
})

test("what waits is counted, with whose it is and until when", () => {
  const until = Date.UTC(2026, 0, 6, 9)
  const closed = standing("outside_hours", {
    used: 0,
    demand: 0,
    most: 0,
    outcomes: pending(7),
    held_by: { reason: "outside_hours", until },
  })
  expect(verdictOf(scene({ organization: empty, standings: [closed] })).detail).toBe(
    "7 contacts of Renewals waiting until 2026-01-06 09:00:00 UTC.",
  )
})

test("what holds most contacts is named, whatever comes first", () => {
  const until = Date.UTC(2026, 0, 6, 9)
  const paused = standing("paused", { name: "Old", demand: 0, outcomes: pending(10) })
  const retrying = [80, 120].map((contacts, nth) =>
    standing("cooldown", { outcomes: pending(contacts), held_by: { reason: "cooldown", until: until + nth * 60_000 } }),
  )
  expect(verdictOf(scene({ organization: empty, standings: [paused, ...retrying] }))).toMatchObject({
    title: "Everybody has been dialled; retries wait for their time.",
    detail:
      "200 contacts of 2 campaigns waiting until 2026-01-06 09:00:00 UTC. 1 other campaign waits for another reason.",
  })
})
