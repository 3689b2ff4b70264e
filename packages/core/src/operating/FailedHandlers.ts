import { Cause, Effect, Result } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { WakeupClaim, WakeupKind } from "../engine/rules/Wakeup.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"
import { CurrentOutages, type Outsider, portErrorTold } from "./Outages.ts"
import { told } from "../engine/rules/Told.ts"

/** What stores and counters are; while one of them is away, that has its own line, and what fails for it has none. */
const dependencies: ReadonlyArray<Outsider> = ["postgresql", "store", "redis"]

const lines = {
  died: "What handles a wake-up has a mistake: it is tried again, and the next one of its kind is handled as ever.",
  failed: "Wake-ups could not be handled, and are tried again.",
  hung: "Wake-ups have been handled for so long that they count as hung: others may try them.",
} as const

type Failing = keyof typeof lines

interface FailedHandlers {
  /** Tells of one that has failed or died. */
  readonly tell: (claim: WakeupClaim, cause: Cause.Cause<PortError>) => Effect.Effect<void>
  /** Tells of one that takes longer than `limits.wakeupHandlingMs`. */
  readonly hung: (claim: WakeupClaim) => Effect.Effect<void>
}

/** Says of each kind of wake-ups that it dies, fails or hangs: one line in `limits.handlersToldMs` at most, with how many, and which was the last. */
export const failedHandlers: Effect.Effect<FailedHandlers, never, DomainClock> = Effect.gen(function* () {
  const clock = yield* DomainClock
  const outages = yield* CurrentOutages
  const known = new Map<`${Failing} ${WakeupKind}`, NowAndThen>()

  const noted = ({ kind, subject }: WakeupClaim, failing: Failing, log: (line: string) => Effect.Effect<void>) =>
    Effect.suspend(() => {
      const key = `${failing} ${kind}` as const
      const nowAndThen = known.get(key) ?? new NowAndThen(limits.handlersToldMs)
      known.set(key, nowAndThen)
      const count = nowAndThen.note(clock.now())
      return count === null
        ? Effect.void
        : Effect.annotateLogs(log(lines[failing]), { kind, wakeups: count, last: subject })
    })

  return {
    tell: (claim, cause) => {
      const error = Cause.findError(cause)
      if (Result.isFailure(error)) return noted(claim, "died", (line) => Effect.logError(line, told(cause)))
      return dependencies.some((each) => outages?.isAway(each) === true)
        ? Effect.logDebug("A wake-up could not be handled now.", claim.kind, error.success)
        : noted(claim, "failed", (line) => Effect.logWarning(line, portErrorTold(error.success)))
    },
    hung: (claim) => noted(claim, "hung", (line) => Effect.logWarning(line)),
  }
})
