import type { Case } from "../../run/Case.ts"
import {
  burst,
  enterWindow,
  intoOf,
  isRateRefusal,
  leftAfter,
  limitOf,
  maxMeasuredCeiling,
  remainingOf,
} from "./Pace.ts"
import { type Counts, remaining, retryAfterSeconds, windowMs } from "./Window.ts"

const weighted: Case = {
  id: "rate/sliding/weighted",
  title: "The previous minute counts by what is left of its overlap",
  clauses: ["RATE-3", "RATE-4", "RATE-HEADERS-4", "RATE-P4", "RATE-HEADERS-P2"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const ask = () => client.get("/v2/user/me")
    await enterWindow(trial, 5_000)
    const sent = 317
    const answers = await burst(ask, sent)
    const first = answers[0] ?? (await ask())
    const limit = limitOf(first)
    check.equal("aligned-to-the-clock", "RATE-P4", intoOf(first, 5_000), 5_000, first)

    let counts: Counts = { previous: sent, current: 0 }
    let at = intoOf(first, 5_000) - windowMs
    for (const into of [0, 1, 250, 10_000, 29_999, 30_000, 59_000, 59_999]) {
      await clock.advance(into - at)
      at = into
      const answer = await ask()
      counts = { ...counts, current: counts.current + 1 }
      // Whole seconds or parts of one, and whether this request is counted, are left open.
      const slack = 2 + sent / 60
      check.holds(
        `estimate-${into}-ms-in`,
        ["RATE-4", "RATE-HEADERS-4"],
        Math.abs(remainingOf(answer) - remaining(limit, counts, into)) <= slack,
        `about ${remaining(limit, counts, into)} left`,
        answer,
      )
      check.equal(
        `remaining-${into}-ms-in`,
        ["RATE-P4", "RATE-HEADERS-P2"],
        remainingOf(answer),
        remaining(limit, counts, into),
        answer,
      )
    }
    await clock.advance(2 * windowMs)
    const rested = await ask()
    check.oneOf("forgotten-after-two-minutes", "RATE-3", remainingOf(rested), leftAfter(rested, 1), rested)
  },
}

const edge: Case = {
  id: "rate/sliding/edge",
  title:
    "Under a weighted window exactly what the formula leaves passes, and Retry-After is the moment when one more would",
  clauses: ["RATE-3", "RATE-4", "RATE-5", "RATE-6", "RATE-P5", "RATE-HEADERS-P3"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const ask = () => client.get("/v2/calls/exec_unknown")
    await enterWindow(trial, 40_000)
    const first = await ask()
    const limit = limitOf(first)
    if (limit > maxMeasuredCeiling)
      return check.note("not-measured", "RATE-6", `a ceiling of ${limit} is more than a run sends`)
    await burst(ask, 499)
    const into = intoOf(first, 40_000)
    await clock.advance(windowMs - into + 15_000)

    // A request passes while 500 × 45/60 + current is below the limit.
    const passes = Math.ceil(limit - (500 * 45) / 60)
    const answers = await burst(ask, passes)
    const refused = answers.filter(isRateRefusal)
    // Whether a request is counted before it is judged is left open; minutes that begin elsewhere are known to the second.
    const slack = into === 40_000 ? 1 : 1 + Math.ceil(500 / 60)
    check.holds("passes", ["RATE-4", "RATE-5"], refused.length <= slack, "what the formula leaves", refused[0])
    check.equal("passes-exactly", "RATE-P5", refused.length, 0, refused[0])
    let over = await ask()
    for (let more = 1; more < slack && !isRateRefusal(over); more++) over = await ask()
    check.holds("refused", ["RATE-4", "RATE-5"], isRateRefusal(over), "429", over)
    // No minute of the clock has as many as the ceiling, but the last sixty seconds have.
    check.holds("window-slides", "RATE-3", isRateRefusal(over), "429 for what the minute before had", over)
    const seconds = retryAfterSeconds(limit, { previous: 500, current: passes }, 15_000)
    check.equal("retry-after", "RATE-HEADERS-P3", over.integerHeader("retry-after"), seconds, over)
    await clock.advance((seconds - 1) * 1_000)
    check.holds("not-sooner", "RATE-HEADERS-P3", isRateRefusal(await ask()), "429 one second before")
    await clock.advance(1_000)
    check.holds("then", "RATE-HEADERS-P3", !isRateRefusal(await ask()), "an answer")
  },
}

const sustained: Case = {
  id: "rate/sliding/sustained",
  title: "500 a minute can be kept up in the dial and read buckets",
  clauses: ["RATE-6"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    await enterWindow(trial, 0)
    let refused = 0
    for (let step = 0; step < 60; step++) {
      const answers = await burst(() => client.get("/v2/calls/exec_unknown"), 25)
      refused += answers.filter(isRateRefusal).length
      await clock.advance(3_000)
    }
    check.equal("nothing-refused", "RATE-6", refused, 0)
  },
}

const clamped: Case = {
  id: "rate/sliding/clamped",
  title: "Where no second within a minute would do, Retry-After says a minute",
  clauses: ["RATE-HEADERS-6", "RATE-HEADERS-P5"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const ask = () => client.get("/v2/calls/exec_unknown")
    await enterWindow(trial, 0)
    const limit = limitOf(await ask())
    if (limit > maxMeasuredCeiling) {
      check.note("not-measured", "RATE-HEADERS-P5", `a ceiling of ${limit} is more than a run sends`)
      return
    }
    await burst(ask, limit - 1)
    const over = await ask()
    check.refused("refused", "RATE-HEADERS-6", over, 1300)
    check.equal("a-minute", "RATE-HEADERS-P5", over.header("retry-after"), "60", over)
  },
}

export const slidingCases: ReadonlyArray<Case> = [weighted, edge, clamped, sustained]
