/** The routes of `/v2` that the specification places in a rate-limit bucket of their own (Limits > Request rate). */

/** A rate-limit bucket. */
export type Bucket = "calls.create" | "executions.list" | "knowledge.upload" | "default"

const routes: ReadonlyArray<readonly [Bucket, string, RegExp]> = [
  ["calls.create", "POST", /^\/v2\/calls$/],
  ["calls.create", "POST", /^\/v2\/calls\/[^/]+\/stop$/],
  ["calls.create", "POST", /^\/v2\/campaigns$/],
  ["calls.create", "POST", /^\/v2\/batches(\/upload)?$/],
  ["calls.create", "POST", /^\/v2\/batches\/[^/]+\/schedule$/],
  ["executions.list", "GET", /^\/v2\/calls(\/[^/]+(\/(transcript|recording|timing))?)?$/],
  ["executions.list", "GET", /^\/v2\/(agents|batches)\/[^/]+\/executions$/],
  ["executions.list", "GET", /^\/v2\/usage$/],
  ["knowledge.upload", "POST", /^\/v2\/knowledge-bases(\/[^/]+\/documents)?$/],
]

/** The bucket that counts a request; whatever no route claims is in `default`. */
export const bucketOf = (method: string, path: string): Bucket =>
  routes.find(([, verb, pattern]) => verb === method && pattern.test(path))?.[0] ?? "default"
