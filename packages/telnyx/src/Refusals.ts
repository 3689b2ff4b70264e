import type { DialOutcome } from "@carillon/core"
import type { Answer, VendorError } from "./Rest.ts"

type Refused = Extract<DialOutcome, { readonly _tag: "Refused" }>
type Kind = Exclude<Refused["kind"], "throttled">

/** What a code of Telnyx's errors says of a dial that it refused. */
interface Refusal {
  readonly kind: Kind
  readonly means: string
}

const number = (means: string): Refusal => ({ kind: "invalid_destination", means })
const ours = (means: string): Refusal => ({ kind: "rejected", means })

/**
 * Telnyx's error codes at a dial (developers.telnyx.com/development/api-fundamentals/api-errors). Only what is wrong with the number that is
 * called ends the call as failed; the rest is its operator's to mend, so the contact waits and loses no attempt. None of them is about our
 * customer's wallet.
 */
export const refusals: Readonly<Record<string, Refusal>> = {
  "10001": number("the phone number is inactive"),
  "10002": number("the phone number is not valid"),
  "10016": number("the phone number is not in +E.164 format"),
  "10003": ours("a URL is not valid"),
  "10004": ours("a parameter is missing"),
  "10005": ours("there is no such resource"),
  "10006": ours("an id is not valid"),
  "10009": ours("the API key is not valid"),
  "10010": ours("the API key has no permission for this"),
  "10013": ours("something that the dial names does not exist"),
  "10014": ours("the request is of another type"),
  "10015": ours("the request is not well-formed"),
  "10017": ours("something that the dial names does not exist"),
  "20100": ours("the account has no funds"),
}

const tooMany = "10011"

/** Statuses and codes that do not deny a call: it may have been made. 10012 says that there is one already. */
const inconclusive: ReadonlySet<number> = new Set([408, 409, 425])
const duplicate = "10012"

/** Whether an error is about the number that is called; where it does not say about what, a number's fault is taken for that one's. */
const isAboutCallee = ({ pointer }: VendorError): boolean => pointer === null || /(^|\/)to(\/|$)/.test(pointer)

const kindOf = (error: VendorError | null): Kind => {
  const kind = error === null ? undefined : refusals[error.code]?.kind
  if (kind === "invalid_destination" && error !== null && !isAboutCallee(error)) return "rejected"
  return kind ?? "rejected"
}

/** `Retry-After` in seconds; a date, or nothing at all, is nothing that is known. */
const retryAfterSeconds = (header: string | null): number | null =>
  header === null || !/^\d{1,6}$/.test(header.trim()) ? null : Number(header)

/**
 * What became of a dial, from the answer to it; `sid` is the leg's where the answer shows one. A leg is denied only on Telnyx's own word, or
 * where the request was never sent.
 */
export const dialOutcome = (answer: Answer, sid: string | null): DialOutcome => {
  if (answer._tag === "NotSent") return { _tag: "Refused", kind: "unreachable" }
  if (answer._tag === "Lost") return { _tag: "Unknown" }
  const { error, retryAfter, status } = answer
  if (status === 200 || status === 201) {
    return sid === null ? { _tag: "Unknown" } : { _tag: "Accepted", call_sid: sid }
  }
  if (status < 400 || status >= 500 || inconclusive.has(status) || error?.code === duplicate) return { _tag: "Unknown" }
  if (status === 429 || error?.code === tooMany) {
    return { _tag: "Refused", kind: "throttled", retryAfterSeconds: retryAfterSeconds(retryAfter) }
  }
  return { _tag: "Refused", kind: kindOf(error) }
}
