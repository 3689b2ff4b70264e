import { isPublicPath, splitTarget } from "./Edge.ts"

/** What a mount throws when somebody has read a body before it, which would otherwise be waited for or taken for none. */
export const bodyIsGone = "Mount Carillon before anything that reads request bodies."

/** The path before `/v2` under which a host serves the API, or "". Throws where it cannot be one. */
export const checkedPrefix = (prefix: string): string => {
  if (prefix === "") return prefix
  if (prefix === "/v2" || prefix.endsWith("/v2")) {
    throw new TypeError(`The prefix ${JSON.stringify(prefix)} stands before /v2: leave /v2 off.`)
  }
  if (!/^(?:\/[\w.~-]+)+$/.test(prefix)) {
    throw new TypeError(`The prefix ${JSON.stringify(prefix)} is no path such as "/voice".`)
  }
  return prefix
}

/** What is asked for behind the prefix; null where it is asked for elsewhere. */
export const behind = (prefix: string, target: string): string | null => {
  if (prefix === "") return target
  const { path, query } = splitTarget(target)
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return null
  const rest = path.slice(prefix.length) || "/"
  return query === "" ? rest : `${rest}?${query}`
}

/** A request of `node:http` as a router hands it on: it may have cut off the path that it was mounted under. */
interface Routed {
  readonly url?: string | undefined
  readonly baseUrl?: unknown
  readonly originalUrl?: unknown
}

/** The path that a router has cut off: Express tells it in `baseUrl`, Connect and what is made of it leave the whole in `originalUrl`. */
const cutOff = ({ baseUrl, originalUrl }: Routed, url: string): string => {
  if (typeof baseUrl === "string") return baseUrl
  return typeof originalUrl === "string" && originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : ""
}

const isApi = (target: string): boolean => isPublicPath(splitTarget(target).path)

/**
 * What is asked for behind the prefix, whether the host's router has cut it off or not; null where it is asked for elsewhere. A listener
 * that is mounted under `/v2` itself, `app.use("/v2", listener)`, would see nothing of the API in what the router leaves of the path.
 */
export const routedTarget = (request: Routed, prefix: string): string | null => {
  const url = request.url ?? "/"
  const cut = cutOff(request, url)
  if (prefix !== "") return behind(prefix, url) ?? behind(prefix, cut + url)
  if (isApi(url)) return url
  if (isApi(cut + url)) return cut + url
  return cut.endsWith("/v2") ? `/v2${url}` : url
}
