/** What a run with nothing but a key will ask of a server, and how long the server's own limits make it take. */
import { isObject } from "../http/Json.ts"
import type { Bucket } from "../http/Route.ts"
import { requestsOfCases } from "./RequestsOfCases.ts"

/** Ceilings per minute of an organization on the standard plan (Limits > Request rate), for buckets that a server does not tell. */
const standardCeilings: Readonly<Record<Bucket, number>> = {
  "calls.create": 600,
  "executions.list": 600,
  "knowledge.upload": 20,
  default: 1000,
}

const buckets: ReadonlyArray<Bucket> = ["calls.create", "executions.list", "knowledge.upload", "default"]

/** What a run will do. */
export interface Forecast {
  readonly requests: number
  /** Minutes that pass at the least, because a bucket is empty before. */
  readonly minutes: number
  /** The bucket that takes longest. */
  readonly bucket: Bucket
  /** Calls that really ring, each to a number that the run was given. */
  readonly calls: number
}

/** The ceilings that `rate_limits` of `GET /v2/user/me` names, as numbers or as `limit`; the standard ones for the others. */
export const ceilingsIn = (rateLimits: unknown): Readonly<Record<Bucket, number>> => {
  const named = isObject(rateLimits) ? rateLimits : {}
  const of = (bucket: Bucket): number => {
    const told = named[bucket]
    const ceiling = isObject(told) ? told["limit"] : told
    return typeof ceiling === "number" && ceiling > 0 ? ceiling : standardCeilings[bucket]
  }
  return {
    "calls.create": of("calls.create"),
    "executions.list": of("executions.list"),
    "knowledge.upload": of("knowledge.upload"),
    default: of("default"),
  }
}

/** Whole minutes that must pass before so many requests have gone through: the first ceiling's worth goes at once. */
const minutesFor = (requests: number, ceiling: number): number => Math.max(0, Math.ceil(requests / ceiling) - 1)

/** The forecast for some cases, by their ids; a case that is not known to the suite costs nothing. */
export const forecastOf = (
  ids: ReadonlyArray<string>,
  ceilings: Readonly<Record<Bucket, number>>,
  calls: number,
): Forecast => {
  const sum = (bucket: Bucket) => ids.reduce((total, id) => total + (requestsOfCases[id]?.[bucket] ?? 0), 0)
  const longest = buckets
    .map((bucket) => ({ bucket, requests: sum(bucket), minutes: minutesFor(sum(bucket), ceilings[bucket]) }))
    .reduce((one, other) => (other.minutes > one.minutes ? other : one))
  return {
    requests: buckets.reduce((total, bucket) => total + sum(bucket), 0),
    minutes: longest.minutes,
    bucket: longest.bucket,
    calls,
  }
}
