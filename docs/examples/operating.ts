import { createServer } from "node:http"
import { type Carillon, firstOf, type Fallback, probes } from "@carillon/http"
import { closeServer, nodeListener } from "@carillon/http/node"

/** Longer than the balancer needs to notice that a process is not ready. */
const noticeMs = 10_000

/** Serves the API to everybody, and probes and metrics to whoever reaches the second port: keep that one inside. */
export const serve = (
  carillon: Carillon,
  pages: Fallback,
  ports: { readonly api: number; readonly inside: number },
) => {
  const api = createServer(nodeListener(carillon.handle, { fallback: firstOf(probes(carillon), pages) }))
  const inside = createServer(
    nodeListener(carillon.handle, { fallback: probes(carillon, { metrics: { path: "/metrics" } }) }),
  )
  api.listen(ports.api)
  inside.listen(ports.inside)
  const leave = async (notice = noticeMs) => {
    await carillon.announceLeaving(notice)
    await closeServer(api, carillon.close)
    inside.close().closeAllConnections()
  }
  process.once("SIGTERM", () => void leave())
  return { api, inside, leave }
}
