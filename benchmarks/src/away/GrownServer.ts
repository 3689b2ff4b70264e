import { type Round, timed } from "../Harness.ts"
import { World } from "../World.ts"
import { given, serve } from "./Home.ts"

/** Enough that none of these calls is forgotten. */
const retention = 1_000_000
const limits = "x20"
const campaignsPerThousand = 10

const [calls = 0, callsPerRound = 0] = given()

/** A world with a customer whose campaigns have no retries: a contact is a call. */
const world = await World.start({ limits, retention, mix: { completed: 1 } })
const made = await world.ask("POST", "/_sim/organizations", { concurrency: { organization: 5, enforced: true } })
const key = made.keys?.[0]?.key ?? ""
const { agent_id } = await world.ask("POST", "/v2/agents", { display_name: "a", status: "ACTIVE" }, key)
await world.ask("POST", "/v2/webhooks", { callback_url: "https://o.inbox.test/", secret: "s".repeat(32) }, key)

let serial = 10_000_000

const dial = async (count: number): Promise<void> => {
  const each = Math.ceil(count / Math.max(1, Math.round((count / 1_000) * campaignsPerThousand)))
  for (let done = 0; done < count; done += each) {
    const contacts = Array.from({ length: Math.min(each, count - done) }, () => ({ to_number: `+1555${serial++}` }))
    await world.ask("POST", "/v2/campaigns", { name: "x", agent_id, contacts }, key)
  }
  await world.ask("POST", "/_sim/clock/advance", { until_idle: true })
}

let placed = 0

const round = async (): Promise<Round> => {
  const measured = await timed(async () => {
    await dial(callsPerRound)
    return { operations: callsPerRound }
  })
  placed += callsPerRound
  const { calls_by_status } = await world.ask("GET", "/_sim/stats")
  const { violations = [] } = await world.ask("GET", "/_sim/invariants")
  const isLost = calls_by_status?.["completed"] !== placed
  return { ...measured, errors: violations.length + (isLost ? 1 : 0) }
}

while (placed < calls) {
  await dial(callsPerRound)
  placed += callsPerRound
}

serve(round)
