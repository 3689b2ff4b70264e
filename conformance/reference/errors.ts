/** The integer codes of the error envelope, with the HTTP status that each derives ("Errors"). */
const statuses = {
  1000: 400,
  1001: 422,
  1002: 400,
  1100: 401,
  1101: 401,
  1102: 403,
  1200: 404,
  1201: 409,
  1300: 429,
  1400: 402,
  1500: 500,
  1501: 503,
  1502: 504,
} as const

export type Code = keyof typeof statuses

/** What a refusal may have beside its code and sentence. */
interface More {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that is answered with the error envelope. */
export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly code: Code
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: Code, message: string, { headers = {}, status = statuses[code] }: More = {}) {
    super(message)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** A quoted value is cut, and no phone number is told. */
const quoteMaxLength = 64

export const quoted = (value: string): string => value.slice(0, quoteMaxLength).replace(/\d{7,}/g, "…")

export const invalid = (field: string, reason: string): Refusal =>
  new Refusal(1001, `Invalid value for '${quoted(field)}': ${reason}.`)

export const missing = (name: string): Refusal => new Refusal(1002, `Missing required parameter '${name}'.`)

export const malformed = (message: string): Refusal => new Refusal(1000, message)

export const notFound = (what: string): Refusal => new Refusal(1200, `${what} not found.`)

export const conflict = (message: string): Refusal => new Refusal(1201, message)
