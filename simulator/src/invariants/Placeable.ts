import {
  Assignment,
  bindingOf,
  contactId,
  goesByPriority,
  inCallOrder,
  isCallable,
  isSpent,
  Lanes,
} from "@carillon/core/domain"
import { type Batch, type ContactRow, laneOf } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import { calleeMoment } from "./CalleeMoment.ts"

/** Contacts of a lane that are looked at for one whose agent has a line; a dispatcher passes more than these over. */
const contactsLookedAt = 64

export interface PlaceableOptions {
  readonly now: () => number
  /** The fewest lines that each agent of the organization was allowed in the last minute. */
  readonly agentLimit: (organizationId: string) => number
}

/** Whether nothing but lines of their organization keeps a lane's contacts from being dialled. */
export class Placeable {
  readonly #tables: MemoryTables
  readonly #options: PlaceableOptions

  constructor(tables: MemoryTables, options: PlaceableOptions) {
    this.#tables = tables
    this.#options = options
  }

  /** Whether that is true of all contacts of a lane, as it is now; `without` is an agent whose last call is not counted. */
  everybody(organizationId: string, without: string | null): (laneId: string) => boolean {
    const { agents, batches, calls } = this.#tables
    if (!this.#isFunded(organizationId)) return () => false
    const agentLimit = this.#options.agentLimit(organizationId)
    /** Whether an agent, and whoever may stand in for it, has a line; most lanes have the same agents. */
    const haveLines = new Map<string, boolean>()
    const haveLine = (agentId: string): boolean => {
      const known = haveLines.get(agentId)
      if (known !== undefined) return known
      const lines = (agent: string) => calls.holding("agent", agent) - (agent === without ? 1 : 0)
      const have = [agentId, ...this.#challengersOf(organizationId, agentId)].every((each) => lines(each) < agentLimit)
      haveLines.set(agentId, have)
      return have
    }
    return (laneId) =>
      batches
        .unfinished(laneId)
        .every(
          (batch) =>
            agents.get(batch.agent_id)?.status === "ACTIVE" &&
            haveLine(batch.agent_id) &&
            haveLine(this.#followUpAgentOf(batch)),
        )
  }

  /** Whether that is true of one of those that come first, though others may wait for an agent that has no line. */
  somebody(organizationId: string, laneId: string): boolean {
    const { agents, batches } = this.#tables
    if (!this.#isFunded(organizationId)) return false
    if (batches.unfinished(laneId).some(({ agent_id }) => agents.get(agent_id)?.status !== "ACTIVE")) return false
    for (const row of this.#comingOf(laneId)) if (this.#hasLine(organizationId, row)) return true
    return false
  }

  #isFunded(organizationId: string): boolean {
    const organization = this.#tables.organizations.get(organizationId)
    return organization !== undefined && !isSpent(organization.wallet)
  }

  #challengersOf(organizationId: string, agentId: string): ReadonlyArray<string> {
    return this.#tables.experiments
      .rows(organizationId)
      .filter(({ main_agent_id, status }) => main_agent_id === agentId && status === "active")
      .map(({ variant_agent_id }) => variant_agent_id)
  }

  /** A follow-up may have an agent of its own, and is the campaign's otherwise. */
  #followUpAgentOf({ agent_id, campaign_id, follow_up_policy }: Batch): string {
    const campaign = campaign_id === null ? undefined : this.#tables.campaigns.get(campaign_id)
    return (follow_up_policy ?? campaign?.follow_up_policy)?.follow_up_agent_id ?? campaign?.agent_id ?? agent_id
  }

  /** The contacts of a lane that might be dialled next, in their order. */
  *#comingOf(laneId: string): Iterable<ContactRow> {
    const { batches, campaigns, contacts } = this.#tables
    const now = this.#options.now()
    const campaign = campaigns.get(laneId) ?? null
    const gate = Lanes.gateOf({ lane_id: laneId, campaign, batches: batches.unfinished(laneId) }, now)
    const open = inCallOrder(
      campaign,
      gate.open.map(({ batch_id }) => batch_id),
    )
    const touched: Array<ContactRow> = []
    const by_priority = goesByPriority(campaign)
    const { only } = calleeMoment(this.#tables, campaign, gate.open, now)
    const moment = { now, in_hours: gate.in_hours, by_priority, ...only }
    while (touched.length < contactsLookedAt) {
      const next = contacts.next(open, moment, touched, "all")
      if (next === null) return
      if (next.contact === null) {
        const { priority } = next.entry
        const rows = contacts.rows(next.batch_id, next.row, contactsLookedAt)
        // Behind those of one priority others may come that stand elsewhere.
        return yield* by_priority ? rows.filter(({ entry }) => entry.priority === priority) : rows
      }
      touched.push(next)
      yield next
    }
  }

  /** Whether the agent that a contact's first dials go to has a line, and nobody is in a call with its number. */
  #hasLine(organizationId: string, { batch_id, contact, entry, row }: ContactRow): boolean {
    const { agents, batches, calls, experiments } = this.#tables
    const batch = batches.get(batch_id)
    if (batch === undefined || contact?.status === "follow_up_scheduled") return false
    if (calls.onNumber(laneOf(batch), entry.to_number) !== undefined) return false
    const asked = { campaign_id: batch.campaign_id, agent_id: batch.agent_id }
    const setting = this.#tables.calleeHours.get(organizationId) ?? null
    if (!isCallable(bindingOf(setting, asked, entry), this.#options.now())) return false
    const experiment = experiments
      .rows(organizationId)
      .find(({ main_agent_id, status }) => main_agent_id === batch.agent_id && status === "active")
    const subject = { contact_id: contactId(batch_id, row), to_number: entry.to_number }
    const isAway = agents.get(experiment?.variant_agent_id ?? "")?.status !== "ACTIVE"
    const routed = experiment === undefined ? null : Assignment.route(experiment, !isAway, subject)
    return calls.holding("agent", routed?.agent_id ?? batch.agent_id) < this.#options.agentLimit(organizationId)
  }
}
