/** Which extensions a server says it offers, and what a run says of them. */
import { ControlFailure } from "../control/Control.ts"
import { makeOrganization } from "../control/Fixtures.ts"
import type { ExtensionClause } from "../clauses/Clause.ts"
import type { Client } from "../http/Client.ts"
import type { Answer } from "../http/Answer.ts"
import { isObject } from "../http/Json.ts"
import { NoAnswer, type Transport, Wire } from "../http/Wire.ts"
import { type Capability, type Extension, extensions } from "./Capabilities.ts"
import type { ClauseState } from "./ClauseCount.ts"
import type { Target } from "./Target.ts"

/** What a run says about one extension, in promises of its page that can be seen from outside. */
export interface ExtensionResult {
  readonly extension: Extension
  readonly offered: boolean
  /** Why nothing of it was judged; null where the server offers it. */
  readonly reason: string | null
  readonly held: number
  readonly broken: number
  readonly notJudged: number
  readonly of: number
}

/** The route by which a server says in `GET /v2/scopes` that it offers an extension. */
const listedAs: Readonly<Record<Extension, string>> = {
  suppressions: "/v2/suppressions",
  "callee-hours": "/v2/callee-hours",
  "call-caps": "/v2/call-caps",
  "campaign-log": "/v2/campaigns/{campaign_id}/log",
  "campaign-breaker": "/v2/campaigns/{campaign_id}/breaker",
  "campaign-order": "/v2/campaigns/{campaign_id}/order",
}

/** Asks for something of an extension that is there for everybody: 404 says that there is no such route. */
const probes: Readonly<Partial<Record<Extension, (client: Client) => Promise<Answer>>>> = {
  suppressions: (client) => client.get("/v2/suppressions"),
  "callee-hours": (client) => client.get("/v2/callee-hours/presets"),
  // To read them is 404 where none are set; these caps cap nothing.
  "call-caps": (client) => client.put("/v2/call-caps", {}),
}

const routesIn = (scopes: Answer): ReadonlyArray<string> =>
  scopes
    .items("scopes")
    .filter(isObject)
    .flatMap(({ routes }) => (Array.isArray(routes) ? routes.map(String) : []))

/** Why a server does not offer an extension; undefined where it does. */
const reasonAgainst = async (
  extension: Extension,
  scopes: Answer,
  probe: Client | undefined,
): Promise<string | undefined> => {
  const path = listedAs[extension]
  const isListed = routesIn(scopes).some((route) => route.endsWith(` ${path}`))
  if (scopes.status !== 200) return `GET /v2/scopes, which would list ${path}, is HTTP ${scopes.status}`
  if (!isListed) return `GET /v2/scopes lists no route ${path}`
  const answer = probe === undefined ? undefined : await probes[extension]?.(probe)
  return answer?.status === 404 ? `${path} is HTTP 404, although GET /v2/scopes lists it` : undefined
}

/** A key of an organization where a question changes nothing for anybody; undefined where none can be made. */
const probing = async (target: Target, wire: Wire, transport: Transport): Promise<Client | undefined> => {
  const control = target.offered.has("fixtures") ? target.control(wire) : undefined
  if (control === undefined) return undefined
  const [made] = (await makeOrganization(control, { keys: [{ keys_write: true }] })).keys
  if (made === undefined) return undefined
  transport.secrets.add(made.key)
  return target.client(wire).as(made.key)
}

const reasonsAgainst = async (target: Target, transport: Transport): Promise<ReadonlyMap<Extension, string>> => {
  const wire = new Wire(transport)
  const found = new Map<Extension, string>()
  try {
    const probe = await probing(target, wire, transport)
    const scopes = await (probe ?? target.client(wire)).get("/v2/scopes")
    for (const extension of extensions) {
      const reason = await reasonAgainst(extension, scopes, probe)
      if (reason !== undefined) found.set(extension, reason)
    }
    return found
  } catch (error) {
    if (!(error instanceof NoAnswer) && !(error instanceof ControlFailure)) throw error
    const { message } = error
    return new Map(extensions.map((extension) => [extension, `nobody can tell: ${message}`]))
  }
}

/** The target with the extensions that it says it offers, and why it does not offer the others. */
export const withExtensions = async (target: Target, transport: Transport): Promise<Target> => {
  const against = await reasonsAgainst(target, transport).catch(async (error: unknown) => {
    await target.release()
    throw error
  })
  const capability = (extension: Extension): Capability => `extension:${extension}`
  const offered = extensions.filter((extension) => !against.has(extension)).map(capability)
  return {
    ...target,
    offered: new Set<Capability>([...target.offered, ...offered]),
    withheld: new Map([...against].map(([extension, reason]) => [capability(extension), reason])),
  }
}

/** What became of the promises of each extension. */
export const extensionResults = (
  clauses: ReadonlyArray<ExtensionClause>,
  states: ReadonlyMap<string, ClauseState>,
  { withheld }: Pick<Target, "withheld">,
): ReadonlyArray<ExtensionResult> =>
  extensions.map((extension) => {
    const reason = withheld?.get(`extension:${extension}`) ?? null
    const own = clauses.filter((clause) => clause.extension === extension && clause.observable !== "no")
    const count = (state: ClauseState) => own.filter(({ id }) => (states.get(id) ?? "not-judged") === state).length
    return {
      extension,
      offered: reason === null,
      reason,
      held: count("held"),
      broken: count("broken"),
      notJudged: count("not-judged"),
      of: own.length,
    }
  })
