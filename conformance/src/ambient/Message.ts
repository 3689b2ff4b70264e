import { isRefusal, type Rule, unless } from "./Rule.ts"

/** Seven digits in a row, or a plus and seven digits however they are grouped. */
const phoneNumber = /\d{7,}|\+\d(?:[\s().-]*\d){6,}/

const stackTrace = /\n\s+at |\bat [\w.<>]+ \(|Traceback|node_modules|\.[cm]?[jt]s:\d+/

const query = /\bSELECT\b.+\bFROM\b|\bINSERT INTO\b|\bUPDATE\b.+\bSET\b|\bDELETE FROM\b/

const judged =
  (pattern: RegExp, expected: string): Rule["judge"] =>
  ({ answer }) =>
    isRefusal(answer) ? unless(!pattern.test(answer.message), expected, answer.message) : undefined

/** What no message may carry. */
export const messageRules: ReadonlyArray<Rule> = [
  {
    id: "message/no-phone-number",
    clauses: ["ENVELOPE-6"],
    judge: judged(phoneNumber, "no phone number in a message"),
  },
  { id: "message/no-stack-trace", clauses: ["ENVELOPE-6"], judge: judged(stackTrace, "no stack trace in a message") },
  { id: "message/no-query", clauses: ["ENVELOPE-6"], judge: judged(query, "no query in a message") },
]
