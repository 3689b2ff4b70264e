import { type Asked, isPhoneNumber } from "./Parameters.ts"

/**
 * Numbers for which Twilio refuses calls, so that errors can be tried: https://www.twilio.com/docs/iam/test-credentials. There they need the
 * test credentials, which send no callbacks; here they are always in force.
 */
const magicTo: ReadonlyMap<string, number> = new Map([
  ["+15005550001", 21217],
  ["+15005550002", 21214],
  ["+15005550003", 21215],
  ["+15005550004", 21216],
])
const magicInvalidFrom = "+15005550001"
const magicFrom = "+15005550006"

export interface Placing {
  readonly asked: Asked
  readonly to: string
  readonly from: string
  /** Numbers of the account; null: every number is. */
  readonly numbers: ReadonlyArray<string> | null
  /** Numbers that a trial account may call; null: it is no trial. */
  readonly verified: ReadonlyArray<string> | null
}

/** Why a call is not placed, as the code of the error; null where it is. */
export const refusalOf = ({ asked, from, numbers, to, verified }: Placing): number | null => {
  if (to === "") return 21201
  if (from === "") return 21213
  // No account here has applications.
  if (asked.text("ApplicationSid") !== null) return 21218
  if (asked.text("Url") === null && asked.text("Twiml") === null) return 21205
  // The document: if To is a phone number, so must From be.
  if (from === magicInvalidFrom || (isPhoneNumber(to) && !isPhoneNumber(from))) return 21212
  if (numbers !== null && from !== magicFrom && !numbers.includes(from)) return 21210
  const magic = magicTo.get(to)
  if (magic !== undefined) return magic
  return verified !== null && !verified.includes(to) ? 21219 : null
}
