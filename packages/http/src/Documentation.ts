import { Effect } from "effect"
import { type EdgeRequest, splitTarget } from "./Edge.ts"
import type { PageResponse } from "./Fallback.ts"
import { checkedPrefix } from "./Mounting.ts"

/** A page as it is answered, and its name among all that it has been and will be. */
interface Page {
  readonly etag: string
  readonly whole: PageResponse
  /** For whoever has it already. */
  readonly unchanged: PageResponse
}

const page = async (contentType: string, text: string): Promise<Page> => {
  const body = new TextEncoder().encode(text)
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body))
  const etag = `"${btoa(String.fromCharCode(...digest))}"`
  const headers = { "Cache-Control": "no-cache", ETag: etag }
  return {
    etag,
    whole: { status: 200, headers: { ...headers, "Content-Type": contentType }, body },
    unchanged: { status: 304, headers, body: null },
  }
}

/** Whether a client names the page among those that it has (RFC 9110, `If-None-Match`: a weak name is as good). */
const isKnown = ({ etag }: Page, names: string | null): boolean =>
  names !== null && names.split(",").some((name) => ["*", etag, `W/${etag}`].includes(name.trim()))

/** A fallback that answers at once. */
export type Pages = (request: EdgeRequest) => PageResponse | null

/**
 * Serves what stands beside the API: `/healthz`, `/openapi.json`, `/asyncapi.json` and the reference page `/docs`. Made once, kept in memory, and
 * sent from there to all who ask; whoever has one already (`If-None-Match`) is told so. The document names the path before `/v2` that the mount has.
 */
export const documentationAt = (prefix: string): Effect.Effect<Pages> =>
  Effect.gen(function* () {
    // Examples and reference page are large: only who serves them loads them.
    const { asyncApiDocument, openApiDocument, referencePage } = yield* Effect.promise(
      () => import("@carillon/api/documents"),
    )
    const document = openApiDocument({ servers: [{ url: checkedPrefix(prefix) || "/" }] })
    const texts = [
      ["/healthz", "application/json", `{"status":"ok"}`],
      ["/openapi.json", "application/json", JSON.stringify(document)],
      ["/asyncapi.json", "application/json", JSON.stringify(asyncApiDocument())],
      ["/docs", "text/html; charset=utf-8", yield* referencePage(document)],
    ] as const
    const pages = new Map<string, Page>()
    for (const [path, contentType, text] of texts) {
      pages.set(path, yield* Effect.promise(() => page(contentType, text)))
    }
    return ({ header, method, target }) => {
      const asked = method === "GET" || method === "HEAD" ? pages.get(splitTarget(target).path) : undefined
      if (asked === undefined) return null
      return isKnown(asked, header("if-none-match")) ? asked.unchanged : asked.whole
    }
  })

/** The same for a mount without a prefix. */
export const documentation: Effect.Effect<Pages> = documentationAt("")
