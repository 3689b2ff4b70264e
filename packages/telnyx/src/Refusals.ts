import type { DialOutcome } from "@carillon/core"
import { dialOutcomeOf, type Refusal } from "@carillon/core/carrier"
import type { Answer, VendorError } from "./Rest.ts"

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

/** That there is such a call already does not deny it. */
const duplicate = "10012"

/** Whether an error is about the number that is called; where it does not say about what, a number's fault is taken for that one's. */
const isAboutCallee = ({ pointer }: VendorError): boolean => pointer === null || /(^|\/)to(\/|$)/.test(pointer)

const meaningOf = (error: VendorError) => {
  if (error.code === duplicate) return "unclear"
  if (error.code === tooMany) return "throttled"
  const kind = refusals[error.code]?.kind ?? null
  return kind === "invalid_destination" && !isAboutCallee(error) ? "rejected" : kind
}

/** What became of a dial, from the answer to it; `sid` is the leg's where the answer shows one. */
export const dialOutcome = (answer: Answer, sid: string | null): DialOutcome => dialOutcomeOf(answer, sid, meaningOf)
