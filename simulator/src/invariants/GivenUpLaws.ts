import type { CallStatus } from "@carillon/core"
import type { Change, Commit } from "@carillon/core/ports"
import type { MemoryTables } from "@carillon/core/memory"
import type { Invariants } from "./Invariants.ts"

/** What may still dial without being revived. */
const openCampaigns = ["created", "active", "paused"] as const
const openBatches = ["created", "scheduled", "in_progress", "dispatched", "paused"] as const
const bookedCalls: ReadonlySet<CallStatus> = new Set<CallStatus>(["scheduled", "rescheduled"])

const everything = { page: 1, page_size: Number.MAX_SAFE_INTEGER }

interface Named {
  readonly organization_id: string
  readonly phone_number: string
}

/** The laws of numbers that are given up: folded over every commit, judged where one is. Returns the observer of commits. */
export const givenUpLaws = (
  invariants: Invariants,
  tables: Pick<MemoryTables, "batches" | "calls" | "campaigns" | "inboundAgents" | "phoneNumbers">,
): ((commit: Pick<Commit, "changes">) => void) => {
  const s18 = invariants.open({
    name: "S18",
    description: "No phone number is given up while a campaign, a batch or a booked call names it that may still dial.",
  })
  const s20 = invariants.open({ name: "S20", description: "No agent answers a phone number that was given up." })
  const numbers = new Map<string, Named>()

  /** What names the number and may still dial, or undefined. */
  const namedBy = ({ organization_id, phone_number }: Named): string | undefined => {
    for (const status of openCampaigns) {
      const { items } = tables.campaigns.page(organization_id, [["status", status]], everything)
      const found = items.find(({ phone_numbers }) => phone_numbers?.includes(phone_number))
      if (found !== undefined) return `${found.campaign_id}, which is ${status},`
    }
    for (const status of openBatches) {
      const { items } = tables.batches.page(organization_id, { status }, everything)
      const found = items.find(({ phone_numbers }) => phone_numbers?.includes(phone_number))
      if (found !== undefined) return `${found.batch_id}, which is ${status},`
    }
    const filter = { statuses: bookedCalls, from_number: phone_number }
    const call = tables.calls.page(organization_id, filter, everything).items[0]
    return call === undefined ? undefined : `${call.execution_id}, which is ${call.status},`
  }

  const observe = (change: Change) => {
    if (change.put === "phone_number") {
      const { organization_id, phone_number, phone_number_id } = change.row
      numbers.set(phone_number_id, { organization_id, phone_number })
    }
    if (change.put === "inbound_agent") {
      const { inbound_agent_id, phone_number_id } = change.row
      const isThere = tables.phoneNumbers.get(phone_number_id) !== undefined
      s20(isThere, () => `${inbound_agent_id} answers ${phone_number_id}, which was given up`)
    }
    if (change.put !== "removal" || change.kind !== "phone_number") return
    const bound = tables.inboundAgents.rows(change.organization_id).find((each) => each.phone_number_id === change.id)
    s20(bound === undefined, () => `${change.id} was given up, and ${bound?.inbound_agent_id} answers it`)
    const number = numbers.get(change.id)
    numbers.delete(change.id)
    if (number === undefined) return
    const by = namedBy(number)
    s18(by === undefined, () => `${number.phone_number} was given up, and ${by} calls from it`)
  }

  return ({ changes }) => changes.forEach(observe)
}
