import { walk } from "../http/Json.ts"
import { isUtcTimestamp } from "../shapes/Kind.ts"
import { type Breach, isRefusal, type Rule } from "./Rule.ts"

const named = /(_at|_time|^timestamp|_date)$/

/** What a caller stored, or an agent is made of, keeps whatever it was given. */
const callersOwn = new Set([
  "variables",
  "metadata",
  "extracted_data",
  "custom_analytics",
  "prompts",
  "configuration",
  "conversation_config",
  "default_call_variables",
  "default_call_context",
  "working_hours",
  "details",
  "parameters",
])

/** Timestamps are ISO-8601 UTC strings unless stated. */
export const timestampRules: ReadonlyArray<Rule> = [
  {
    id: "timestamps/utc",
    clauses: ["TIME-1"],
    judge: ({ answer }) => {
      if (isRefusal(answer)) return undefined
      let seen = false
      let breach: Breach | undefined
      walk(
        answer.json,
        (value, path, name) => {
          if (!named.test(name) || typeof value !== "string") return
          seen = true
          if (!isUtcTimestamp(value)) breach ??= { expected: `${path} in ISO-8601 UTC`, got: value }
        },
        (name) => !callersOwn.has(name),
      )
      return breach ?? (seen ? null : undefined)
    },
  },
]
