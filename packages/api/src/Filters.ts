import {
  agentStatuses,
  auditOutcomes,
  deliveryStatuses,
  BatchStatus,
  CampaignStatus,
  E164,
  eventTypes,
  ExperimentStatus,
  parseStatusFilter,
  type StatusFilter,
  statusFilterValues,
  usageGroups,
} from "@carillon/core/domain"
import { Result } from "effect"

/**
 * Enumerations in the query are judged here and not by the schemas: a bad one is malformed input (1000), not a validation failure
 * (decisions, "Request pipeline" 5). Each function fails with the message of the refusal.
 */

const unknownStatus = (value: string, valid: ReadonlyArray<string>): string =>
  `Unknown status '${E164.quotable(value)}'. Valid values are: ${valid.join(", ")}.`

/** The `status` filter of the call lists: statuses joined by commas. */
export const callStatusFilter = (text: string): Result.Result<StatusFilter, string> => {
  const parsed = parseStatusFilter(text)
  return parsed.ok ? Result.succeed(parsed.filter) : Result.fail(unknownStatus(parsed.unknown, statusFilterValues))
}

const oneStatusOf =
  <const Status extends string>(statuses: ReadonlyArray<Status>) =>
  (text: string): Result.Result<Status, string> => {
    const status = statuses.find((candidate) => candidate === text)
    return status === undefined ? Result.fail(unknownStatus(text, statuses)) : Result.succeed(status)
  }

/** The `status` filter of the agent list: one status, in upper case. */
export const agentStatusFilter = oneStatusOf(agentStatuses)

/** The `status` filter of the campaign list: one status. */
export const campaignStatusFilter = oneStatusOf(CampaignStatus.campaignStatuses)

/** The `status` filter of the batch list: one status. */
export const batchStatusFilter = oneStatusOf(BatchStatus.batchStatuses)

/** The `status` of an experiment, in queries and in bodies. */
export const experimentStatus = (text: string): Result.Result<ExperimentStatus.ExperimentStatus, string> => {
  const status = ExperimentStatus.experimentStatuses.find((candidate) => candidate === text)
  return status === undefined
    ? Result.fail(unknownStatus(text, ExperimentStatus.experimentStatuses))
    : Result.succeed(status)
}

const oneWordOf =
  <const Word extends string>(name: string, words: readonly [...ReadonlyArray<Word>, Word, Word]) =>
  (text: string): Result.Result<Word, string> => {
    const word = words.find((candidate) => candidate === text)
    if (word !== undefined) return Result.succeed(word)
    const valid = `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
    return Result.fail(`Invalid value for '${name}': '${E164.quotable(text)}'. Valid values are ${valid}.`)
  }

/** The directions of a call. */
export const directions = ["inbound", "outbound"] as const

/** The `direction` filter of the call lists. */
export const directionFilter = oneWordOf("direction", directions)

/** The `group_by` of usage. */
export const usageGroupBy = oneWordOf("group_by", usageGroups)

/** What the agent list is sorted by. */
export const agentSorts = ["created_at", "updated_at", "name", "status"] as const

/** The `sort_by` of the agent list. */
export const agentSortBy = oneWordOf("sort_by", agentSorts)

/** The ways to sort. */
export const sortOrders = ["asc", "desc"] as const

/** The `sort_order` of the agent list. */
export const sortOrder = oneWordOf("sort_order", sortOrders)

/** The `event_type` filter of the delivery ledger. */
export const eventTypeFilter = oneWordOf("event_type", eventTypes)

/** The `status` filter of the delivery ledger: one status. */
export const deliveryStatusFilter = oneStatusOf(deliveryStatuses)

/** The `outcome` filter of the audit trail. */
export const auditOutcomeFilter = oneWordOf("outcome", auditOutcomes)
