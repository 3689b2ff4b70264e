import type { EdgeRequest, EdgeResponse } from "./Edge.ts"

/** Answers requests that are not under `/v2`; null: not mine. */
export type Fallback = (request: EdgeRequest) => EdgeResponse | null

/** The answer to a path that nobody serves: it tells where the API is, for whoever has mounted it elsewhere than they think. */
export const plainNotFound = (prefix: string): EdgeResponse => ({
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: `Not found. The API is under ${prefix}/v2.\n`,
})
