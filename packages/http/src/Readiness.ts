import { Gate, limits } from "@carillon/core"
import { AccountStore } from "@carillon/core/ports"
import { Effect } from "effect"

/** Whether a process should get requests, and what it found. What is null was not asked, because the process leaves. */
export interface Readiness {
  /** False: requests would be refused, because the store does not answer, or soon will be, because the process leaves. */
  readonly ready: boolean
  /** `away`: it did not answer within two seconds. */
  readonly store: "ok" | "away" | null
  /** `counted`: the counters are away, and lines are given by the count of committed calls. Requests are answered all the same. */
  readonly lines: "ok" | "counted" | null
  readonly leaving: boolean
}

/** A process that leaves asks nobody. */
export const leaving: Readiness = { ready: false, store: null, lines: null, leaving: true }

/** Asks the store, for `limits.sampleAnswerMs` at most. */
export const askedReadiness: Effect.Effect<Readiness, never, AccountStore | Gate> = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const gate = yield* Gate
  const ready = yield* Effect.match(Effect.timeout(accounts.platform, limits.sampleAnswerMs), {
    onSuccess: () => true,
    onFailure: () => false,
  })
  const lines = gate.isTrusted() ? "ok" : "counted"
  return { ready, store: ready ? "ok" : "away", lines, leaving: false }
})
