import type { Refusal } from "./Fate.ts"

/** An error as Telnyx answers it. */
export interface ApiError {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  /** The field that is wrong, as a JSON pointer. */
  readonly pointer: string | null
  /** Seconds, as headers. */
  readonly retryAfter?: number
}

type Row = readonly [status: number, title: string, detail: string]

/**
 * The errors that are known here. Code, title and detail are those of
 * https://developers.telnyx.com/development/api-fundamentals/api-errors; 90018 is as published answers have it, and 90103 is on
 * https://developers.telnyx.com/docs/voice/programmable-voice/dials-per-second-limit. The README says which statuses are choices.
 */
const rows: ReadonlyMap<number, Row> = new Map([
  [10003, [422, "Invalid URL", "The URL provided was invalid, malformed, or too long."]],
  [10004, [422, "Missing required parameter", "A required parameter was missing."]],
  [10005, [404, "Resource not found", "The requested resource or URL could not be found."]],
  [10007, [500, "Unexpected error", "An unexpected error occured."]],
  [
    10009,
    [
      401,
      "Authentication failed",
      "The required authentication headers were either invalid or not included in the request.",
    ],
  ],
  [
    10010,
    [
      403,
      "Authorization failed",
      "You do not have permission to perform the requested action on the specified resource or resources.",
    ],
  ],
  [10011, [429, "Too many requests", "You have exceeded the maximum number of allowed requests."]],
  [10015, [422, "Bad Request", "The request failed because it was not well-formed."]],
  [
    10016,
    [422, "Phone number must be in +E.164 format", "The specified phone number parameter must be in +E.164 format."],
  ],
  [
    10017,
    [
      422,
      "Associated resource does not exist",
      "The requested parameter is invalid as the associated resource does not exist.",
    ],
  ],
  [20100, [402, "Insufficient Funds", "You do not have sufficient funds to perform this action."]],
  [90018, [422, "Call has already ended", "This call is no longer active and can't receive commands."]],
  [90103, [429, "Dial rate limit exceeded", "The account has exceeded its dials per second limit."]],
])

/** The error of a code, about a field. A code that is not known here is a mistake of whoever asks for it. */
export const apiError = (code: number, field: string | null = null): ApiError => {
  const row = rows.get(code)
  if (row === undefined) throw new Error(`The stand-in knows no error ${code}`)
  const [status, title, detail] = row
  return { status, code: String(code), title, detail, pointer: field === null ? null : `/${field}` }
}

/** The error that a script wants. */
export const refusalError = ({ refused: code, retry_after_s, status }: Refusal): ApiError => {
  const known = rows.has(code)
    ? apiError(code)
    : { status: 422, code: String(code), title: "Refused", detail: "", pointer: null }
  return {
    ...known,
    ...(status === undefined ? {} : { status }),
    ...(retry_after_s === undefined ? {} : { retryAfter: retry_after_s }),
  }
}

export const bodyOf = ({ code, detail, pointer, title }: ApiError) => ({
  errors: [
    {
      code,
      title,
      detail,
      ...(pointer === null ? {} : { source: { pointer } }),
      meta: { url: `https://developers.telnyx.com/docs/overview/errors/${code}` },
    },
  ],
})

/** A step that may be refused. */
export type Or<A> = { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: ApiError }

export const ok = <A>(value: A): Or<A> => ({ ok: true, value })

export const refused = (code: number, field?: string): Or<never> => ({ ok: false, error: apiError(code, field) })
