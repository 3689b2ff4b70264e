import { type Contender, timed } from "../Harness.ts"
import { World } from "../World.ts"

const contactsEach = 10

/** Campaigns of ten contacts of one organization on twenty lines: what a call costs must not depend on how many there are. */
export const manyCampaigns = (campaigns: number, calls: number): Contender => ({
  name: `${campaigns.toLocaleString("en-US")} campaigns at a time`,
  round: async () => {
    const world = await World.start({ limits: "off", mix: { completed: 1 } })
    const made = await world.ask("POST", "/_sim/organizations", { concurrency: { organization: 20, enforced: true } })
    const key = made.keys?.[0]?.key ?? ""
    const { agent_id } = await world.ask("POST", "/v2/agents", { display_name: "a", status: "ACTIVE" }, key)
    let serial = 10_000_000
    const round = await timed(async () => {
      for (let done = 0; done < calls; done += campaigns * contactsEach) {
        for (let nth = 0; nth < campaigns; nth++) {
          const contacts = Array.from({ length: contactsEach }, () => ({ to_number: `+1555${serial++}` }))
          await world.ask("POST", "/v2/campaigns", { name: "x", agent_id, contacts }, key)
        }
        await world.ask("POST", "/_sim/clock/advance", { until_idle: true })
      }
      const { violations = [] } = await world.ask("GET", "/_sim/invariants")
      return { operations: calls, errors: violations.length }
    })
    await world.close()
    return round
  },
})
