import { Clock, Effect } from "effect"
import { limits } from "../Limits.ts"
import { NowAndThen } from "../engine/rules/NowAndThen.ts"

/**
 * How a callback is answered: 200 once what it says is kept. 400, 401, 403 and 413 refuse it for good: it is malformed, forged or too long.
 * After a 503 it comes again.
 */
export type CallbackStatus = 200 | 400 | 401 | 403 | 413 | 503

/** What each answer means, as it is counted. */
export const callbackAnswers = {
  200: "taken",
  400: "malformed",
  401: "forged",
  403: "forged",
  413: "too_long",
  503: "not_kept",
} as const satisfies { readonly [status in CallbackStatus]: string }

type Refusal = Exclude<CallbackStatus, 200 | 503>

/** Whether the callback will never be taken. That the store is away is told by whoever asks it. */
export const isRefusal = (status: CallbackStatus): status is Refusal => status !== 200 && status !== 503

const reasons: { readonly [answer in (typeof callbackAnswers)[Refusal]]: string } = {
  forged:
    "their signatures are wrong. Compare the public address and the secret of this server with those that the carrier has.",
  malformed: "they are not what is known of them.",
  too_long: "they are too long.",
}

/** Says now and then that callbacks of this carrier are refused, with the reason of the last one and how many they were. */
export const refusedCallbacks = (carrier: string): ((status: Refusal) => Effect.Effect<void>) => {
  const told = new NowAndThen(limits.refusedCallbacksToldMs)
  return (status) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const callbacks = told.note(now)
      if (callbacks === null) return Effect.void
      const line = `Callbacks of the carrier are refused: ${reasons[callbackAnswers[status]]}`
      return Effect.annotateLogs(Effect.logWarning(line), { carrier, callbacks })
    })
}
