import type { Bucket } from "../http/Route.ts"

/** Requests by rate-limit bucket. */
export type Requests = Readonly<Partial<Record<Bucket, number>>>
