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

/** Characters of the longest path parameter that can name anything. */
const paramCharactersMax = 128

/** What could name something; the rest is never shown to a store. */
const name = /^\P{C}+$/u

/** Compiles routes into one lookup. A path that cannot be decoded, or whose parameter could name nothing, is no route. */
export const routeTable = <R extends RoutePattern>(routes: ReadonlyArray<R>): FindRoute<R> => {
  const router = FindMyWay.make<R>({
    caseSensitive: true,
    ignoreTrailingSlash: false,
    ignoreDuplicateSlashes: false,
    maxParamLength: paramCharactersMax,
  })
  for (const route of routes) router.on(route.method, `/${route.pattern.slice(1)}`, route)
  return (method, path) => {
    // The router would end the path at these, as some servers do; here they are part of it.
    if (path.includes(";") || path.includes("#")) return undefined
    const found = router.find(method, path)
    if (found === undefined) return undefined
    const { handler: route, params } = found
    for (const key in params) {
      if (!name.test(params[key] ?? "")) return undefined
    }
    return { route, params }
  }
}
