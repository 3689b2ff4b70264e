import { routes } from "@carillon/api"
import { limits } from "@carillon/core"
import { routeTable } from "./RouteTable.ts"

const find = routeTable(routes.filter(({ bodyBytes }) => bodyBytes > limits.bodyBytes))

/** Whether the body of a request is an upload, which takes its time. */
export const isTakenLate = (method: string, path: string): boolean =>
  find(method, path)?.route.needsContentLength ?? false

/** The most bytes that the body of a request may have: more than elsewhere only on the routes that say so. */
export const bodyLimit = (method: string, path: string): number =>
  find(method, path)?.route.bodyBytes ?? limits.bodyBytes
