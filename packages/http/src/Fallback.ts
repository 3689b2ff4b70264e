import { limits } from "@carillon/core"
import type { EdgeRequest, EdgeResponse } from "./Edge.ts"

/**
 * What a fallback answers. A text is written anew for whoever asks for it; bytes that are the same for all are in memory once, however many read them.
 */
export interface PageResponse extends Omit<EdgeResponse, "body"> {
  readonly body: string | Uint8Array<ArrayBuffer> | null
}

/** Answers requests that are not under `/v2`; null: not mine. */
export type Fallback = (request: EdgeRequest) => PageResponse | Promise<PageResponse> | null

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): EdgeResponse => ({
  status,
  headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
  body,
})

/** What is answered where a fallback broke off. */
const fallbackFailed: EdgeResponse = plain(500, "An unexpected error occurred.\n")

/** What is answered where there is no room for what a fallback answers. */
export const fallbackBusy: EdgeResponse = plain(503, "The room for pages is temporarily taken.\n", {
  "Retry-After": String(limits.pagesRetryAfterSeconds),
})

/** The answer to a path that nobody serves: it tells where the API is, for whoever has mounted it elsewhere than they think. */
export const plainNotFound = (prefix: string): EdgeResponse => plain(404, `Not found. The API is under ${prefix}/v2.\n`)

/** The answer of a fallback, which may break off at once or later; null: not its own. */
export const answerOf = (fallback: Fallback, request: EdgeRequest): PageResponse | Promise<PageResponse> | null => {
  try {
    const answer = fallback(request)
    return answer instanceof Promise ? answer.catch(() => fallbackFailed) : answer
  } catch {
    return fallbackFailed
  }
}
