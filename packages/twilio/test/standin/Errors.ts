import type { Refusal } from "./Fate.ts"

/** An error as Twilio answers it; `more_info` is made of the code. */
export interface ApiError {
  readonly status: number
  readonly code: number
  readonly message: string
  /** Seconds, as a header. */
  readonly retryAfter?: number
}

interface Row {
  readonly status: number
  readonly text: (about: string) => string
}

const row = (status: number, text: (about: string) => string): Row => ({ status, text })

/**
 * The errors that are known here. The meaning of each is on https://www.twilio.com/docs/api/errors/<code>; the HTTP status is beside it only
 * where a page shows one (20003: 401, 20404: 404, 20429: 429, 20500: 500), and is 400 in every answer to a refused call that has been published.
 */
const rows: ReadonlyMap<number, Row> = new Map([
  [20001, row(400, (about) => `Parameter '${about}' is invalid.`)],
  [20003, row(401, () => "Authenticate")],
  [20004, row(405, (about) => `Method ${about} is not allowed on this resource.`)],
  [20007, row(400, () => "Page size must be between 1 and 1000.")],
  [20404, row(404, (about) => `The requested resource ${about} was not found`)],
  // "An API Request that receives an error 429 response is never processed and is always safe to retry."
  [20429, row(429, () => "Too Many Requests")],
  // The page says of calls: after a 500 they may have been placed.
  [20500, row(500, () => "An internal server error has occurred")],
  [21201, row(400, () => "No 'To' number is specified")],
  [21205, row(400, (about) => `${about} is not a valid URL, or is missing.`)],
  [21206, row(400, (about) => `SendDigits is invalid: ${about}`)],
  [21208, row(400, (about) => `Invalid Timeout: ${about}`)],
  [21209, row(400, (about) => `Invalid HTTP method: ${about}`)],
  [
    21210,
    row(
      400,
      (about) =>
        `The source phone number provided, ${about}, is not yet verified for your account. You may only make calls from phone numbers that you've verified or purchased from Twilio.`,
    ),
  ],
  [21211, row(400, (about) => `The phone number you are attempting to call, ${about}, is not valid.`)],
  [21212, row(400, (about) => `The source phone number provided, ${about}, is not valid.`)],
  [21213, row(400, () => "No 'From' number is specified")],
  [21214, row(400, (about) => `The phone number you are attempting to call, ${about}, cannot be reached.`)],
  [
    21215,
    row(
      400,
      (about) => `Account not authorized to call ${about}. Perhaps you need to enable some international permissions.`,
    ),
  ],
  [21216, row(400, (about) => `Account not allowed to call ${about}`)],
  [21217, row(400, (about) => `Phone number does not appear to be valid: ${about}`)],
  [21218, row(400, (about) => `Invalid ApplicationSid: ${about}`)],
  [
    21219,
    row(400, (about) => `The number ${about} is unverified. Trial accounts may only make calls to verified numbers.`),
  ],
  [21220, row(400, () => "Call is not in-progress. Cannot redirect.")],
  [21609, row(400, (about) => `Invalid 'StatusCallback' URL: ${about}`)],
])

/** The error of a code, about a value. A code that is not known here is a mistake of the script that asks for it. */
export const apiError = (code: number, about = ""): ApiError => {
  const found = rows.get(code)
  if (found === undefined) throw new Error(`The stand-in knows no error ${code}`)
  return { status: found.status, code, message: found.text(about) }
}

/** The error that a script wants, about a number. */
export const refusalError = ({ refused: code, retry_after_s, status }: Refusal, about: string): ApiError => {
  const error = rows.has(code) || status === undefined ? apiError(code, about) : { code, message: `Error ${code}` }
  const retry = retry_after_s === undefined ? {} : { retryAfter: retry_after_s }
  return { status: 400, ...error, ...(status === undefined ? {} : { status }), ...retry }
}

export const bodyOf = ({ code, message, status }: ApiError) => ({
  code,
  message,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
  status,
})

/** A step that may be refused. */
export type Or<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: ApiError }

export const ok = <A>(value: A): Or<A> => ({ ok: true, value })

export const refused = (code: number, about?: string): Or<never> => ({ ok: false, error: apiError(code, about) })
