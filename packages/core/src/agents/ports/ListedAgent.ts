import { Effect } from "effect"
import { nextTurn } from "../../engine/ports/Pacing.ts"
import type { InvalidField } from "../../Errors.ts"
import { limits } from "../../Limits.ts"
import { jsonBytes } from "../../Measure.ts"
import { pageTooLarge } from "../../Pagination.ts"
import type { Agent } from "../rules/Agent.ts"
import { placeholderReader } from "./Placeholders.ts"

/** An agent as a list shows it: without its prompts and its knowledge base, but with the names of the `{variables}` that it is written with. */
export interface ListedAgent extends Omit<Agent, "prompts" | "knowledge_base"> {
  readonly placeholders: ReadonlyArray<string>
}

/** Bytes of rows that are made before others have their turn. */
const turnBytes = 128 * 1024

/**
 * Makes the rows of one page of agents, one after the other. What the page does not show is not counted: it is refused where the rest is more than
 * `limits.pageBytes`, whatever store the agents are from.
 */
export const agentLister = () => {
  const placeholdersOf = placeholderReader()
  let bytes = 0
  let turnEndsAt = turnBytes
  return Effect.fnUntraced(function* (agent: Agent): Effect.fn.Return<ListedAgent, InvalidField> {
    const { knowledge_base: _, prompts: __, ...shown } = agent
    const listed = { ...shown, placeholders: yield* placeholdersOf(agent) }
    bytes += jsonBytes(listed)
    if (bytes > turnEndsAt) {
      turnEndsAt = bytes + turnBytes
      yield* nextTurn
    }
    return bytes > limits.pageBytes ? yield* pageTooLarge() : listed
  })
}
