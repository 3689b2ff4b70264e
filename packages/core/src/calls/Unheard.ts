import { Effect } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Steps } from "../engine/Steps.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import type { Wakeup, WakeupClaim } from "../engine/rules/Wakeup.ts"
import type { PortError } from "../Errors.ts"
import { everyHolder } from "../limits/Holders.ts"
import { limits } from "../Limits.ts"
import { CallStore } from "./ports/CallStore.ts"
import { type Unheard, soonerQuestion, askSooner } from "./steps/AskSooner.ts"

interface Search {
  readonly subject: string
  /** How long after it what was kept, and what vendors send again, comes first. */
  readonly delayMs: number
  /** What is told of it. */
  readonly line: string
}

const searches: { readonly [why in Unheard]: Search } = {
  gap: {
    subject: "unheard",
    delayMs: limits.unheardDelayMs,
    line: "Nobody may have heard how live calls went on: the carrier is asked about them.",
  },
  start: {
    subject: "unheard aged",
    delayMs: limits.unheardDelayMs,
    line: "A process has started: the carrier is asked about live calls that have been silent for long.",
  },
  carrier: {
    subject: "unheard carrier",
    delayMs: limits.unheardCarrierDelayMs,
    line: "The carrier was away: it is asked about live calls of which it has said nothing since.",
  },
}

const reasons = ["gap", "start", "carrier"] as const satisfies ReadonlyArray<Unheard>

/** The wake-up by which one process of all looks for them, a little later. */
const unheardWakeup = (why: Unheard, now: number): Wakeup => ({
  kind: "slots",
  subject: searches[why].subject,
  at: now + searches[why].delayMs,
})

/** Why a claim looks for them; null where it is for something else. */
export const unheardOf = ({ subject }: WakeupClaim): Unheard | null =>
  reasons.find((why) => searches[why].subject === subject) ?? null

/** The distance of two questions where so many are to be asked. */
export const questionPaceMs = (count: number): number =>
  Math.max(limits.unheardPaceMinMs, Math.min(limits.unheardPaceMs, limits.unheardSpreadMs / Math.max(1, count)))

/** Has live calls that nobody has heard of since asked about soon, one after the other. */
export const unheardCalls: Effect.Effect<
  (claim: WakeupClaim, why: Unheard) => Effect.Effect<void, PortError>,
  never,
  CallStore | DomainClock | Steps
> = Effect.gen(function* () {
  const calls = yield* CallStore
  const clock = yield* DomainClock
  const steps = yield* Steps

  return Effect.fnUntraced(function* (claim, why) {
    const lostUntil = claim.at - searches[why].delayMs
    const holders = [...(yield* everyHolder(calls)).values()]
    const silent = holders.filter((call) => soonerQuestion(call, why, lostUntil, clock.now()) !== null)
    const pace = questionPaceMs(silent.length)
    const first = clock.now()
    let asked = 0
    for (const [nth, { execution_id }] of silent.entries()) {
      const turn = first + nth * pace
      if (yield* steps.take(askSooner, { organization_id: null, execution_id, why, lostUntil, turn })) asked += 1
    }
    if (asked === 0) return
    yield* Effect.annotateLogs(Effect.logInfo(searches[why].line), { calls: asked })
  })
})

/** Sets the wake-up that has them looked for. */
export const lookForUnheard = (wakeups: Wakeups["Service"], why: Unheard, now: number) =>
  wakeups.set(unheardWakeup(why, now))

/** What a process that starts has to look for: what nobody heard where nobody was there, or nobody can say; else what one that died took along. */
export const unheardAtStart = (wakeups: Wakeups["Service"], now: number): Effect.Effect<Unheard> =>
  Effect.match(wakeups.backlog(now, limits.sampledBacklog), {
    onFailure: () => "gap",
    onSuccess: (found) => {
      const looked = found.filter(({ kind }) => kind === "slots" || kind === "call")
      return looked.some(({ oldest }) => oldest <= now - limits.unheardGapMs) ? "gap" : "start"
    },
  })
