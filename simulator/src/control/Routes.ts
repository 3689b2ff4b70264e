import type { NotFound, PortError, StateConflict } from "@carillon/core"
import { Timestamp } from "@carillon/core/domain"
import { Cause, Exit, Option } from "effect"
import { prometheusContentType } from "@carillon/http"
import { type LegQuery, makesLeg } from "../carrier/Carrier.ts"
import type { Goal } from "../clock/Driver.ts"
import type { ClockMode } from "../clock/VirtualClock.ts"
import { metricsText } from "../events/Metrics.ts"
import { breakable, faultModes } from "../faults/Fault.ts"
import { makeOrganization, patchOrganization, patchPlatform } from "../fixtures/Organizations.ts"
import { journalText } from "../journal/Journal.ts"
import { readPackage } from "../Package.ts"
import type { Waiting } from "../Process.ts"
import type { Stage } from "../Stage.ts"
import {
  Advance,
  decodeRules,
  Inbound,
  MakeOrganization,
  momentOf,
  PatchOrganization,
  PatchPlatform,
  Reset,
  Restore,
  SetClock,
  SetFaults,
  SetInbox,
  SetNames,
} from "./Bodies.ts"
import { decode } from "./Decode.ts"
import { controlDocument } from "./OpenApi.ts"
import { isoDurationMs } from "./IsoDuration.ts"
import { conflict, invalid, missing, notFound, Refusal } from "./Refusal.ts"

/** The version of the control contract that is served. */
const contractVersion = 1

/** What the control surface works on: the present stage, and the power to replace it. */
export interface Host {
  /** What control requests must carry; null: nothing. */
  readonly controlToken: string | null
  readonly stage: Stage
  readonly reset: (changes: { readonly seed?: string; readonly epoch?: number }) => Promise<void>
  /** Keeps the present world and answers under which id. */
  readonly snapshot: () => string
  readonly restore: (snapshotId: string) => Promise<void>
}

/** A control request, read whole. */
export interface ControlRequest {
  /** The values of the path's placeholders. */
  readonly params: ReadonlyArray<string>
  readonly query: URLSearchParams
  readonly body: unknown
}

/** The answer: a JSON body, a text of another type, or none. */
export interface ControlAnswer {
  readonly status: number
  readonly body?: unknown
  readonly text?: { readonly type: string; readonly content: string }
}

/** A route under `/_sim`. Its path's placeholders are `{…}`. */
export interface ControlRoute {
  readonly method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly handle: (host: Host, request: ControlRequest) => ControlAnswer | Promise<ControlAnswer>
}

const identity = readPackage()

const ok = (body: unknown): ControlAnswer => ({ status: 200, body })

const iso = Timestamp.formatUtc

const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

const waitingView = (waiting: ReadonlyArray<Waiting>) => waiting.map((one) => ({ ...one, since: iso(one.since) }))

const clockView = async ({ world, process, driver }: Stage) => ({
  now: iso(world.clock.now()),
  mode: world.clock.mode,
  speed: world.clock.speed,
  next_due: isoOrNull(await driver.nextDue({ housekeeping: false })),
  waiting: waitingView(process.waiting),
})

const modeOf = ({ mode, speed }: typeof SetClock.Type): ClockMode => {
  if (mode !== "scaled") {
    if (speed !== undefined) throw invalid("speed", "is for the mode scaled")
    return { mode }
  }
  if (speed === undefined) throw missing("speed")
  return { mode, speed }
}

/** How far an `until` goes that is given no bound: seven days. */
const defaultMaxMs = 7 * 24 * 3_600_000

const forms = ["by_ms", "by", "to", "until_idle", "until"] as const

const goalOf = (body: typeof Advance.Type, { world }: Stage): Goal => {
  const now = world.clock.now()
  const given = forms.filter((form) => body[form] !== undefined)
  if (given.length === 0) throw missing("by_ms")
  if (given.length > 1) throw invalid(given[1]!, `cannot be given together with ${given[0]}`)
  if (body.max_ms !== undefined && body.until === undefined && body.until_idle === undefined) {
    throw invalid("max_ms", "is for until and until_idle")
  }
  const until = now + (body.max_ms ?? defaultMaxMs)
  if (body.until !== undefined) {
    if (world.call(body.until.execution_id) === undefined) throw notFound("Call not found.")
    return { _tag: "Status", ...body.until, until }
  }
  if (body.until_idle !== undefined) return { _tag: "Idle", until }
  if (body.by_ms !== undefined) return { _tag: "Time", at: now + body.by_ms }
  if (body.by !== undefined) return { _tag: "Time", at: now + (isoDurationMs(body.by) ?? 0) }
  const to = momentOf(body.to ?? "")
  if (to < now) throw invalid("to", "must not lie before the present virtual time")
  return { _tag: "Time", at: to }
}

/** Why the engine did not take a call that arrived. */
const refusalOfCause = (cause: Cause.Cause<NotFound | StateConflict | PortError>): unknown => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  switch (error?._tag) {
    case "NotFound":
      return notFound(error.message)
    case "StateConflict":
      return conflict(error.message)
    case "InvalidField":
      return invalid(error.field, error.reason)
    case "DependencyUnavailable":
    case "DependencyTimeout":
      return new Refusal(1501, "The engine could not take the call now.")
    case undefined:
      return Cause.squash(cause)
  }
}

const legQueryOf = (query: URLSearchParams): LegQuery => {
  const subject: { [field: string]: string } = {}
  for (const field of ["to_number", "execution_id", "agent_id", "campaign_id"]) {
    const value = query.get(field)
    // A plus that was not encoded arrives as a space.
    if (value !== null) subject[field] = field === "to_number" ? value.replace(/^ /, "+") : value
  }
  const live = query.get("live")
  if (live !== null && live !== "true" && live !== "false") throw invalid("live", "must be true or false")
  return live === null ? subject : { ...subject, live: live === "true" }
}

/** Every route that is served under `/_sim`. */
export const controlRoutes: ReadonlyArray<ControlRoute> = [
  {
    method: "GET",
    path: "/_sim",
    handle: ({ stage: { demo, world } }) =>
      ok({
        ...identity,
        contract: contractVersion,
        seed: world.options.seed,
        clock: { now: iso(world.clock.now()), mode: world.clock.mode, speed: world.clock.speed },
        storage: world.options.storageName,
        counters: world.options.counters?.name ?? "memory:",
        limits: world.options.limits.text,
        demo,
      }),
  },
  { method: "GET", path: "/_sim/openapi.json", handle: () => ok(controlDocument) },
  {
    method: "POST",
    path: "/_sim/reset",
    handle: async (host, { body }) => {
      const { seed, epoch } = decode(Reset, body)
      await host.reset({
        ...(seed === undefined ? {} : { seed: String(seed) }),
        ...(epoch === undefined ? {} : { epoch: momentOf(epoch) }),
      })
      return { status: 204 }
    },
  },
  {
    method: "POST",
    path: "/_sim/snapshot",
    handle: (host) => ({ status: 201, body: { snapshot_id: host.snapshot() } }),
  },
  {
    method: "POST",
    path: "/_sim/restore",
    handle: async (host, { body }) => {
      await host.restore(decode(Restore, body).snapshot_id)
      return { status: 204 }
    },
  },
  {
    method: "GET",
    path: "/_sim/journal",
    handle: ({ stage: { world } }) => ({
      status: 200,
      text: { type: "application/x-ndjson", content: journalText(world.journal.cut()()) },
    }),
  },
  { method: "GET", path: "/_sim/clock", handle: async ({ stage }) => ok(await clockView(stage)) },
  {
    method: "PUT",
    path: "/_sim/clock",
    handle: async ({ stage }, { body }) => {
      const { clock, history } = stage.world
      clock.setMode(modeOf(decode(SetClock, body)))
      history.append({ type: "clock", mode: clock.mode, speed: clock.speed })
      return ok(await clockView(stage))
    },
  },
  {
    method: "POST",
    path: "/_sim/clock/advance",
    handle: async ({ stage }, { body }) => {
      const goal = goalOf(decode(Advance, body), stage)
      if (stage.world.clock.mode !== "manual") throw conflict("Only a clock in manual mode can be advanced.")
      const { events, reached } = await stage.driver.advance(goal)
      return ok({ now: iso(stage.world.clock.now()), events, waiting: waitingView(stage.process.waiting), reached })
    },
  },
  {
    method: "POST",
    path: "/_sim/organizations",
    handle: ({ stage }, { body }) => {
      const fixture = decode(MakeOrganization, body)
      return { status: 201, body: makeOrganization(stage.world, fixture, ["control", stage.organizations++]) }
    },
  },
  {
    method: "PATCH",
    path: "/_sim/organizations/{id}",
    handle: ({ stage: { world } }, { body, params }) => {
      const patched = patchOrganization(world, params[0] ?? "", decode(PatchOrganization, body))
      if (patched === null) throw notFound("Organization not found.")
      return ok(patched)
    },
  },
  {
    method: "PATCH",
    path: "/_sim/platform",
    handle: ({ stage: { world } }, { body }) => {
      const { concurrency } = decode(PatchPlatform, body)
      patchPlatform(world, concurrency)
      return ok({ concurrency })
    },
  },
  {
    method: "POST",
    path: "/_sim/inbound",
    handle: async ({ stage: { process, world } }, { body }) => {
      const { agent_id = null, outcome = { result: "completed" }, ...numbers } = decode(Inbound, body)
      if (!makesLeg(outcome)) throw invalid("outcome.result", "is not for calls that arrive")
      const arrival = { ...numbers, agent_id, call_sid: world.carrier.arrivingId() }
      const taken = await world.interleaving.without(() => process.run(process.engine.arrive(arrival)))
      if (process.hasEnded) throw new Refusal(1501, "The process ended while it took the call.")
      if (Exit.isFailure(taken)) throw refusalOfCause(taken.cause)
      world.carrier.arrive(taken.value, outcome)
      return { status: 201, body: { execution_id: taken.value.execution_id } }
    },
  },
  {
    method: "PUT",
    path: "/_sim/telephony/rules",
    handle: ({ stage: { world } }, { body }) => {
      world.rules.replace(decodeRules(body))
      return ok(world.rules.current)
    },
  },
  {
    method: "GET",
    path: "/_sim/telephony/legs",
    handle: ({ stage: { world } }, { query }) => {
      const { data, peak_live } = world.carrier.query(legQueryOf(query), world.clock.now())
      return ok({
        data: data.map((leg) => ({
          ...leg,
          placed_at: iso(leg.placed_at),
          answered_at: isoOrNull(leg.answered_at),
          ended_at: isoOrNull(leg.ended_at),
        })),
        peak_live,
      })
    },
  },
  {
    method: "PUT",
    path: "/_sim/dns",
    handle: ({ stage: { world } }, { body }) => {
      const records = decode(SetNames, body)
      world.names.replace(records)
      return ok(records)
    },
  },
  {
    method: "PUT",
    path: "/_sim/inbox/{name}",
    handle: ({ stage: { world } }, { body, params }) => {
      const behaviour = decode(SetInbox, body)
      world.inboxes.configure(params[0] ?? "", behaviour)
      return ok(behaviour)
    },
  },
  {
    method: "GET",
    path: "/_sim/inbox/{name}",
    handle: ({ stage: { world } }, { params }) =>
      ok({
        data: world.inboxes
          .received(params[0] ?? "")
          .map((request) => ({ ...request, received_at: iso(request.received_at) })),
      }),
  },
  {
    method: "DELETE",
    path: "/_sim/inbox/{name}",
    handle: ({ stage: { world } }, { params }) => {
      world.inboxes.empty(params[0] ?? "")
      return { status: 204 }
    },
  },
  {
    method: "PUT",
    path: "/_sim/faults",
    handle: ({ stage: { driver, world } }, { body }) => {
      const faults = decode(SetFaults, body)
      // An empty body names no dependency, so it can only mean all of them.
      if (Object.keys(faults).length === 0) world.faults.clear()
      else world.faults.set(faults)
      driver.claimAgain()
      world.history.append({ type: "faults", faults: world.faults.current })
      return ok(world.faults.current)
    },
  },
  {
    method: "GET",
    path: "/_sim/invariants",
    handle: async ({ stage: { process, world } }) => {
      await process.run(world.lines.count)
      world.look()
      const { checked, violations } = world.invariants
      return ok({ checked, violations: violations.map((one) => ({ ...one, at: iso(one.at) })) })
    },
  },
  {
    method: "GET",
    path: "/_sim/stats",
    handle: ({ stage: { rate, world } }) => {
      const organizations = world.lines.held()
      return ok({
        calls_by_status: world.rows.callsByStatus(),
        live: world.carrier.live,
        live_peak: world.carrier.peak,
        slots: {
          platform: [...organizations.values()].reduce((sum, count) => sum + count, 0),
          organizations: Object.fromEntries(organizations),
        },
        webhooks: world.webhooks.counts(),
        campaigns: world.campaigns
          .views()
          .map(({ campaign_id, demand, floor, share, used }) => ({ campaign_id, used, floor, demand, share })),
        events_per_second: rate.read(),
      })
    },
  },
  {
    method: "GET",
    path: "/_sim/metrics",
    handle: async ({ stage }) => ({
      status: 200,
      text: { type: prometheusContentType, content: await metricsText(stage) },
    }),
  },
  {
    method: "GET",
    path: "/_sim/capabilities",
    handle: () =>
      ok({
        contract: contractVersion,
        clock: true,
        telephony: true,
        magic: true,
        inbound: true,
        dns: true,
        faults: Object.fromEntries(breakable.map((dependency) => [dependency, faultModes])),
        inbox: true,
        snapshot: true,
        organizations: true,
        platform: true,
      }),
  },
]
