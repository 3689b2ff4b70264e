import type { DialOutcome } from "@carillon/core"
import { dialOutcomeOf, type Refusal } from "@carillon/core/carrier"
import type { Answer } from "./Rest.ts"

const destination = (means: string): Refusal => ({ kind: "invalid_destination", means })
const ours = (means: string): Refusal => ({ kind: "rejected", means })

/**
 * Twilio's error codes at the creation of a call (www.twilio.com/docs/api/errors). Only what is wrong with the number that is called ends the
 * call as failed; the rest is its operator's to mend, so the contact waits and loses no attempt. None of them is about our customer's wallet.
 */
export const refusals: Readonly<Record<number, Refusal>> = {
  21201: destination("there is no number to call"),
  21202: destination("it is a premium number"),
  21203: destination("international calls are not enabled"),
  21211: destination("it is no valid number"),
  21214: destination("it cannot be reached"),
  21215: destination("the account is not authorized to call it: its geographic permissions"),
  21216: destination("the account is not allowed to call it: Twilio's block list"),
  21217: destination("it does not appear to be a valid number"),
  21219: destination("a trial account calls only numbers that were verified"),
  13223: destination("it is not formatted as a number"),
  13224: destination("it is no number that Twilio calls"),
  13225: destination("it is a forbidden number"),
  13226: destination("its country code is not valid"),
  13227: destination("the account is not authorized to call its country"),
  21205: ours("a URL is not valid"),
  21206: ours("the digits to send are not valid"),
  21208: ours("the ring time is not valid"),
  21209: ours("an HTTP method is not valid"),
  21210: ours("the number to call from is not verified"),
  21212: ours("the number to call from is not valid"),
  21213: ours("there is no number to call from"),
  21218: ours("the application is not valid"),
  20003: ours("the credentials are not valid, or the account is suspended"),
  20005: ours("the account is not active"),
  20006: ours("access is denied"),
  20008: ours("test credentials have no access to this"),
  20404: ours("there is no such account"),
  10001: ours("the account is not active"),
  10002: ours("a trial account does not have this"),
  10005: ours("voice calls are disabled for this account"),
}

/** Codes that mean that there are too many calls or requests just now, whatever their HTTP status. */
const throttles: ReadonlySet<number> = new Set([20429, 10004])

/** That a call was initiated already does not deny it. */
const alreadyInitiated = 21204

const meaningOf = (code: number) => {
  if (code === alreadyInitiated) return "unclear"
  return throttles.has(code) ? "throttled" : (refusals[code]?.kind ?? null)
}

/** What became of a dial, from the answer to it; `sid` is the leg's where the answer shows one. */
export const dialOutcome = (answer: Answer, sid: string | null): DialOutcome => dialOutcomeOf(answer, sid, meaningOf)
