import { isObject, type JsonObject, walk } from "../http/Json.ts"
import { failureStatuses, inFlightStatuses, terminalStatuses } from "../shapes/Call.ts"
import type { Answer } from "../http/Answer.ts"
import { type Breach, isRefusal, type Rule } from "./Rule.ts"

const callsIn = (answer: Answer): ReadonlyArray<JsonObject> => {
  const found: Array<JsonObject> = []
  walk(answer.json, (value) => {
    if (isObject(value) && "execution_id" in value && "is_terminal" in value) found.push(value)
  })
  return found
}

const forCalls =
  (judge: (call: JsonObject) => Breach | null): Rule["judge"] =>
  ({ answer }) => {
    if (isRefusal(answer)) return undefined
    const calls = callsIn(answer)
    if (calls.length === 0) return undefined
    for (const call of calls) {
      const breach = judge(call)
      if (breach !== null) return breach
    }
    return null
  }

const among = (status: unknown, statuses: ReadonlyArray<string>): boolean => statuses.some((each) => each === status)

const terminal: Rule = {
  id: "call-facts/is-terminal",
  clauses: ["STATUS-2", "STATUS-3", "CALL-FIELD-3"],
  judge: forCalls((call) => {
    const { status, is_terminal } = call
    const expected = among(status, terminalStatuses) ? true : among(status, inFlightStatuses) ? false : undefined
    if (expected === undefined || is_terminal === expected) return null
    return { expected: `is_terminal ${expected} for status ${String(status)}`, got: is_terminal }
  }),
}

const error: Rule = {
  id: "call-facts/error-only-when-failed",
  clauses: ["CALL-FIELD-25"],
  judge: forCalls((call) =>
    "error" in call && !among(call["status"], failureStatuses)
      ? { expected: `no error on a call that is ${String(call["status"])}`, got: call["error"] }
      : null,
  ),
}

const once: Rule = {
  id: "call-facts/listed-once",
  clauses: ["CALL-GET-9"],
  judge: ({ answer }) => {
    const data = answer.items().filter(isObject)
    const ids = data.flatMap((row) => ("is_terminal" in row ? [row["execution_id"]] : []))
    if (isRefusal(answer) || ids.length === 0) return undefined
    const twice = ids.find((id, index) => ids.indexOf(id) !== index)
    return twice === undefined ? null : { expected: "every call once in a list", got: twice }
  },
}

/** What must be true of every call object, wherever it appears. */
export const callFactRules: ReadonlyArray<Rule> = [terminal, error, once]
