import { Effect } from "effect"
import { CurrentOutages } from "../operating/Outages.ts"
import { allCarriers, CarrierName } from "../telephony/ports/CarrierName.ts"
import type { DialOutcome } from "../telephony/rules/Dial.ts"
import type { Answer } from "./Asking.ts"

/** Why a dial is refused for good. */
export type RefusalKind = Exclude<Extract<DialOutcome, { readonly _tag: "Refused" }>["kind"], "throttled">

/** A row of a vendor's table of errors: what a code says of a dial, and in words for the log. */
export interface Refusal {
  readonly kind: RefusalKind
  readonly means: string
}

/** Statuses that do not deny a call: it may have been made. */
const inconclusive: ReadonlySet<number> = new Set([408, 409, 425])

/** `Retry-After` in seconds; a date, or nothing at all, is nothing that is known. */
const retryAfterSeconds = (header: string | null): number | null =>
  header === null || !/^\d{1,6}$/.test(header.trim()) ? null : Number(header)

/**
 * What became of a dial, from the HTTP answer to it. `sid` is the leg's where the answer shows one. `meaningOf` is the vendor's own table:
 * `unclear` is an error that does not deny a leg, such as "there is one already"; null is one of which nothing is known. A leg is denied only
 * on the vendor's own word, or where the request was never sent.
 */
export const dialOutcomeOf = <E>(
  answer: Answer<E>,
  sid: string | null,
  meaningOf: (error: E) => RefusalKind | "throttled" | "unclear" | null,
): DialOutcome => {
  if (answer._tag === "NotSent") return { _tag: "Refused", kind: "unreachable" }
  if (answer._tag === "Lost") return { _tag: "Unknown" }
  const { error, retryAfter, status } = answer
  if (status === 200 || status === 201) {
    return sid === null ? { _tag: "Unknown" } : { _tag: "Accepted", call_sid: sid }
  }
  const meaning = error === null ? null : meaningOf(error)
  if (status < 400 || status >= 500 || inconclusive.has(status) || meaning === "unclear") return { _tag: "Unknown" }
  if (status === 429 || meaning === "throttled") {
    return { _tag: "Refused", kind: "throttled", retryAfterSeconds: retryAfterSeconds(retryAfter) }
  }
  return { _tag: "Refused", kind: meaning ?? "rejected" }
}

/** Says in the log why a vendor refused a dial, in its code alone: its messages quote numbers. While it takes no credentials that is told once. */
export const tellRefusal = (
  vendor: string,
  executionId: string,
  answer: Answer<unknown>,
  code: string | number | null,
  means: string | undefined,
): Effect.Effect<void> => {
  const status = answer._tag === "Answered" ? String(answer.status) : "no connection"
  const line = `${vendor} refused a dial (${status}, code ${code ?? "none"})${means === undefined ? "" : `: ${means}`}.`
  return Effect.withFiber((fiber) => {
    const name = fiber.getRef(CarrierName) ?? allCarriers
    const isKnown = fiber.getRef(CurrentOutages)?.isAway("credentials", name) === true
    return Effect.annotateLogs(isKnown ? Effect.logDebug(line) : Effect.logWarning(line), { execution_id: executionId })
  })
}
