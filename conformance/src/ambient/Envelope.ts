import { errorCodes, statusesOf } from "../http/ErrorCode.ts"
import { isObject } from "../http/Json.ts"
import { failureStatuses } from "../shapes/Call.ts"
import { isRefusal, type Rule, unless } from "./Rule.ts"

const internalErrorMessage = "An unexpected error occurred."

/** A refusal is an object with the keys `error` and `message` and no others. */
const keys: Rule = {
  id: "envelope/keys",
  clauses: ["ENVELOPE-1", "ENVELOPE-2", "ENVELOPE-3"],
  judge: ({ answer }) => {
    if (!isRefusal(answer)) return undefined
    const names = isObject(answer.json) ? Object.keys(answer.json).sort().join(", ") : "no JSON object"
    return unless(names === "error, message", "exactly the keys error and message", names)
  },
}

const code: Rule = {
  id: "envelope/code",
  clauses: ["ENVELOPE-1", "ENVELOPE-2"],
  judge: ({ answer }) => {
    if (!isRefusal(answer)) return undefined
    const error = answer.at("error")
    return unless(
      typeof error === "number" && errorCodes.includes(error),
      `an integer error, one of ${errorCodes.join(", ")}`,
      error ?? "none",
    )
  },
}

const message: Rule = {
  id: "envelope/message",
  clauses: ["ENVELOPE-1", "ENVELOPE-2"],
  judge: ({ answer }) => {
    if (!isRefusal(answer)) return undefined
    const text = answer.at("message")
    const sentence = typeof text === "string" && /^\S[^\n\r]*\S\.$/.test(text)
    return unless(sentence, "one line of text that ends in a period", text ?? "none")
  },
}

const statusFromCode: Rule = {
  id: "envelope/status-from-code",
  clauses: ["ENVELOPE-5"],
  judge: ({ answer }) => {
    const error = answer.code
    if (!isRefusal(answer) || error === undefined || !errorCodes.includes(error)) return undefined
    const allowed = statusesOf(error)
    return unless(allowed.includes(answer.status), `HTTP ${allowed.join(" or ")} for error ${error}`, answer.status)
  },
}

const internal: Rule = {
  id: "envelope/internal-message",
  clauses: ["ERROR-13"],
  judge: ({ answer }) =>
    answer.code === 1500
      ? unless(answer.message === internalErrorMessage, internalErrorMessage, answer.message)
      : undefined,
}

/** A failed call's own `error` object is part of the call. */
const isFailedCall = (body: Readonly<Record<string, unknown>>): boolean =>
  typeof body["execution_id"] === "string" &&
  failureStatuses.some((status) => status === body["status"]) &&
  isObject(body["error"])

const noErrorOnSuccess: Rule = {
  id: "envelope/no-error-on-success",
  clauses: ["ENVELOPE-4"],
  judge: ({ answer }) => {
    const { json } = answer
    if (isRefusal(answer) || !isObject(json)) return undefined
    return unless(!("error" in json) || isFailedCall(json), "no error key in a success body", json["error"])
  },
}

/** What every error answer must be, and no success may be. */
export const envelopeRules: ReadonlyArray<Rule> = [keys, code, message, statusFromCode, internal, noErrorOnSuccess]
