import { bucketsOf, configuration, conversationConfig, flatView, merged } from "./configuration.ts"
import { checkedUrl } from "./destinations.ts"
import { conflict, invalid, malformed, notFound } from "./errors.ts"
import {
  defined,
  type Fields,
  flag,
  integer,
  isJson,
  type Json,
  json,
  list,
  map,
  oneOf,
  orNull,
  type Read,
  text,
  within,
  zone,
} from "./fields.ts"
import { mint } from "./ids.ts"
import type { Organization } from "./organization.ts"
import { pageAsked, pageOf } from "./query.ts"
import type { Context, Route } from "./route.ts"
import { minutesOf, type Schedule } from "./windows.ts"

const statuses = ["DRAFT", "ACTIVE", "INACTIVE", "ARCHIVED"] as const

type Status = (typeof statuses)[number]

/** An agent: its settings are the JSON that was given for them. */
export interface Agent {
  readonly agent_id: string
  settings: Json
  status: Status
  version: number
  dropped: ReadonlyArray<string>
  readonly created_at: string
  updated_at: string
  /** Breaks ties of creation in the order of commits. */
  readonly order: number
}

const displayName: Read<string> = (value, path) => {
  const name = text(1, 100)(value, path)
  if (!/^[\p{L}\p{N} \-_.()]+$/u.test(name)) {
    throw invalid(path, "may only have letters, digits, spaces and - _ . ( )")
  }
  return name
}

const prompt = within((fields) => {
  fields.optional("system", orNull(text()))
  return fields.values
})

const guard: Read<Json> = within((fields) => {
  const enabled = fields.optional("enabled", flag) ?? true
  const timezone = fields.optional("timezone", zone)
  const start = fields.optional("start", text())
  const end = fields.optional("end", text())
  const days = fields.optional("days", list(integer(Number.MIN_SAFE_INTEGER)))
  if (days?.some((day) => day < 0 || day > 6) === true) throw malformed("A day of 'calling_guard' is 0 to 6.")
  const opens = start === undefined ? null : minutesOf(start, "calling_guard.start")
  const closes = end === undefined ? null : minutesOf(end, "calling_guard.end")
  if (opens !== null && closes !== null && opens >= closes) {
    throw malformed("The start of 'calling_guard' must lie before its end.")
  }
  return { enabled, ...defined({ timezone, start, end, days }) }
})

const integrations = within((fields) => {
  fields.optional(
    "webhook",
    orNull(
      within((webhook) => {
        const url = webhook.optional("url", orNull(text(0, 2048)))
        if (url !== undefined && url !== null) checkedUrl(url)
      }),
    ),
  )
  fields.optional("webcall", orNull(within((webcall) => webcall.optional("enabled", orNull(flag)))))
  return fields.values
})

const followUp = within((fields) => {
  fields.optional("follow_up_agent_id", orNull(text()))
  fields.optional("follow_up_prompt", orNull(text()))
  fields.optional("follow_up_extra_logic", orNull(json))
  return fields.values
})

const variables = within((fields) => {
  fields.optional("custom", orNull(list(text())))
  fields.optional("_original_format", orNull(text()))
  return fields.values
})

const analytics = within((fields) => {
  fields.optional(
    "custom",
    orNull(
      list(
        within((one) => {
          one.optional("name", text())
          one.optional("prompt", orNull(text()))
          one.optional("required_keys", orNull(list(text())))
        }),
      ),
    ),
  )
  return fields.values
})

const multilingual = within((fields) => {
  fields.optional("enabled", orNull(flag))
  fields.optional("active_language", orNull(text()))
  fields.optional("languages", orNull(map(json)))
  return fields.values
})

/** The settings in the order of the schema. */
const readers: ReadonlyArray<readonly [string, Read<unknown>]> = [
  ["summary", orNull(text(0, 2000))],
  ["greeting_message", orNull(text(0, 20_000))],
  ["status", orNull(oneOf(statuses))],
  ["category", orNull(text())],
  ["labels", orNull(list(text()))],
  [
    "prompts",
    orNull(
      within((fields) => {
        for (const name of ["conversation", "summarization", "extraction"]) fields.optional(name, orNull(prompt))
        return fields.values
      }),
    ),
  ],
  ["variables", orNull(variables)],
  ["analytics", orNull(analytics)],
  ["integrations", orNull(integrations)],
  ["knowledge_base", orNull(text(1))],
  ["calling_guard", orNull(guard)],
  ["conversation_config", orNull(conversationConfig)],
  ["configuration", configuration],
  [
    "settings",
    orNull(
      within((fields) => {
        fields.optional("agent_memory", orNull(flag))
        return fields.values
      }),
    ),
  ],
  ["follow_up_config", orNull(followUp)],
  ["multilingual", orNull(multilingual)],
]

const neverNull = [
  "prompts",
  "variables",
  "analytics",
  "calling_guard",
  "configuration",
  "settings",
  "follow_up_config",
]

/** What a body says of the settings, read and checked. */
const read = (body: Fields, named: "required" | "optional"): Record<string, unknown> => {
  // Null clears in a merge patch; a whole agent has objects where objects are.
  const wrong = named === "required" ? neverNull.find((field) => body.values[field] === null) : undefined
  const name =
    named === "required" ? body.required("display_name", displayName) : body.optional("display_name", displayName)
  const out: Record<string, unknown> = name === undefined ? {} : { display_name: name }
  for (const [field, reader] of readers) {
    const value = body.optional(field, reader)
    if (field === wrong) throw invalid(field, "must be an object")
    if (value !== undefined) out[field] = value
  }
  return out
}

/** A language without a voice cannot be saved. */
const withVoices = (block: unknown): { readonly block: unknown; readonly dropped: ReadonlyArray<string> } => {
  if (!isJson(block) || !isJson(block["languages"])) return { block, dropped: [] }
  const entries = Object.entries(block["languages"])
  const isVoiced = ([, language]: [string, unknown]) =>
    isJson(language) && typeof language["voice_id"] === "string" && language["voice_id"] !== ""
  const dropped = entries.filter((entry) => !isVoiced(entry)).map(([code]) => code)
  return { block: { ...block, languages: Object.fromEntries(entries.filter(isVoiced)) }, dropped }
}

/** Applies checked settings to stored ones; a merge patch, but for `multilingual` and the flat controls. */
const apply = (agent: Agent, given: Record<string, unknown>): void => {
  const { conversation_config: flat, ...patch } = given
  // A move is made apart from the settings.
  delete patch["status"]
  const { block, dropped } = withVoices(patch["multilingual"])
  const buckets = isJson(flat) ? bucketsOf(flat) : {}
  const own = isJson(patch["configuration"]) ? patch["configuration"] : undefined
  const settings = { ...agent.settings }
  for (const [name, value] of Object.entries(patch)) {
    const whole = name === "multilingual" || name === "calling_guard"
    const next = whole ? value : merged(settings[name], value)
    if (next === null) delete settings[name]
    else settings[name] = next
  }
  if ("multilingual" in patch && block !== null) settings["multilingual"] = block
  const guarded = settings["calling_guard"]
  if (isJson(guarded) && guarded["enabled"] === false) delete settings["calling_guard"]
  // Where one body sets a control both ways, the bucket wins.
  const withFlat = merged(settings["configuration"] ?? {}, buckets)
  settings["configuration"] = own === undefined ? withFlat : merged(withFlat, own)
  agent.settings = settings
  agent.dropped = dropped
}

const placeholdersOf = (settings: Json): ReadonlyArray<string> => {
  const found = JSON.stringify([settings["greeting_message"], settings["prompts"]]).matchAll(/\{(\w{1,64})\}/g)
  return [...new Set([...found].map(([, name = ""]) => name))]
}

const show = (agent: Agent, { organization_id }: Organization, inList = false) => {
  const { settings } = agent
  const of = (name: string): unknown => settings[name] ?? null
  const inside = (name: string): Json => (isJson(settings[name]) ? settings[name] : {})
  return {
    agent_id: agent.agent_id,
    org_id: organization_id,
    display_name: of("display_name"),
    summary: of("summary"),
    greeting_message: of("greeting_message"),
    status: agent.status,
    category: of("category"),
    labels: settings["labels"] ?? [],
    prompts: inList ? {} : inside("prompts"),
    variables: { custom: [], ...inside("variables"), placeholders: placeholdersOf(settings) },
    analytics: { custom: [], ...inside("analytics") },
    integrations: of("integrations"),
    knowledge_base: inList ? null : of("knowledge_base"),
    calling_guard: of("calling_guard"),
    conversation_config: flatView(inside("configuration")),
    configuration: inside("configuration"),
    settings: inside("settings"),
    follow_up_config: inside("follow_up_config"),
    multilingual: of("multilingual"),
    timestamps: { created_at: agent.created_at, updated_at: agent.updated_at },
    version: agent.version,
    dropped_languages: agent.dropped,
  }
}

const moves: Readonly<Record<Status, ReadonlyArray<Status>>> = {
  DRAFT: ["ACTIVE", "INACTIVE", "ARCHIVED"],
  ACTIVE: ["INACTIVE"],
  INACTIVE: ["ACTIVE", "ARCHIVED"],
  ARCHIVED: [],
}

const moveTo = (agent: Agent, status: Status): void => {
  if (status === agent.status) return
  if (!moves[agent.status].includes(status)) {
    throw conflict(`An agent cannot go from ${agent.status} to ${status}.`)
  }
  agent.status = status
}

/** The agent of an id, or 404. */
export const agentOf = ({ agents }: Organization, id: string): Agent => {
  const found = agents.get(id)
  if (found === undefined) throw notFound("Agent")
  return found
}

const update = (agent: Agent, patch: Record<string, unknown>, now: string): void => {
  const status = statuses.find((one) => one === patch["status"])
  if (status !== undefined) moveTo(agent, status)
  apply(agent, patch)
  agent.version += 1
  agent.updated_at = now
}

const add = ({ organization, world }: Context, settings: Json): Agent => {
  const now = world.clock.iso()
  const order = organization.agents.size
  const parts = { agent_id: mint("agt"), settings, status: "DRAFT", version: 1, dropped: [], order } as const
  const agent: Agent = { ...parts, created_at: now, updated_at: now }
  organization.agents.put(agent.agent_id, agent)
  return agent
}

const create = async (context: Context) => {
  const settings = read(await context.fields(), "required")
  const agent = add(context, {})
  update(agent, settings, context.world.clock.iso())
  context.touch("agent", agent.agent_id)
  return { status: 201, body: show(agent, context.organization) }
}

const sortKeys = ["created_at", "updated_at", "name", "status"] as const

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const listed = ({ organization, query }: Context) => {
  pageAsked(query)
  const status = query.word("status", statuses)
  const category = query.text("category")
  const search = query.text("search")?.toLowerCase() ?? ""
  const sortBy = query.word("sort_by", sortKeys) ?? "created_at"
  const order = query.word("sort_order", ["asc", "desc"]) ?? "desc"
  const rows = organization.agents.filter(
    (agent) =>
      (status === null ? agent.status !== "ARCHIVED" : agent.status === status) &&
      (category === null || agent.settings["category"] === category) &&
      textOf(agent.settings["display_name"]).toLowerCase().includes(search),
  )
  const keyOf = (agent: Agent): string =>
    sortBy === "name" ? textOf(agent.settings["display_name"]) : sortBy === "status" ? agent.status : agent[sortBy]
  rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : a.order - b.order))
  if (order === "desc") rows.reverse()
  return { status: 200, body: pageOf(query, rows, (agent) => show(agent, organization, true)) }
}

const mustBeEditable = (agent: Agent, body: Json): void => {
  const names = Object.keys(body)
  const rests = names.length === 1 && body["status"] === "INACTIVE"
  if (agent.status === "ACTIVE" && !rests) {
    throw conflict("An active agent cannot be edited. Set it to INACTIVE first.")
  }
  if (agent.status === "ARCHIVED") throw conflict("An archived agent cannot be edited.")
}

const edit = (how: "patch" | "replace") => async (context: Context) => {
  const { organization, world } = context
  const body = await context.fields()
  const agent = agentOf(organization, context.id)
  context.touch("agent", agent.agent_id)
  if (how === "patch" && Object.keys(body.values).length === 0) throw malformed("The request body must not be empty.")
  const patch = read(body, how === "replace" ? "required" : "optional")
  mustBeEditable(agent, body.values)
  if (how === "replace") agent.settings = {}
  update(agent, patch, world.clock.iso())
  return { status: 200, body: show(agent, organization) }
}

const archive = (context: Context) => {
  const agent = agentOf(context.organization, context.id)
  context.touch("agent", agent.agent_id)
  if (agent.status === "ACTIVE") throw conflict("An active agent cannot be archived. Set it to INACTIVE first.")
  agent.status = "ARCHIVED"
  return { status: 200, body: { agent_id: agent.agent_id, status: "ARCHIVED", archived: true } }
}

const clone = async (context: Context) => {
  const body = await context.fields({ optional: true })
  const agent = agentOf(context.organization, context.id)
  const suffix = " (copy)"
  const name = [...textOf(agent.settings["display_name"])].slice(0, 100 - suffix.length).join("") + suffix
  const display_name = body.optional("display_name", displayName) ?? name
  const copy = add(context, { ...structuredClone(agent.settings), display_name })
  copy.version = 2
  context.touch("agent", copy.agent_id)
  return { status: 201, body: show(copy, context.organization) }
}

const deploy = (status: Status) => (context: Context) => {
  const agent = agentOf(context.organization, context.id)
  context.touch("agent", agent.agent_id)
  moveTo(agent, status)
  agent.version += 1
  agent.updated_at = context.world.clock.iso()
  return { status: 200, body: show(agent, context.organization) }
}

/** When the agent may call; null where it always may. */
export const guardOf = ({ settings }: Agent): Schedule | null => {
  const guarded = settings["calling_guard"]
  if (!isJson(guarded)) return null
  const [start, end] = [textOf(guarded["start"]) || "00:00", textOf(guarded["end"]) || "23:59"]
  const hours = { start: minutesOf(start, "start"), end: minutesOf(end, "end") }
  const days: ReadonlyArray<unknown> = Array.isArray(guarded["days"]) ? guarded["days"] : []
  const isOpen = (day: number) => days.length === 0 || days.includes(day)
  return {
    zone: textOf(guarded["timezone"]) || "UTC",
    days: [0, 1, 2, 3, 4, 5, 6].map((day) => (isOpen(day) ? hours : null)),
  }
}

const one = "/v2/agents/{agent_id}"

export const agentRoutes: ReadonlyArray<Route> = [
  { method: "POST", path: "/v2/agents", action: "agent.create", scope: "agents:write", handle: create },
  { method: "GET", path: "/v2/agents", scope: "agents:read", handle: listed },
  {
    method: "GET",
    path: one,
    scope: "agents:read",
    handle: ({ id, organization }) => ({ status: 200, body: show(agentOf(organization, id), organization) }),
  },
  { method: "PUT", path: one, action: "agent.replace", scope: "agents:write", handle: edit("replace") },
  { method: "PATCH", path: one, action: "agent.update", scope: "agents:write", handle: edit("patch") },
  { method: "DELETE", path: one, action: "agent.archive", scope: "agents:write", handle: archive },
  { method: "POST", path: `${one}/clone`, action: "agent.clone", scope: "agents:write", handle: clone },
  { method: "POST", path: `${one}/deploy`, action: "agent.deploy", scope: "agents:write", handle: deploy("ACTIVE") },
  {
    method: "POST",
    path: `${one}/undeploy`,
    action: "agent.undeploy",
    scope: "agents:write",
    handle: deploy("INACTIVE"),
  },
]
