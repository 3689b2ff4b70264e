import { routes } from "@carillon/api"
import { limits } from "@carillon/core"
import { routeTable } from "./RouteTable.ts"

const find = routeTable(routes.filter(({ bodyBytes }) => bodyBytes > limits.bodyBytes))

/** The most bytes that the body of a request may have: more than elsewhere only on the routes that carry contacts. */
export const bodyLimit = (method: string, path: string): number =>
  find(method, path)?.route.bodyBytes ?? limits.bodyBytes
