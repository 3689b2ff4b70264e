import { expect, it } from "vitest"
import { fileDice } from "../../../scripts/dice.ts"
import { campaignDay } from "../../src/fleet/CampaignDay.ts"
import { tenantsFor } from "../../src/fleet/Day.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { processDrained, processKilled, redisFlushed } from "../../src/fleet/Trial.ts"

const lines = 8
/** A fleet starts five processes: on a machine that is busy with other tests, that alone takes a while. */
const timeout = 600_000
const pace = { ringMs: [20, 60], talkMs: [100, 500], swallowsOneIn: 0, finalMs: [0, 100] } as const
/** How soon the lines are used again is a figure of the benchmark, so nobody waits for it. */
const options = { lines, warmUpMs: 2_000, steadyMs: 100, patienceMs: 3_000, say: () => undefined }
const faultless = { lostContacts: 0, doubleDials: 0, leakedLines: 0, violations: [] }
const dice = fileDice()
const open = () => Fleet.open({ engines: 3, platform: lines, tenants: tenantsFor(lines), pace })
const fleet = await open()

// The whole day, with a hundred kills and with PostgreSQL and Redis killed too, is `npm run bench -- kill`.
if (typeof fleet === "string") it(`cannot be run: a fleet of processes (${fleet})`, ({ skip }) => skip())
else {
  it(
    "processes that are killed or drained, and a Redis that forgets everything, neither lose a contact nor dial one twice nor leak a line",
    { timeout },
    async () => {
      const { verdict } = await campaignDay(fleet, {
        ...options,
        trials: [processKilled, redisFlushed, processDrained],
        random: dice.unit,
      })
      expect(verdict).toMatchObject(faultless)
      expect(verdict.calls).toBeGreaterThan(0)
    },
  )

  it(
    "a day on which nothing fails comes to its end: nobody heals what a step has overlooked",
    { timeout },
    async () => {
      const undisturbed = await open()
      if (typeof undisturbed === "string") throw new Error(undisturbed)
      const { verdict } = await campaignDay(undisturbed, {
        ...options,
        warmUpMs: 4_000,
        trials: [],
        random: dice.unit,
      })
      expect(verdict).toMatchObject(faultless)
      expect(verdict.calls).toBeGreaterThan(0)
    },
  )
}
