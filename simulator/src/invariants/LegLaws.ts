import type { DialCommand } from "@carillon/core"
import type { CarrierObserver } from "../carrier/Carrier.ts"
import type { Leg } from "../carrier/Leg.ts"
import type { Ceilings } from "./Ceilings.ts"
import type { Invariants } from "./Invariants.ts"
import { Remembered } from "./Remembered.ts"

export interface LegLawsOptions {
  readonly now: () => number
  readonly ceilings: Ceilings
  /** A call is being dialled: looks whether it holds a line. */
  readonly atDial: (executionId: string) => void
  /** Whether somebody asked to stop this call. */
  readonly stopRequested: (executionIds: ReadonlyArray<string>) => boolean
  /** How many dialled calls are remembered. */
  readonly retention: number
}

/** Counts how many are live under a key. */
class Tally {
  readonly #counts = new Map<string, number>()

  get(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, by: 1 | -1): number {
    const count = this.get(key) + by
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
    return count
  }
}

const contactOf = ({ contact_id, execution_id }: DialCommand): string => contact_id ?? execution_id

/** The laws that are judged by what the carrier really saw, never by the engine's own counters. */
export const legLaws = (invariants: Invariants, options: LegLawsOptions): CarrierObserver => {
  const { now, ceilings, atDial, stopRequested, retention } = options
  const s1 = invariants.open({
    name: "S1",
    description: "Live legs never exceed a ceiling, at any level (the highest in force in the last 60 s).",
  })
  const s8 = invariants.open({ name: "S8", description: "Nobody is hung up but by a request to stop the call." })
  const s9 = invariants.open({ name: "S9", description: "A contact, or a direct dial, never has two live legs." })
  const s10 = invariants.open({ name: "S10", description: "A dial of unknown outcome is never dialled again." })

  const live = { organization: new Tally(), agent: new Tally(), campaign: new Tally(), contact: new Tally() }
  let platform = 0
  const dialled = new Set<string>()
  const dials = new Remembered(retention)

  const within = (level: string, key: string, count: number, ceiling: number) =>
    s1(count <= ceiling, () => `${count} live legs at the ${level} level of ${key}, where ${ceiling} are allowed`)

  return {
    dialled: (command) => {
      const { execution_id } = command
      s10(!dialled.has(execution_id), () => `${execution_id} was dialled twice`)
      atDial(execution_id)
      if (dialled.has(execution_id)) return
      dialled.add(execution_id)
      const forgotten = dials.add(execution_id)
      if (forgotten !== undefined) dialled.delete(forgotten)
    },
    wentLive: ({ command }: Leg) => {
      const { organization_id, agent_id, campaign_id } = command
      const contact = contactOf(command)
      platform += 1
      const allowed = ceilings.organization(organization_id, now())
      within("platform", "the platform", platform, ceilings.platform(now()))
      within("organization", organization_id, live.organization.add(organization_id, 1), allowed.organization)
      within("agent", agent_id, live.agent.add(agent_id, 1), allowed.agent)
      if (campaign_id !== null) {
        within("campaign", campaign_id, live.campaign.add(campaign_id, 1), ceilings.campaign(campaign_id, now()))
      }
      const legs = live.contact.add(contact, 1)
      s9(legs === 1, () => `${contact} has ${legs} live legs`)
    },
    wentDown: ({ command }: Leg) => {
      platform -= 1
      live.organization.add(command.organization_id, -1)
      live.agent.add(command.agent_id, -1)
      if (command.campaign_id !== null) live.campaign.add(command.campaign_id, -1)
      live.contact.add(contactOf(command), -1)
    },
    hungUp: (leg: Leg) => {
      const ids = [leg.execution_id, leg.command.execution_id]
      s8(stopRequested(ids), () => `${leg.execution_id} was hung up though nobody asked`)
    },
  }
}
