import { malformed, Refusal } from "../control/Refusal.ts"

/**
 * A browser on the machine of the simulator opens pages of strangers, which may send requests to it. The control surface answers only what
 * was typed, curled, or asked by its own dashboard.
 */

/** What tells where a request under `/_sim` comes from; null where the header is missing. */
export interface Provenance {
  readonly method: string
  readonly host: string | null
  readonly origin: string | null
  /** `Sec-Fetch-Site` and `Sec-Fetch-Mode`, which every browser sends and no page can change. */
  readonly fetchSite: string | null
  readonly fetchMode: string | null
  readonly contentType: string | null
  readonly hasBody: boolean
  /** It asks for a file of the dashboard, which says nothing of the world. */
  readonly isPage: boolean
}

const authority = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i

/** The name in a `Host`, without its port; null where it is none. */
const nameOf = (host: string): string | null => authority.exec(host)?.[1]?.toLowerCase() ?? null

/** A name that a stranger can point at this machine is no evidence; an address, or a name that only ever means this machine, is. */
const isOwnName = (name: string): boolean =>
  name === "localhost" || name.endsWith(".localhost") || name.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)

const foreignHost = (name: string): Refusal =>
  new Refusal(1102, `The control surface does not answer as '${name}'; start with --allow-host ${name} if it should.`)

const foreignPage = new Refusal(1102, "The control surface does not answer pages of other sites.")

const isOwnOrigin = (origin: string, host: string | null): boolean =>
  host !== null && (origin === `http://${host}` || origin === `https://${host}`)

/** What is told to a request that a stranger's page may have sent; null where it may be answered. `names` are trusted beside its own; null: every name is. */
export const webFault = (from: Provenance, names: ReadonlySet<string> | null): Refusal | null => {
  if (from.host !== null && names !== null) {
    const name = nameOf(from.host)
    if (name === null) return malformed("The Host of the request is not valid.")
    if (!isOwnName(name) && !names.has(name)) return foreignHost(name)
  }
  if (from.origin !== null && !isOwnOrigin(from.origin, from.host)) return foreignPage
  // A link to the dashboard may stand anywhere.
  const isLink = from.isPage && from.method === "GET" && from.fetchMode === "navigate"
  if (from.fetchSite !== null && !["same-origin", "none"].includes(from.fetchSite) && !isLink) return foreignPage
  // Only a browser sends for somebody else; a client of one's own may name no type, or the one that its library fills in.
  const isBrowser = from.origin !== null || from.fetchSite !== null
  if (isBrowser && from.hasBody && !/^application\/json\s*(?:;|$)/i.test(from.contentType ?? "")) {
    return malformed("The request body must be JSON with Content-Type: application/json.")
  }
  return null
}
