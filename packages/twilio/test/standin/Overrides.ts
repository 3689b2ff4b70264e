/** How a callback is sent: https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides. Times in milliseconds. */
export interface Delivery {
  readonly retries: number
  readonly policy: ReadonlySet<Failure>
  readonly readTimeoutMs: number
  readonly totalMs: number
}

/** Why a callback failed, in the page's words: no connection, no answer in time, or a status. */
export const failures = ["ct", "rt", "4xx", "5xx"] as const

export type Failure = (typeof failures)[number]

interface Bound {
  readonly standard: number
  readonly from: number
  readonly to: number
}

/** The page's table: what counts where nothing is said, and the bounds. */
const bounds = {
  rc: { standard: 1, from: 0, to: 5 },
  rt: { standard: 15_000, from: 100, to: 15_000 },
  tt: { standard: 15_000, from: 100, to: 15_000 },
} as const

const within = ({ from, standard, to }: Bound, text: string | null): number => {
  const value = Number(text ?? Number.NaN)
  return Number.isInteger(value) && value >= from && value <= to ? value : standard
}

const isFailure = (text: string): text is Failure => failures.some((failure) => failure === text)

/** `rp=all`, or some failures with commas between them; a failed connection where nothing is said. */
const policyOf = (text: string | null): ReadonlySet<Failure> =>
  new Set(text === "all" ? failures : text === null ? ["ct"] : text.split(",").filter(isFailure))

/** Reads the fragment of a callback's URL. A value out of its bounds is as if it were not there. */
export const deliveryOf = (url: URL): Delivery => {
  const overrides = new URLSearchParams(url.hash.slice(1))
  return {
    retries: within(bounds.rc, overrides.get("rc")),
    policy: policyOf(overrides.get("rp")),
    readTimeoutMs: within(bounds.rt, overrides.get("rt")),
    totalMs: within(bounds.tt, overrides.get("tt")),
  }
}
