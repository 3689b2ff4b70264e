import {
  type AgentStatus,
  agentStatuses,
  E164,
  ExperimentStatus,
  parseStatusFilter,
  type StatusFilter,
  statusFilterValues,
  usageGroups,
} from "@carillon/core"
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

/** The `status` filter of the agent list: one status, in upper case. */
export const agentStatusFilter = (text: string): Result.Result<AgentStatus, string> => {
  const status = agentStatuses.find((candidate) => candidate === text)
  return status === undefined ? Result.fail(unknownStatus(text, agentStatuses)) : Result.succeed(status)
}

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

/** The `direction` filter of the call lists. */
export const directionFilter = oneWordOf("direction", ["inbound", "outbound"])

/** The `group_by` of usage. */
export const usageGroupBy = oneWordOf("group_by", usageGroups)

/** The `sort_by` of the agent list. */
export const agentSortBy = oneWordOf("sort_by", ["created_at", "updated_at", "name", "status"])

/** The `sort_order` of the agent list. */
export const sortOrder = oneWordOf("sort_order", ["asc", "desc"])
