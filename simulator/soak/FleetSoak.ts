import { isTerminal } from "@carillon/core/domain"
import { Dice } from "./Dice.ts"
import { Fleet } from "./Fleet.ts"

/** What the days of one fleet came to. */
export interface FleetReport {
  readonly seed: number
  readonly calls: number
  /** The most legs that were live at once. */
  readonly peak: number
  readonly kills: number
  readonly pauses: number
  /** Violated invariants, lines still held, calls and contacts without an end, requests without an answer. */
  readonly faults: ReadonlyArray<string>
  /** What every call came to: two runs of a seed agree. */
  readonly outcome: ReadonlyArray<string>
}

const hourMs = 3_600_000
const quietHoursMax = 400

const numberOf = (nth: number): string => `+1555${String(1_000_000 + nth)}`

/** What happens to the processes of a fleet. */
export interface Hardships {
  /** They are killed, and stand still for longer than a lease, at any step. */
  readonly accidents: boolean
  /** They lose the processor to one another in the middle of their work. */
  readonly stutter: boolean
}

/**
 * Who decides on lines goes by a picture that is a moment old, and S5 is judged by the rows as they are when the call is written. Where others
 * have the processor in between, a call that ends there makes a borrower of somebody who was none.
 */
const isOvertaken = ({ name }: { readonly name: string }): boolean => name === "S5"

/** Campaigns and direct dials on three processes that share a world, and are then left alone. */
export const soakFleet = async (seed: number, { accidents, stutter }: Hardships): Promise<FleetReport> => {
  const dice = new Dice(seed)
  const lines = 1 + dice.upTo(8)
  const fleet = await Fleet.open(seed, dice, { processes: 3, lines, stutter: stutter ? 0.4 : 0 })
  const { demo, world } = fleet
  let kills = 0
  let pauses = 0
  let asked = 0
  let numbers = 0
  const ask = async (target: string, body: object) => {
    asked += 1
    await fleet.ask("POST", target, body)
  }
  const contactsOf = (count: number) => Array.from({ length: count }, () => ({ to_number: numberOf(numbers++) }))
  const campaigns = 2 + dice.upTo(3)
  for (let nth = 0; nth < campaigns; nth++) {
    await ask("/v2/campaigns", {
      name: `Campaign ${nth}`,
      agent_id: demo.agent_id,
      contacts: contactsOf(10 + dice.upTo(30)),
    })
  }
  for (let step = 0; step < 60; step++) {
    if (dice.happens(0.4)) await ask("/v2/calls", { agent_id: demo.agent_id, to_number: numberOf(numbers++) })
    if (accidents && dice.happens(0.15)) {
      kills += 1
      await fleet.kill(dice.upTo(dice.oneOf([0, 10, 100])))
    }
    if (accidents && dice.happens(0.15)) {
      pauses += 1
      await fleet.pause(dice.upTo(dice.oneOf([0, 10, 100])))
    }
    await fleet.advance(dice.upTo(dice.oneOf([100, 5_000, 30_000])))
  }
  const faults: Array<string> = []
  for (let hour = 0; hour < quietHoursMax && !fleet.isIdle; hour++) await fleet.advance(hourMs)
  if (!fleet.isIdle) faults.push("it does not come to rest")
  await fleet.advance(120_000)
  const everything = { page: 1, page_size: 100_000 }
  const calls = world.tables.calls.page(demo.organization_id, {}, everything).items
  for (const call of calls) {
    if (!isTerminal(call.status)) faults.push(`${call.execution_id} is ${call.status} at the end`)
  }
  for (const batch of world.tables.batches.page(demo.organization_id, {}, everything).items) {
    if (batch.status !== "completed") faults.push(`${batch.batch_id} is ${batch.status} at the end`)
  }
  for (const [organization, held] of world.lines.held()) faults.push(`${held} lines of ${organization} are still held`)
  const answered = [...fleet.answers.values()].reduce((sum, count) => sum + count, 0)
  if (answered !== asked) faults.push(`${asked - answered} requests were never answered`)
  for (const violation of world.invariants.violations) {
    if (!stutter || !isOvertaken(violation)) faults.push(JSON.stringify(violation))
  }
  const outcome = calls.map(({ execution_id, status, created_at, completed_at }) =>
    [execution_id, status, created_at, completed_at].join(" "),
  )
  return { seed, calls: calls.length, peak: world.carrier.peak, kills, pauses, faults, outcome }
}
