import { randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { record } from "./audit.ts"
import { control } from "./control.ts"
import { notFound, Refusal } from "./errors.ts"
import { sha256 } from "./ids.ts"
import type { Key } from "./keys.ts"
import type { Organization } from "./organization.ts"
import { Query } from "./query.ts"
import { type Bucket, count, rateHeaders } from "./rates.ts"
import { type Answer, Context } from "./route.ts"
import { routeOf } from "./routes.ts"
import { grants } from "./scopes.ts"
import type { World } from "./world.ts"

const noToken = "Missing bearer token. Send Authorization: Bearer gat_..."
const sessionToken = "A browser session token is not a public API key. Authenticate with Authorization: Bearer gat_..."

/** The key of a request, by the rejection order of the specification. */
const authenticate = (world: World, header: string | undefined): Key & { readonly organization: Organization } => {
  const [scheme = "", credential = "", ...more] = (header ?? "").trim().split(/\s+/)
  if (scheme.toLowerCase() !== "bearer" || credential === "" || more.length > 0) throw new Refusal(1100, noToken)
  if (!credential.startsWith("gat_")) throw new Refusal(1101, sessionToken)
  const key = world.keys.get(sha256(credential))
  if (key === undefined) throw new Refusal(1100, "Invalid API key.")
  if (!key.active) throw new Refusal(1100, "API key is inactive.")
  const { organization } = key
  if (organization === null) throw new Refusal(1102, "This API key is not bound to an organization.")
  return Object.assign(key, { organization })
}

const mustBeOwn = ({ organization_id }: Organization, query: URLSearchParams): void => {
  if (query.getAll("organization_id").some((id) => id !== organization_id)) {
    throw new Refusal(1102, "This API key is not authorized for that organization.")
  }
}

const mustHold = (context: Context): void => {
  const { key, route } = context
  route.guard?.(context)
  if (route.scope === undefined || grants(key, route.scope)) return
  throw new Refusal(1102, `This API key is not authorized for this action. Missing scope: ${route.scope}.`)
}

/** What a thrown thing is answered with; whatever was not meant is 1500. */
const refusalOf = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error
  console.error(error)
  return new Refusal(1500, "An unexpected error occurred.")
}

const send = (response: ServerResponse, { body, headers, status }: Answer): void => {
  if (response.destroyed) return
  const text = body === undefined ? "" : JSON.stringify(body)
  const type = body === undefined ? {} : { "Content-Type": "application/json" }
  const length = status === 204 ? {} : { "Content-Length": String(Buffer.byteLength(text)) }
  response.writeHead(status, { "Cache-Control": "no-store", ...type, ...length, ...headers })
  response.end(text)
}

const refused = ({ code, headers, message, status }: Refusal): Answer => ({
  status,
  body: { error: code, message },
  headers,
})

const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers["x-request-id"]
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID()
}

/** Answers a request to `/v2`, in the order in which the specification looks at it. */
const answer = async (world: World, request: IncomingMessage): Promise<Answer> => {
  const requestId = requestIdOf(request)
  const url = URL.parse(request.url ?? "/", "http://localhost")
  const path = url?.pathname ?? "/"
  const found = routeOf(request.method ?? "GET", path)
  const bucket: Bucket = found?.route.bucket ?? "default"
  let organization: Organization | null = null
  let context: Context | null = null
  const headed = (one: Answer): Answer => {
    const rates = rateHeaders(organization, bucket, world.clock.now())
    return { ...one, headers: { ...rates, "X-Request-Id": requestId, ...one.headers } }
  }
  try {
    const key = authenticate(world, request.headers.authorization)
    organization = key.organization
    const values = url?.searchParams ?? new URLSearchParams()
    mustBeOwn(organization, values)
    count(organization, bucket, world.clock.now())
    if (found === null) throw new Refusal(1200, "No such resource.")
    const { params, route } = found
    context = new Context({ world, request, requestId, route, key, organization, params, query: new Query(values) })
    mustHold(context)
    const given = await route.handle(context)
    record(context, given.status, null)
    return headed(given)
  } catch (error) {
    const refusal = refusalOf(error)
    if (context !== null) record(context, refusal.status, refusal.code)
    return headed(refused(refusal))
  }
}

/** A server of a world. `/_sim` is served only where it is asked for: it hands out keys. */
export const serve = (world: World, { controlled }: { readonly controlled: boolean }): Server =>
  createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1)
    const isV2 = path === "/v2" || path.startsWith("/v2/")
    const isControl = controlled && (path === "/_sim" || path.startsWith("/_sim/"))
    const answered = isV2
      ? answer(world, request)
      : isControl
        ? control(world, request)
        : Promise.resolve(refused(notFound("Page")))
    void answered.catch((error: unknown) => refused(refusalOf(error))).then((one) => send(response, one))
  })
