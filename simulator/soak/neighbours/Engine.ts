import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { Agents, AllowedDestinations, Organizations, Plans, Telephony, TextExtractor } from "@carillon/core"
import { MemoryRates, MemorySlots, MemoryStore, MemoryTables } from "@carillon/core/memory"
import { Carillon } from "@carillon/http"
import { firstOf, probes } from "@carillon/http"
import { nodeServer } from "@carillon/http/node"
import { nodeWebhookTransport } from "@carillon/http/webhooks"
import { NodeTextExtractor } from "@carillon/knowledge-node"
import * as Postgres from "@carillon/postgres"
import { Effect, Layer, Redacted } from "effect"
import type { Mark, Ready } from "./Messages.ts"

/**
 * The process under attack: an engine as production runs it, with two organizations. It tells its parent how long its event loop stood
 * still and how much memory it held since it was asked last.
 */

const { values } = parseArgs({
  options: {
    storage: { type: "string", default: "memory:" },
    endpoint: { type: "string", multiple: true, default: [] },
  },
})

const unlimited = 1_000_000_000
const sampleMs = 5
/** How often the event loop is looked at. */
const turnMs = 1

const carrier = Layer.succeed(Telephony, {
  dial: ({ execution_id }) =>
    Effect.sync(() => {
      setTimeout(() => hangUp(execution_id), sampleMs)
      return { _tag: "Accepted", call_sid: `leg-${execution_id}` } as const
    }),
  hangup: () => Effect.succeed("Sent"),
  find: () => Effect.succeed({ _tag: "NoAnswer" }),
})

const hangUp = (execution_id: string): void => {
  const leg = { execution_id, at: Date.now(), call_sid: `leg-${execution_id}` }
  const end = {
    status: "completed",
    duration_seconds: 1,
    answered_by_voicemail: null,
    hangup_by: "customer",
    hangup_reason: null,
    error: null,
  } as const
  const facts = { recording_url: null, cost: null, media: null }
  void carillon.report({ ...leg, type: "final", end, facts }).catch(() => {})
}

const storage =
  values.storage === "memory:"
    ? MemoryStore.layer(new MemoryTables())
    : Postgres.Postgres.layer({ url: Redacted.make(values.storage) })

const carillon = await Carillon.make({
  ports: Layer.mergeAll(storage, MemorySlots.layer(), MemoryRates.layer(), carrier, nodeWebhookTransport()).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        // The worst rate that could be allowed: what a request does is measured, not how often it is refused.
        Layer.succeed(Plans, {
          open: {
            "calls.create": unlimited,
            "executions.list": unlimited,
            "knowledge.upload": unlimited,
            default: unlimited,
          },
        }),
        Layer.succeed(AllowedDestinations, values.endpoint),
        Layer.succeed(TextExtractor, NodeTextExtractor.make()),
      ),
    ),
  ),
})

const tenant = (name: string) =>
  carillon.run(
    Effect.gen(function* () {
      const organizations = yield* Organizations
      const { key, organization, record } = yield* organizations.open({
        name,
        plan: "open",
        wallet: { balance: unlimited, currency: "USD" },
        // Far below the ceiling of the platform, so that each has lines whatever the other does.
        concurrency: { organization: 400, per_agent: null, enforced: true },
        phone_numbers: [name === "Noisy" ? "+15555550001" : "+15555550002"],
      })
      const agents = yield* Agents
      const caller = { organization_id: organization.organization_id, key: record, request_id: "setup" }
      const { agent } = yield* agents.create(caller, { display_name: name, status: "ACTIVE" })
      return { key, agent_id: agent.agent_id }
    }),
  )

const [noisy, quiet] = [await tenant("Noisy"), await tenant("Quiet")]

let peakBytes = 0
let stallMs = 0
let garbageMs = 0
const sawGarbage = (collections: ReadonlyArray<PerformanceEntry>) => {
  for (const { duration } of collections) garbageMs = Math.max(garbageMs, duration)
}
const collections = new PerformanceObserver((list) => sawGarbage(list.getEntries()))
collections.observe({ entryTypes: ["gc"] })
let lastAt = performance.now()
let lastCpu = process.threadCpuUsage()
const lookAtMemory = () => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
}
setInterval(lookAtMemory, sampleMs)
setInterval(() => {
  const [at, cpu] = [performance.now(), process.threadCpuUsage()]
  const usedMs = (cpu.user - lastCpu.user + cpu.system - lastCpu.system) / 1000
  // What the machine gave to others meanwhile is no stall of ours.
  stallMs = Math.max(stallMs, Math.min(at - lastAt, usedMs))
  lastAt = at
  lastCpu = cpu
}, turnMs)

const server = nodeServer(carillon.handle, { fallback: firstOf(probes(carillon), await Carillon.documentation()) })
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const ready: Ready = { port, noisy, quiet }
  process.send?.(ready)
})

process.on("message", () => {
  lookAtMemory()
  sawGarbage(collections.takeRecords())
  const mark: Mark = { stallMs, peakBytes, garbageMs }
  stallMs = 0
  garbageMs = 0
  peakBytes = 0
  process.send?.(mark)
})
process.on("disconnect", () => process.exit(0))
