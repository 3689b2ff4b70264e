import { FindMyWay } from "effect/http"

/** What a route table is made of. */
export interface RoutePattern {
  readonly method: string
  /** As routers write it: `/v2/calls/:execution_id`. */
  readonly pattern: string
}

/** A route that a request matched, with the decoded parameters of its path. */
export interface RouteMatch<R> {
  readonly route: R
  readonly params: Readonly<Record<string, string | undefined>>
}

/** Finds the route of a method and an undecoded path: case-sensitive, and a trailing slash makes another path. */
export type FindRoute<R> = (method: string, path: string) => RouteMatch<R> | undefined

/** Characters of the longest path parameter that can name anything, and of the longest that is read at all. */
const paramCharactersMax = 128
const segmentCharactersMax = 65_536

/** What could name something; the rest is never shown to a store. */
const name = /^\P{C}+$/u

/** Stands for a path parameter that names nothing, so that its route is found and its resource is not. */
const unnamed = "~"

const isReadable = (segment: string): boolean => {
  // The router would end the path at these, as some servers do; here they are part of it.
  if (segment.includes(";") || segment.includes("#")) return false
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

const legible = (path: string): string =>
  /[%;#]/.test(path)
    ? path
        .split("/")
        .map((segment) => (isReadable(segment) ? segment : unnamed))
        .join("/")
    : path

const named = (param: string): string => (param.length <= paramCharactersMax && name.test(param) ? param : unnamed)

/**
 * Compiles routes into one lookup. An id of the wrong form is simply unknown (decisions.md, "Request pipeline" 6): its route is found, with
 * its bucket and scope, and the id names nothing. An empty parameter is no route.
 */
export const routeTable = <R extends RoutePattern>(routes: ReadonlyArray<R>): FindRoute<R> => {
  const router = FindMyWay.make<R>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: segmentCharactersMax,
  })
  for (const route of routes) router.on(route.method, `/${route.pattern.slice(1)}`, route)
  return (method, path) => {
    const found = router.find(method, legible(path))
    if (found === undefined) return undefined
    const params: Record<string, string> = {}
    for (const [key, param = ""] of Object.entries(found.params)) {
      if (param === "") return undefined
      params[key] = named(param)
    }
    return { route: found.handler, params }
  }
}
