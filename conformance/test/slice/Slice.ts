/**
 * A second implementation of a slice of `/v2`, independent of everything else here: one function over `Request`, so that
 * the suite is seen to judge the specification and not the habits of one engine. It has its own ids, wording and extra
 * fields; a `Defect` makes it break one rule on purpose.
 */

export type Defect =
  | "accepts-any-scheme"
  | "checks-routes-before-keys"
  | "honours-the-organization"
  | "lists-archived-agents"
  | "leaks-agents"
  | "starts-at-version-1"
  | "never-counts"
  | "answers-405"

export interface SliceOptions {
  readonly key: string
  readonly defect?: Defect
}

type Json = Record<string, unknown>

interface Agent extends Json {
  agent_id: string
  display_name: string
  status: string
  version: number
  prompts: Json
  knowledge_base: string | null
}

class Refusal extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const scopeNames =
  "agents:read agents:write calls:read calls:write batches:write webhooks:write keys:write audit:read".split(" ")

const nameForm = /^[A-Za-z0-9 ._()-]{1,100}$/

const moves: Record<string, string> = {
  DRAFT: "ACTIVE INACTIVE ARCHIVED",
  ACTIVE: "INACTIVE",
  INACTIVE: "ACTIVE ARCHIVED",
  ARCHIVED: "",
}

const sha256 = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")

export const makeSlice = ({ key, defect }: SliceOptions): ((request: Request) => Promise<Response>) => {
  const organization = "acme"
  const agents: Array<Agent> = []
  const started = new Date().toISOString()
  let used = 0

  const authenticate = (header: string | null): void => {
    const [scheme = "", credential = "", more] = (header ?? "").trim().split(/\s+/)
    const bearer = scheme.toLowerCase() === "bearer" || (defect === "accepts-any-scheme" && credential !== "")
    if (!bearer || credential === "" || more !== undefined) throw new Refusal(401, 1100, "Who are you.")
    if (!credential.startsWith("gat_")) throw new Refusal(401, 1101, "That is a session, not a key.")
    if (credential !== key) throw new Refusal(401, 1100, "Nobody minted that.")
  }

  const bodyOf = async (request: Request): Promise<Json> => {
    if (!/^application\/json\s*(;|$)/i.test(request.headers.get("content-type") ?? ""))
      throw new Refusal(400, 1000, "JSON is wanted.")
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > 1_048_576) throw new Refusal(413, 1000, "That is too much.")
    let value: unknown
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
    } catch {
      throw new Refusal(400, 1000, "That is no JSON.")
    }
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new Refusal(400, 1000, "An object is wanted.")
    let level: ReadonlyArray<unknown> = [value]
    for (let depth = 1; level.length > 0; depth++) {
      if (depth > 64) throw new Refusal(400, 1000, "That is too deep.")
      level = level
        .flatMap((each) => Object.values(Object(each)))
        .filter((each) => typeof each === "object" && each !== null)
    }
    return { ...value }
  }

  const identity = async (): Promise<Json> => ({
    organization_id: organization,
    developer: {
      id: "d-1",
      name: "Ada",
      key_id: `key_${(await sha256(key)).slice(0, 16)}`,
      key_preview: `${key.slice(0, 12)}...${key.slice(-4)}`,
    },
    plan: "gold",
    rate_limit_tier: "gold",
    rate_limits: { default: { limit: 1000 } },
    concurrency: { max: 20, enforced: true },
    extra: true,
  })

  const written = (agent: Agent, body: Json): Agent => {
    const {
      display_name = agent.display_name,
      summary = agent.summary,
      prompts = agent.prompts,
      status = agent.status,
    } = body
    if (typeof display_name !== "string" || !nameForm.test(display_name))
      throw new Refusal(422, 1001, "Bad value in display_name.")
    if (summary !== null && typeof summary !== "string") throw new Refusal(422, 1001, "Bad value in summary.")
    if (typeof status !== "string" || !(status in moves)) throw new Refusal(422, 1001, "Bad value in status.")
    if (status !== agent.status && !moves[agent.status]?.split(" ").includes(status))
      throw new Refusal(409, 1201, `Not from ${agent.status}.`)
    if (agent.status === "ACTIVE" && JSON.stringify(body) !== '{"status":"INACTIVE"}')
      throw new Refusal(409, 1201, "Not while it is active.")
    return {
      ...agent,
      display_name,
      summary,
      prompts: { ...agent.prompts, ...Object(prompts) },
      status,
      version: agent.version + 1,
    }
  }

  const createAgent = (body: Json): Agent => {
    if (!("display_name" in body)) throw new Refusal(400, 1002, "There is no display_name.")
    const blank: Agent = {
      agent_id: crypto.randomUUID(),
      org_id: null,
      timestamps: { created_at: started, updated_at: started },
      version: defect === "starts-at-version-1" ? 0 : 1,
      display_name: "",
      summary: null,
      greeting_message: null,
      status: "DRAFT",
      category: null,
      labels: null,
      prompts: {},
      knowledge_base: null,
      calling_guard: null,
      extra_field: 1,
    }
    const agent = written(blank, body)
    agents.push(agent)
    return agent
  }

  const listAgents = (query: URLSearchParams): Json => {
    const number = (name: string, otherwise: number, max: number): number => {
      const value = query.get(name) ?? String(otherwise)
      if (!/^\d+$/.test(value) || Number(value) < 1 || Number(value) > max)
        throw new Refusal(422, 1001, `Bad value in ${name}.`)
      return Number(value)
    }
    const [page, page_size] = [number("page", 1, 10_000), number("page_size", 20, 100)]
    const status = query.get("status")
    const found = agents
      .filter((agent) =>
        status === null ? agent.status !== "ARCHIVED" || defect === "lists-archived-agents" : agent.status === status,
      )
      .filter(({ display_name }) => display_name.includes(query.get("search") ?? ""))
      .reverse()
    const data = found
      .slice((page - 1) * page_size, page * page_size)
      .map((agent) => ({ ...agent, prompts: {}, knowledge_base: null }))
    const total_pages = Math.max(1, Math.ceil(found.length / page_size))
    return { data, pagination: { page, page_size, total: found.length, total_pages, has_more: page < total_pages } }
  }

  const answer = async (request: Request, url: URL): Promise<readonly [status: number, body: Json]> => {
    const route = `${request.method} ${url.pathname}`
    const id = /^\/v2\/agents\/([^/]+)$/.exec(url.pathname)?.[1]
    const place = agents.findIndex(({ agent_id }) => agent_id === id)
    const agent = agents[place]
    const lost = (): never => {
      if (defect === "answers-405" && url.pathname === "/v2/user/me") throw new Refusal(405, 1200, "Not this way.")
      throw new Refusal(404, 1200, "There is no such thing.")
    }
    const known =
      /^(GET \/v2\/(user\/me|scopes|agents(\/[^/]+)?)|POST \/v2\/agents|(PATCH|DELETE) \/v2\/agents\/[^/]+)$/.test(
        route,
      )
    if (defect === "checks-routes-before-keys" && !known) lost()
    authenticate(request.headers.get("authorization"))
    const asked = url.searchParams.get("organization_id")
    if (asked !== null && asked !== organization && defect !== "honours-the-organization")
      throw new Refusal(403, 1102, "Not yours.")
    used += 1
    if (!known) lost()
    if (route === "GET /v2/user/me") return [200, await identity()]
    if (route === "GET /v2/scopes") {
      const { key_id } = Object((await identity())["developer"])
      const rows = scopeNames.map((scope) => ({
        scope,
        description: `Allows ${scope}`,
        granted: true,
        routes: [scope === "webhooks:write" ? "POST /v2/webhooks" : "GET /v2/x"],
      }))
      return [
        200,
        {
          scopes: rows,
          key: {
            key_id,
            organization_id: organization,
            scopes_source: "explicit",
            grandfathered: false,
            granted: scopeNames,
          },
          note: "All.",
        },
      ]
    }
    if (route === "GET /v2/agents") return [200, listAgents(url.searchParams)]
    if (route === "POST /v2/agents") return [201, createAgent(await bodyOf(request))]
    if (agent === undefined) return lost()
    if (request.method === "DELETE") {
      agents[place] = written(agent, { status: "ARCHIVED" })
      return [200, { gone: true }]
    }
    if (request.method === "PATCH") agents[place] = written(agent, await bodyOf(request))
    const shown = agents[place]
    if (shown === undefined) return lost()
    return [200, defect === "leaks-agents" ? { ...shown, error: null } : shown]
  }

  return async (request) => {
    const url = new URL(request.url)
    const [status, body] = await answer(request, url).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
      return [error.status, { error: error.code, message: error.message }] as const
    })
    const left = defect === "never-counts" ? 5_000 : Math.max(0, 1_000 - used)
    const headers = {
      "x-ratelimit-limit": "1000",
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": "60",
      "content-type": "application/json",
    }
    return new Response(JSON.stringify(body), { status, headers })
  }
}
