import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { Engine } from "@carillon/core"
import { Carillon, firstOf, probes } from "@carillon/http"
import { closeServer, nodeListener, refuseUnreadable } from "@carillon/http/node"
import { Effect, Layer } from "effect"
import { type ServerCarriers, serverCarriers } from "./carriers/Carriers.ts"
import { telemetry } from "./Logs.ts"
import { numberOwnership, ports, secrets } from "./Ports.ts"
import type { Settings } from "./settings/Settings.ts"

/** A server that runs. */
export interface RunningServer {
  readonly carillon: Carillon
  /** The ports on which it listens. */
  readonly port: number
  readonly insidePort: number
  /** Serves on for `noticeMs` and says that it is not ready, then drains and closes. */
  readonly leave: (noticeMs: number) => Promise<void>
}

const millisPerSecond = 1_000

const listening = async (server: Server, port: number, host: string): Promise<number> => {
  await once(server.listen(port, host), "listening")
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : port
}

/** The API, the probes and the carriers' callbacks. */
const apiServer = async (settings: Settings, carriers: ServerCarriers, carillon: Carillon): Promise<Server> => {
  const pages = settings.documentation ? [await Carillon.documentation()] : []
  const api = nodeListener(carillon.handle, { fallback: firstOf(probes(carillon), ...pages) })
  const callbacks = carriers.callbacks(carillon)
  const keepAliveTimeout = settings.keepAliveSeconds * millisPerSecond
  return createServer({ keepAliveTimeout, requireHostHeader: false }, (request, response) =>
    callbacks(request, response, () => api(request, response)),
  )
    .on("checkExpectation", api)
    .on("clientError", refuseUnreadable(carillon.handle))
}

/** What operators read, on a port of its own. */
const insideServer = (carillon: Carillon): Server =>
  createServer(nodeListener(carillon.handle, { fallback: probes(carillon, { metrics: { path: "/metrics" } }) }))

/** What a process says of itself once it serves. */
const announced = (settings: Settings, port: number, insidePort: number) =>
  Effect.gen(function* () {
    const { process } = yield* Engine
    const { carriers, host, insideHost, redisUrl, secretKeys } = settings
    const counters = redisUrl === undefined ? "PostgreSQL" : "Redis"
    const names = carriers.map(({ name }) => name).join(", ")
    yield* Effect.logInfo(
      `Serves /v2 at http://${host}:${port} and /metrics at http://${insideHost}:${insidePort}. Rows: PostgreSQL. Counters: ${counters}. Carriers: ${names || "none"}.`,
    ).pipe(Effect.annotateLogs({ process }))
    if (secretKeys === undefined) {
      yield* Effect.logWarning(
        "Customers' secrets lie in the database as they are: no key seals them. Set `secrets.keys`; docs/guides/secrets.md says how.",
      )
    }
    if (carriers.length > 0) return
    yield* Effect.logWarning(
      "No carrier is set up: nothing can be dialled. Direct calls are refused (1501) and contacts wait. Set `carriers`.",
    )
  })

/** Starts everything that was set up. Rejects where a port or a store cannot be opened, and with `WrongCarrier`. */
export const startServer = async (settings: Settings): Promise<RunningServer> => {
  const carriers = serverCarriers(settings)
  const { limits, startHeld, tracing } = settings
  const carillon = await Carillon.make({
    ports: Layer.merge(ports(settings, carriers), numberOwnership(settings)),
    telemetry: telemetry(settings),
    limits,
    secrets: secrets(settings),
    startHeld,
    tracing,
  })
  const servers: Array<Server> = []
  try {
    const api = await apiServer(settings, carriers, carillon)
    const inside = insideServer(carillon)
    servers.push(api, inside)
    const port = await listening(api, settings.port, settings.host)
    const insidePort = await listening(inside, settings.insidePort, settings.insideHost)
    await carillon.run(announced(settings, port, insidePort))
    const leave = async (noticeMs: number) => {
      await carillon.announceLeaving(noticeMs)
      await closeServer(api, carillon.close)
      inside.close().closeAllConnections()
    }
    return { carillon, port, insidePort, leave }
  } catch (error) {
    for (const server of servers) server.close()
    await carillon.close()
    throw error
  }
}
