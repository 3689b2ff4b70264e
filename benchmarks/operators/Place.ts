import { fileURLToPath } from "node:url"
import { startPostgres } from "../../scripts/servers/PostgresServer.ts"
import { PrometheusServer } from "../../scripts/servers/PrometheusServer.ts"
import { Proxy } from "../../scripts/servers/Proxy.ts"
import { RedisServer } from "../../scripts/servers/RedisServer.ts"
import { Engines } from "./Engines.ts"
import { listening, Vendor } from "./Vendor.ts"

const rules = fileURLToPath(new URL("../../docs/operating/alerts.yml", import.meta.url))
const settleMs = 10_000

/** The number that calls come from. */
export const callerId = "+15005550006"

/** Two processes of the server as an operator runs them, each dependency behind a line that can be broken. */
export const openPlace = async (logs: string | null = null) => {
  const postgres = await startPostgres({ durable: true })
  if (typeof postgres === "string") throw new Error(postgres)
  const redis = await RedisServer.open()
  if (redis === null) throw new Error("No Redis can be had here.")
  const toRows = await Proxy.open(postgres.port)
  const toCounters = await Proxy.open(redis.port)
  const ports = [await Engines.freePorts(), await Engines.freePorts()]
  const [{ api } = { api: 0 }] = ports
  const vendor = await Vendor.open(api)
  const endpoint = { hangs: false }
  const hook = await listening(async (request, response) => {
    request.resume()
    if (!endpoint.hangs) response.writeHead(204).end()
  })
  const settings = {
    CARILLON_DATABASE_URL: `postgres://carillon@127.0.0.1:${toRows.port}/postgres`,
    CARILLON_REDIS_URL: toCounters.url,
    CARILLON_LOG_FORMAT: "text",
    CARILLON_PUBLIC_URL: `http://127.0.0.1:${api}`,
    CARILLON_WEBHOOKS_DESTINATIONS: `127.0.0.1:${hook.port}`,
    CARILLON_CARRIERS: "main",
    CARILLON_CARRIER_MAIN_TYPE: "twilio",
    CARILLON_CARRIER_MAIN_ACCOUNT_SID: vendor.accountSid,
    CARILLON_CARRIER_MAIN_AUTH_TOKEN: vendor.authToken,
    CARILLON_CARRIER_MAIN_VOICE: "say:Hello.",
    CARILLON_CARRIER_MAIN_NUMBER: callerId,
    CARILLON_CARRIER_MAIN_BASE_URL: vendor.url,
  }
  const engines = await Engines.open(ports, settings, logs)
  const prometheus = await PrometheusServer.open({ targets: ports.map(({ inside }) => `127.0.0.1:${inside}`), rules })
  if (prometheus === null) throw new Error("No Prometheus can be had here.")
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const close = async () => {
    await Promise.all([engines.close(), prometheus.close(), vendor.close(), toRows.close(), toCounters.close()])
    hook.close()
    await Promise.all([redis.close(), postgres.stop()])
  }
  return {
    api: `http://127.0.0.1:${api}`,
    hook: `http://127.0.0.1:${hook.port}/`,
    postgres,
    redis,
    toRows,
    toCounters,
    vendor,
    endpoint,
    engines,
    prometheus,
    close,
  }
}

export type Place = Awaited<ReturnType<typeof openPlace>>
