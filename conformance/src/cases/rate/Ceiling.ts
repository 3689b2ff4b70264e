import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { burst, enterWindow, isRateRefusal, limitOf, maxMeasuredCeiling, remainingOf } from "./Pace.ts"
import { retryAfterSeconds } from "./Window.ts"

/** Where in the minute the burst falls: late enough for a short wait to be told from a whole window. */
const intoMs = 22_500

const exactly = (bucket: string, clause: string, method: string, ask: (client: Client) => Promise<Answer>): Case => ({
  id: `rate/ceiling/${bucket}`,
  title: `Exactly the ceiling of ${bucket} passes in a fresh window (${method})`,
  clauses: [
    clause,
    "RATE-3",
    "RATE-5",
    "RATE-9",
    "RATE-HEADERS-4",
    "RATE-HEADERS-5",
    "RATE-HEADERS-6",
    "RATE-HEADERS-P2",
    "RATE-HEADERS-P3",
    "RATE-HEADERS-P4",
    "RATE-P5",
    "RATE-G3",
    "LIMITS-3",
    "ERROR-11",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    await enterWindow(trial, intoMs)
    const first = await ask(client)
    const limit = limitOf(first)
    if (limit > maxMeasuredCeiling) {
      check.note("not-measured", "RATE-G3", `a ceiling of ${limit} is more than a run sends`, first)
      return
    }
    const rest = await burst(() => ask(client), limit - 1)
    const answers = [first, ...rest]
    const refused = answers.filter(isRateRefusal)
    // A server that counts a request before it judges it refuses the one that reaches the ceiling.
    check.holds(
      "all-pass",
      ["RATE-5", clause],
      refused.length <= 1,
      "all that are below the ceiling",
      refused[0] ?? first,
    )
    check.equal("the-last-too", "RATE-P5", refused.length, 0, refused[0] ?? first)
    const left = answers.map(remainingOf).sort((a, b) => b - a)
    const expected = Array.from({ length: limit }, (_, index) => limit - 1 - index)
    const wrong = left.findIndex((value, index) => value !== expected[index])
    check.that("remaining-counts-down", "RATE-HEADERS-P2", wrong < 0, {
      expected: expected[wrong],
      got: left[wrong],
      at: answers[wrong],
    })
    const lastLeft = Math.min(...left)
    check.oneOf("nothing-left", "RATE-HEADERS-4", lastLeft, [0, 1], answers.at(-1))
    check.equal(
      "reset",
      "RATE-HEADERS-P4",
      first.integerHeader("x-ratelimit-reset"),
      Math.ceil((60_000 - intoMs) / 1_000),
      first,
    )

    const over = await ask(client)
    check.refused("one-more", ["RATE-5", "RATE-9", "ERROR-11"], over, 1300)
    check.that("told-apart", "LIMITS-3", over.message.startsWith("Rate limit exceeded"), {
      expected: "Rate limit exceeded…",
      got: over.message,
      at: over,
    })
    const seconds = retryAfterSeconds(limit, { previous: 0, current: limit }, intoMs)
    const retryAfter = over.integerHeader("retry-after")
    check.holds("retry-after-in-window", "RATE-HEADERS-6", retryAfter >= 1 && retryAfter <= 60, "1 to 60 seconds", over)
    check.equal("retry-after", "RATE-HEADERS-P3", retryAfter, seconds, over)
    check.equal("over-remaining", "RATE-HEADERS-4", remainingOf(over), 0, over)
    const told = `Rate limit exceeded: ${limit} requests per minute for this organization. Retry in ${seconds}s.`
    check.equal("wording", "RATE-G3", over.message, told, over)

    await trial.clock.advance((retryAfter - 1) * 1_000)
    const early = await ask(client)
    check.holds("not-sooner", "RATE-HEADERS-P3", isRateRefusal(early), "429 one second before Retry-After", early)
    await trial.clock.advance(1_000)
    const late = await ask(client)
    check.holds("passes-then", ["RATE-3", "RATE-HEADERS-6"], !isRateRefusal(late), "an answer after Retry-After", late)
  },
})

export const ceilingCases: ReadonlyArray<Case> = [
  exactly("default", "RATE-BUCKET-4", "GET /v2/user/me", (client) => client.get("/v2/user/me")),
  exactly("executions.list", "RATE-BUCKET-2", "GET /v2/calls/{execution_id}", (client) =>
    client.get("/v2/calls/exec_unknown"),
  ),
  exactly("calls.create", "RATE-BUCKET-1", "POST /v2/calls", (client) => client.post("/v2/calls", {})),
]
