import type { DialCommand } from "@carillon/core"
import type { Commit } from "@carillon/core/ports"
import { expect, test } from "vitest"
import type { Leg } from "../../src/carrier/Leg.ts"
import { Ceilings } from "../../src/invariants/Ceilings.ts"
import { Invariants } from "../../src/invariants/Invariants.ts"
import { legLaws } from "../../src/invariants/LegLaws.ts"
import { specifiedLimits } from "../../src/limits/LimitsMode.ts"

const platform = (concurrency: number): Commit => ({
  ...settings(1, null),
  changes: [{ put: "platform", row: { platform_id: "platform", revision: 1, concurrency } }],
})

const settings = (organization: number, per_agent: number | null, enforced = true): Commit => ({
  id: "cmt",
  organization_id: "org_1",
  expect: [],
  changes: [
    {
      put: "organization",
      row: {
        organization_id: "org_1",
        revision: 1,
        name: "",
        plan: "standard",
        rate_limit_tier: "standard",
        wallet: { balance: 1, currency: "USD" },
        concurrency: { organization, per_agent, enforced },
        webhook_secret: null,
        created_at: 0,
      },
    },
  ],
  wakeups: [],
  events: [],
  audit: [],
})

const watch = (limits: Commit = settings(2, null)) => {
  let now = 0
  let asked = false
  const invariants = new Invariants(() => now)
  const ceilings = new Ceilings(specifiedLimits)
  ceilings.observe(limits, 0)
  const laws = legLaws(invariants, {
    now: () => now,
    ceilings,
    atDial: () => {},
    stopRequested: () => asked,
    retention: 10,
  })
  return {
    laws,
    at: (moment: number, changed?: Commit) => {
      now = moment
      if (changed !== undefined) ceilings.observe(changed, now)
    },
    ask: () => {
      asked = true
    },
    broken: () => invariants.violations.map(({ name }) => name),
  }
}

const command = (execution_id: string, rest: Partial<DialCommand> = {}): DialCommand => ({
  execution_id,
  organization_id: "org_1",
  agent_id: "agt_1",
  campaign_id: null,
  contact_id: null,
  retry_count: 0,
  is_follow_up: false,
  prompt: null,
  to_number: "+12125550100",
  from_number: null,
  timeout_seconds: 30,
  record: true,
  variables: {},
  ...rest,
})

const leg = (execution_id: string, rest: Partial<DialCommand> = {}): Leg => ({
  leg_id: `leg_${execution_id}`,
  inbound: false,
  execution_id,
  command: command(execution_id, rest),
  script: { result: "completed" },
  placed_at: 0,
  timeline: null,
  draw: () => 0,
  live: true,
  ended_at: null,
  stopped_at: null,
  owed: [],
  failures: 0,
})

test("S1: one leg more than the organization, or the agent, may have", () => {
  const organization = watch(settings(2, null))
  for (const id of ["a", "b"]) organization.laws.wentLive(leg(id, { agent_id: `agt_${id}` }))
  expect(organization.broken()).toEqual([])
  organization.laws.wentLive(leg("c", { agent_id: "agt_c" }))
  expect(organization.broken()).toEqual(["S1"])

  const agent = watch(settings(5, 1))
  agent.laws.wentLive(leg("a"))
  agent.laws.wentDown(leg("a"))
  agent.laws.wentLive(leg("b"))
  expect(agent.broken()).toEqual([])
  agent.laws.wentLive(leg("c"))
  expect(agent.broken()).toEqual(["S1"])
})

test("S1: one leg more than the platform may have, whosever it is", () => {
  const { at, broken, laws } = watch(settings(1, null, false))
  at(0, platform(2))
  at(60_001)
  laws.wentLive(leg("a"))
  laws.wentLive(leg("b"))
  laws.wentDown(leg("a"))
  laws.wentLive(leg("c"))
  expect(broken()).toEqual([])
  laws.wentLive(leg("d"))
  expect(broken()).toEqual(["S1"])
})

test("S1: a lowered ceiling counts once it has stood for a minute, and stops only new legs", () => {
  const { at, broken, laws } = watch(settings(2, null))
  laws.wentLive(leg("a"))
  at(1_000, settings(1, null))
  at(61_000)
  laws.wentLive(leg("b"))
  expect(broken()).toEqual([])
  laws.wentDown(leg("b"))
  at(61_001)
  laws.wentLive(leg("c"))
  expect(new Set(broken())).toEqual(new Set(["S1"]))
})

test("S1: nothing is exceeded where nothing is enforced", () => {
  const { broken, laws } = watch(settings(1, 1, false))
  for (const id of ["a", "b", "c"]) laws.wentLive(leg(id))
  expect(broken()).toEqual([])
})

test("S8: a hang-up is asked for", () => {
  const { ask, broken, laws } = watch()
  ask()
  laws.hungUp(leg("a"))
  expect(broken()).toEqual([])
  const unasked = watch()
  unasked.laws.hungUp(leg("a"))
  expect(unasked.broken()).toEqual(["S8"])
})

test("S9: two live legs for one contact; one after the other is well", () => {
  const { broken, laws } = watch()
  laws.wentLive(leg("a", { contact_id: "con_1" }))
  laws.wentDown(leg("a", { contact_id: "con_1" }))
  laws.wentLive(leg("b", { contact_id: "con_1" }))
  expect(broken()).toEqual([])
  laws.wentLive(leg("c", { contact_id: "con_1" }))
  expect(broken()).toEqual(["S9"])
})

test("S10: a call that is dialled twice", () => {
  const { broken, laws } = watch()
  laws.dialled(command("a"), 0)
  laws.dialled(command("b"), 0)
  expect(broken()).toEqual([])
  laws.dialled(command("a"), 0)
  expect(broken()).toEqual(["S10"])
})
