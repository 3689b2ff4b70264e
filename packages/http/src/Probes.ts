import { limits } from "@carillon/core"
import { Effect } from "effect"
import type { Carillon } from "./Carillon.ts"
import { type EdgeResponse, splitTarget } from "./Edge.ts"
import type { Fallback } from "./Fallback.ts"
import { prometheusContentType } from "./Prometheus.ts"

/** What is answered beside the API to those who operate it. */
export interface ProbeOptions {
  /** Where Prometheus scrapes, such as `/metrics`. Left out, nobody can: what is measured is for operators alone. */
  readonly metrics?: { readonly path: string }
}

const answer = (status: number, contentType: string, body: string): EdgeResponse => ({
  status,
  headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  body,
})

const json = (status: number, body: unknown): EdgeResponse => answer(status, "application/json", JSON.stringify(body))

/**
 * Answers `/livez` (200, or 503 where the process does its work no more and should be started again), `/readyz` (it should get requests: 200, or 503 with why not), and `metrics.path` where it is given. A fallback
 * of the mounts. What was measured is written once in `limits.probeMs`, however many ask for it.
 */
export const probes = (
  carillon: Pick<Carillon, "liveness" | "metrics" | "readiness">,
  options: ProbeOptions = {},
): Fallback => {
  const routes = new Map<string, () => EdgeResponse | Promise<EdgeResponse>>([
    [
      "/livez",
      () => {
        const { alive, driver } = carillon.liveness()
        return alive ? json(200, { status: "ok" }) : json(503, { status: "down", driver })
      },
    ],
    [
      "/readyz",
      async () => {
        const readiness = await carillon.readiness()
        return json(readiness.ready ? 200 : 503, readiness)
      },
    ],
  ])
  if (options.metrics !== undefined) {
    const written = Effect.promise(async () => answer(200, prometheusContentType, await carillon.metrics()))
    const kept = Effect.runSync(Effect.cachedWithTTL(written, limits.probeMs))
    routes.set(options.metrics.path, () => Effect.runPromise(kept))
  }
  return ({ method, target }) =>
    method === "GET" || method === "HEAD" ? (routes.get(splitTarget(target).path)?.() ?? null) : null
}

/** Asks one fallback after the other; the first that answers has it. */
export const firstOf =
  (...fallbacks: ReadonlyArray<Fallback>): Fallback =>
  (request) => {
    for (const fallback of fallbacks) {
      const answered = fallback(request)
      if (answered !== null) return answered
    }
    return null
  }
