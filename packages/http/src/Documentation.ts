import { Effect } from "effect"
import { type EdgeRequest, type EdgeResponse, splitTarget } from "./Edge.ts"
import { checkedPrefix } from "./Mounting.ts"

const page = (contentType: string, body: string): EdgeResponse => ({
  status: 200,
  headers: { "Content-Type": contentType },
  body,
})

/** A fallback that answers at once. */
export type Pages = (request: EdgeRequest) => EdgeResponse | null

/**
 * Serves what stands beside the API: `/healthz`, `/openapi.json`, `/asyncapi.json` and the reference page `/docs`. Made once, kept in memory.
 * The document names the path before `/v2` that the mount has.
 */
export const documentationAt = (prefix: string): Effect.Effect<Pages> =>
  Effect.gen(function* () {
    // Examples and reference page are large: only who serves them loads them.
    const { asyncApiDocument, openApiDocument, referencePage } = yield* Effect.promise(
      () => import("@carillon/api/documents"),
    )
    const document = openApiDocument({ servers: [{ url: checkedPrefix(prefix) || "/" }] })
    const pages: ReadonlyMap<string, EdgeResponse> = new Map([
      ["/healthz", page("application/json", `{"status":"ok"}`)],
      ["/openapi.json", page("application/json", JSON.stringify(document))],
      ["/asyncapi.json", page("application/json", JSON.stringify(asyncApiDocument()))],
      ["/docs", page("text/html; charset=utf-8", yield* referencePage(document))],
    ])
    return ({ method, target }) =>
      method === "GET" || method === "HEAD" ? (pages.get(splitTarget(target).path) ?? null) : null
  })

/** The same for a mount without a prefix. */
export const documentation: Effect.Effect<Pages> = documentationAt("")
