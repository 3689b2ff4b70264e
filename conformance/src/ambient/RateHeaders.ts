import type { Answer } from "../http/Answer.ts"
import { type Breach, type Rule, unless } from "./Rule.ts"

/** The window in which requests are counted. */
const windowSeconds = 60

const header =
  (name: string, expected: string, accepts: (value: number, answer: Answer) => boolean): Rule["judge"] =>
  ({ answer }): Breach | null => {
    const value = answer.integerHeader(name)
    const plausible = !Number.isNaN(value) && accepts(value, answer)
    return unless(plausible, `${name}: ${expected}`, answer.header(name) ?? "no such header")
  }

const rateLimited = (answer: Answer): boolean => answer.message.startsWith("Rate limit exceeded")

/** What the rate headers of every answer must be. */
export const rateHeaderRules: ReadonlyArray<Rule> = [
  {
    id: "rate-headers/limit",
    clauses: ["RATE-HEADERS-1", "RATE-HEADERS-3"],
    judge: header("x-ratelimit-limit", "a whole number above zero", (limit) => limit > 0),
  },
  {
    id: "rate-headers/remaining",
    clauses: ["RATE-HEADERS-1", "RATE-HEADERS-4"],
    judge: header("x-ratelimit-remaining", "a whole number up to the limit", (remaining, answer) => {
      const limit = answer.integerHeader("x-ratelimit-limit")
      return Number.isNaN(limit) || remaining <= limit
    }),
  },
  {
    id: "rate-headers/reset",
    clauses: ["RATE-HEADERS-1", "RATE-HEADERS-5"],
    judge: header(
      "x-ratelimit-reset",
      `a duration of 0 to ${windowSeconds} seconds`,
      (reset) => reset <= windowSeconds,
    ),
  },
  {
    id: "rate-headers/retry-after-on-429",
    clauses: ["RATE-HEADERS-2"],
    judge: (observation) =>
      observation.answer.status === 429
        ? header("retry-after", "a whole number of seconds", () => true)(observation)
        : undefined,
  },
  {
    id: "rate-headers/retry-after-in-window",
    clauses: ["RATE-HEADERS-6"],
    judge: (observation) =>
      observation.answer.status === 429 && rateLimited(observation.answer)
        ? header("retry-after", `1 to ${windowSeconds}`, (value) => value >= 1 && value <= windowSeconds)(observation)
        : undefined,
  },
]
