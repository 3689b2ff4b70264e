import { type Contender, timed } from "../Harness.ts"
import { World } from "../World.ts"

const contactsEach = 10

/**
 * Ceilings of rates and of lines are times this: so many campaigns are created at one moment as the specification's rates would not allow,
 * and the ceiling of lines is still there.
 */
const factor = 5

/** The organization's ceiling as it is in force. Also the ten contacts of a single campaign have to wait for a line. */
const lines = factor

/** So many campaigns are enough to become warm by, again and again. */
const warmCampaigns = 100

/** A round of so many campaigns, so many of them at a time. */
const calls = (campaigns: number, atATime: number) => async () => {
  const world = await World.start({ limits: `x${factor}`, mix: { completed: 1 } })
  const concurrency = { organization: lines / factor, enforced: true }
  const made = await world.ask("POST", "/_sim/organizations", { concurrency })
  const key = made.keys?.[0]?.key ?? ""
  const { agent_id } = await world.ask("POST", "/v2/agents", { display_name: "a", status: "ACTIVE" }, key)
  let serial = 10_000_000
  const round = await timed(async () => {
    for (let done = 0; done < campaigns; done += atATime) {
      for (let nth = 0; nth < atATime; nth++) {
        const contacts = Array.from({ length: contactsEach }, () => ({ to_number: `+1555${serial++}` }))
        await world.ask("POST", "/v2/campaigns", { name: "x", agent_id, contacts }, key)
      }
      await world.ask("POST", "/_sim/clock/advance", { until_idle: true })
    }
    return { operations: campaigns * contactsEach }
  })
  const { violations = [] } = await world.ask("GET", "/_sim/invariants")
  const { calls_by_status, live_peak } = await world.ask("GET", "/_sim/stats")
  await world.close()
  const isWrong = [calls_by_status?.["completed"] !== round.operations, live_peak !== lines]
  return { ...round, errors: violations.length + isWrong.filter(Boolean).length }
}

/**
 * Campaigns of ten contacts of one organization, so many at a time: what a call costs must not depend on that. It is wrong where a call was
 * not completed, or where the ceiling of lines was not reached, or exceeded.
 */
export const manyCampaigns = (atATime: number, campaigns: number): Contender => ({
  name: `${atATime.toLocaleString("en-US")} campaigns at a time`,
  round: calls(campaigns, atATime),
  warm: calls(Math.min(campaigns, warmCampaigns), Math.min(atATime, warmCampaigns)),
})
