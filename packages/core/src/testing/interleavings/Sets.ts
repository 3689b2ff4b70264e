import { knowledgeBasesOf } from "../../agents/rules/AgentKnowledge.ts"
import { isFinishedBatch } from "../../batches/rules/BatchStatus.ts"
import { hasEnded } from "../../campaigns/rules/CampaignStatus.ts"
import type { Change, Commit } from "../../engine/rules/Commit.ts"
import {
  batchesOf,
  callersFrom,
  contactsOf,
  type Guard,
  guardName,
  holdersOf,
  knowledgeUsersOf,
  numbersOf,
  subscriptionsOf,
} from "../../engine/rules/Guards.ts"
import { putId, type RowKind, type Rows } from "../../Rows.ts"
import type { RowsByKind } from "../RowsByKind.ts"
import type { Violation } from "./Laws.ts"

const mustRaise = "who joins a set raises its guard"
const mustExpect = "who decides by a set expects its guard"

/** The laws of how a commit treats sets, whatever comes of it. */
export const setLaws: ReadonlySet<string> = new Set([mustRaise, mustExpect])

/** A set that a row belongs to, and as what: an agent uses each of its knowledge bases. */
interface Membership {
  readonly guard: Guard
  readonly as?: string
}

/** The callers from those numbers of an organization that are registered. */
const callers = (rows: RowsByKind, organizationId: string, numbers: ReadonlyArray<string> | null) =>
  [...rows.of("phone_number").values()]
    .filter((each) => each.organization_id === organizationId && numbers?.includes(each.phone_number))
    .map(({ phone_number_id }): Membership => ({ guard: callersFrom(phone_number_id) }))

/** The sets that a row belongs to, by the rows around it. A kind that is not named belongs to none. */
const memberships: { readonly [K in RowKind]?: (row: Rows[K], rows: RowsByKind) => ReadonlyArray<Membership> } = {
  agent: (row) =>
    row.status === "ARCHIVED"
      ? []
      : knowledgeBasesOf(row).map((name) => ({ guard: knowledgeUsersOf(row.organization_id), as: name })),
  campaign: (row, rows) => (hasEnded(row) ? [] : callers(rows, row.organization_id, row.phone_numbers)),
  batch: ({ campaign_id, organization_id, phone_numbers, status }, rows) => [
    ...(campaign_id === null ? [] : [{ guard: batchesOf(campaign_id) }]),
    ...(isFinishedBatch(status) ? [] : callers(rows, organization_id, phone_numbers)),
  ],
  call: ({ from_number, organization_id, status }, rows) =>
    from_number !== null && (status === "scheduled" || status === "rescheduled")
      ? callers(rows, organization_id, [from_number])
      : [],
  inbound_agent: ({ phone_number_id }) => [{ guard: callersFrom(phone_number_id) }],
  phone_number: ({ organization_id, phone_number }) => [
    { guard: holdersOf(phone_number) },
    { guard: numbersOf(organization_id) },
  ],
  subscription: ({ agent_id }) => (agent_id === null ? [] : [{ guard: subscriptionsOf(agent_id) }]),
}

/** The sets that a row joins as it is written. */
const joins = <K extends RowKind>(rows: RowsByKind, kind: K, row: Rows[K]): ReadonlyArray<Guard> => {
  const before = rows.of(kind).get(putId({ put: kind, row }))
  const setsOf = (each: Rows[K]) => memberships[kind]?.(each, rows) ?? []
  const nameOf = ({ as = "", guard }: Membership) => `${guardName(guard)} ${as}`
  const had = new Set(before === undefined ? [] : setsOf(before).map(nameOf))
  return setsOf(row).flatMap((one) => (had.has(nameOf(one)) ? [] : [one.guard]))
}

/** A campaign or an organization that is made by the same commit has no batches or numbers that anybody could have read. */
const isNew = (rows: RowsByKind, { id, set }: Guard): boolean =>
  (set === "campaign_batches" && !rows.of("campaign").has(id)) ||
  (set === "organization_numbers" && !rows.of("organization").has(id))

/** The sets by all of which, or by the absence of one, a change is decided. */
const decidesBy = (rows: RowsByKind, change: Change): ReadonlyArray<Guard> => {
  switch (change.put) {
    case "removal":
      return change.kind === "phone_number" ? [callersFrom(change.id)] : []
    case "campaign": {
      const before = rows.of("campaign").get(change.row.campaign_id)
      const ends = before !== undefined && !hasEnded(before) && hasEnded(change.row)
      return ends ? [batchesOf(change.row.campaign_id)] : []
    }
    case "batch": {
      const { batch_id, campaign_id } = change.row
      if (rows.of("batch").has(batch_id)) return []
      // A campaign that is made with its first batch has room for it.
      const isFilled = campaign_id !== null && rows.of("campaign").has(campaign_id)
      return [contactsOf(batch_id), ...(isFilled ? [batchesOf(campaign_id)] : [])]
    }
    case "knowledge_base": {
      const { organization_id, removing, retrieval_id } = change.row
      const begins = removing === true && rows.of("knowledge_base").get(retrieval_id)?.removing !== true
      return begins ? [knowledgeUsersOf(organization_id)] : []
    }
    case "subscription": {
      const { agent_id, subscription_id } = change.row
      return agent_id === null || rows.of("subscription").has(subscription_id) ? [] : [subscriptionsOf(agent_id)]
    }
    case "phone_number": {
      const { organization_id, phone_number, phone_number_id } = change.row
      // Who opens an organization decides nothing by who else has its numbers.
      const isOpened = !rows.of("organization").has(organization_id)
      return isOpened || rows.of("phone_number").has(phone_number_id)
        ? []
        : [holdersOf(phone_number), numbersOf(organization_id)]
    }
    default:
      return []
  }
}

/**
 * How commits treat sets (docs/internals/what-commits-rest-on.md): who adds to one raises its guard, and who decides by one expects it. `rows`
 * are those from before the commit. What goes wrong otherwise, the other laws say, but only where two operations meet; these say it of each
 * commit by itself.
 */
export function* atSets(
  rows: RowsByKind,
  { changes, expect }: Pick<Commit, "changes" | "expect">,
): Iterable<Violation> {
  const raised = new Set(changes.flatMap((change) => (change.put === "guard" ? [guardName(change.guard)] : [])))
  const expected = new Set(expect.flatMap((each) => ("guard" in each ? [guardName(each.guard)] : [])))
  for (const change of changes) {
    if ("row" in change) {
      for (const guard of joins(rows, change.put, change.row)) {
        if (raised.has(guardName(guard)) || isNew(rows, guard)) continue
        yield { law: mustRaise, detail: `${guardName(guard)} by ${putId(change)}` }
      }
    }
    for (const guard of decidesBy(rows, change)) {
      if (expected.has(guardName(guard))) continue
      yield { law: mustExpect, detail: `${guardName(guard)} by a ${change.put}` }
    }
  }
}
