import { agentOf } from "./agents.ts"
import { conflict, malformed, missing, notFound } from "./errors.ts"
import { defined, type Fields, iso, isoOrNull, moment, number, oneOf, orNull, text } from "./fields.ts"
import { mint, spread } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { pageAsked, pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"

const statuses = ["draft", "active", "paused", "concluded"] as const

type Status = (typeof statuses)[number]

/** A share of an agent's calls goes to a challenger. */
export interface Experiment {
  readonly version_id: string
  readonly main_agent_id: string
  variant_agent_id: string
  version_name: string
  description: string | null
  variable_tested: string | null
  variant_traffic_pct: number
  status: Status
  winner: "control" | "variant" | null
  start_date: number | null
  end_date: number | null
  readonly created_by: string
  readonly created_at: number
  updated_at: number
}

const show = (one: Experiment) => ({
  ...one,
  start_date: isoOrNull(one.start_date),
  end_date: isoOrNull(one.end_date),
  created_at: iso(one.created_at),
  updated_at: iso(one.updated_at),
})

const nullable: ReadonlySet<string> = new Set(["description", "variable_tested", "start_date", "end_date"])

const fieldNames = [
  "variant_agent_id",
  "version_name",
  "description",
  "variable_tested",
  "variant_traffic_pct",
  "status",
  "winner",
  "start_date",
  "end_date",
]

const read = (body: Fields) => {
  for (const name of fieldNames) {
    if (body.values[name] === null && !nullable.has(name)) throw malformed(`The field '${name}' must not be null.`)
  }
  return {
    variant_agent_id: body.optional("variant_agent_id", text(1)),
    version_name: body.optional("version_name", text(1, 200)),
    description: body.optional("description", orNull(text())),
    variable_tested: body.optional("variable_tested", orNull(text())),
    variant_traffic_pct: body.optional("variant_traffic_pct", number(0, 100)),
    status: body.optional("status", (value) => {
      const found = statuses.find((one) => one === value)
      if (found === undefined) throw malformed(`Unknown status. Valid values are: ${statuses.join(", ")}.`)
      return found
    }),
    winner: body.optional("winner", oneOf(["control", "variant"])),
    start_date: body.optional("start_date", orNull(moment)),
    end_date: body.optional("end_date", orNull(moment)),
  }
}

type Read = ReturnType<typeof read>

const moves: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  draft: ["active", "concluded"],
  active: ["paused", "concluded"],
  paused: ["active", "concluded"],
  concluded: [],
}

const mustHaveVariant = ({ agents }: Organization, id: string | undefined): void => {
  if (id !== undefined && agents.get(id) === undefined)
    throw malformed("The variant agent is not in this organization.")
}

const mustBeOnlyActive = (organization: Organization, main: string, own: Experiment | null): void => {
  const other = organization.experiments.find(
    (one) => one !== own && one.main_agent_id === main && one.status === "active",
  )
  if (other !== undefined) throw conflict("Another experiment of this agent is active.")
}

const mustConclude = (status: Status | undefined, winner: Read["winner"]): void => {
  if (status === "concluded" && winner === undefined) throw missing("winner")
  if (status !== "concluded" && winner !== undefined)
    throw malformed("A winner is named when an experiment is concluded.")
}

const add = async (context: Context) => {
  const { id, key, organization, world } = context
  const body = await context.fields()
  for (const name of ["variant_agent_id", "version_name"]) if (!body.has(name)) throw missing(name)
  const {
    status = "draft",
    variant_agent_id = "",
    variant_traffic_pct = 0,
    version_name = "",
    winner,
    ...given
  } = read(body)
  agentOf(organization, id)
  mustHaveVariant(organization, variant_agent_id)
  mustConclude(status, winner)
  if (status === "active") mustBeOnlyActive(organization, id, null)
  const now = world.clock.now()
  const made: Experiment = {
    version_id: mint("ver"),
    main_agent_id: id,
    variant_agent_id,
    version_name,
    description: given.description ?? null,
    variable_tested: given.variable_tested ?? null,
    variant_traffic_pct,
    status,
    winner: winner ?? null,
    start_date: given.start_date ?? null,
    end_date: given.end_date ?? null,
    created_by: key.key_id,
    created_at: now,
    updated_at: now,
  }
  organization.experiments.put(made.version_id, made)
  context.touch("experiment", made.version_id)
  return { status: 201, body: show(made) }
}

const experimentOf = ({ organization, params: [agentId, versionId = ""] }: Context): Experiment => {
  const found = organization.experiments.get(versionId)
  if (found === undefined || found.main_agent_id !== agentId) throw notFound("Experiment")
  return found
}

const change = async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const one = experimentOf(context)
  if (Object.keys(body.values).length === 0) throw malformed("The request body must not be empty.")
  const { status, winner, ...given } = read(body)
  mustHaveVariant(organization, given.variant_agent_id)
  if (one.status === "concluded") throw conflict("A concluded experiment cannot be changed.")
  if (status !== undefined || winner !== undefined) mustConclude(status, winner)
  if (status !== undefined && status !== one.status && !moves[one.status].includes(status)) {
    throw conflict(`An experiment cannot go from ${one.status} to ${status}.`)
  }
  if (status === "active") mustBeOnlyActive(organization, one.main_agent_id, one)
  Object.assign(one, defined({ ...given, status, winner }), { updated_at: world.clock.now() })
  context.touch("experiment", one.version_id)
  return { status: 200, body: show(one) }
}

const remove = (context: Context) => {
  const one = experimentOf(context)
  context.touch("experiment", one.version_id)
  if (one.status !== "draft" && one.status !== "concluded") {
    throw conflict(`An experiment that is ${one.status} cannot be deleted.`)
  }
  context.organization.experiments.delete(one.version_id)
  return { status: 200, body: { version_id: one.version_id, deleted: true } }
}

const listed = ({ id, organization, query }: Context) => {
  pageAsked(query)
  const status = query.word("status", statuses)
  agentOf(organization, id)
  const rows = organization.experiments.newestFirst(
    (one) => one.main_agent_id === id && (status === null || one.status === status),
  )
  return { status: 200, body: pageOf(query, rows, show) }
}

/** Which agent runs a call, by an active experiment; the same contact always gets the same one. */
export const assigned = (organization: Organization, agentId: string, who: string) => {
  const active = organization.experiments.find((one) => one.main_agent_id === agentId && one.status === "active")
  if (active === undefined) return { agentId, version: null, variant: null }
  const chosen = spread(`${active.version_id} ${who}`, 10_000) < active.variant_traffic_pct * 100
  const runs = chosen && organization.agents.get(active.variant_agent_id)?.status === "ACTIVE"
  return { agentId: runs ? active.variant_agent_id : agentId, version: active.version_id, variant: runs }
}

const all = "/v2/agents/{agent_id}/versions"

export const experimentRoutes: ReadonlyArray<Route> = [
  { method: "GET", path: all, handle: listed },
  { method: "POST", path: all, action: "experiment.create", handle: add },
  {
    method: "GET",
    path: `${all}/{version_id}`,
    handle: (context) => ({ status: 200, body: show(experimentOf(context)) }),
  },
  { method: "PATCH", path: `${all}/{version_id}`, action: "experiment.update", handle: change },
  { method: "DELETE", path: `${all}/{version_id}`, action: "experiment.delete", handle: remove },
]
