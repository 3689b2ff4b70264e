import type { EdgeRequest, EdgeResponse } from "./Edge.ts"

/** Answers requests that are not under `/v2`; null: not mine. */
export type Fallback = (request: EdgeRequest) => EdgeResponse | Promise<EdgeResponse> | null

/** What is answered where a fallback broke off. */
export const fallbackFailed: EdgeResponse = {
  status: 500,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: "An unexpected error occurred.\n",
}

/** The answer to a path that nobody serves: it tells where the API is, for whoever has mounted it elsewhere than they think. */
export const plainNotFound = (prefix: string): EdgeResponse => ({
  status: 404,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body: `Not found. The API is under ${prefix}/v2.\n`,
})
