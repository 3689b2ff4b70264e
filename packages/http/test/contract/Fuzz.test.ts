import { errorStatuses, routes } from "@carillon/api"
import { openApiDocument } from "@carillon/api/documents"
import { type AuditRecord, Engine, Plans, TextExtractor } from "@carillon/core"
import { Effect, Layer, Logger } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { expectDeclared } from "../Contract.ts"
import { agentId, type Answer, makeWorld, send, type Sent, type World } from "../World.ts"
import { bodyOf, Draws, Known, pathOf, queryOf } from "./Generator.ts"

/** How many requests, and from which seed: a failure names both and comes again with them. */
const count = Number(process.env["FUZZ_REQUESTS"] ?? 20_000)
const seed = process.env["FUZZ_SEED"] ?? "carillon"

/** Ends a run that hangs, and none that is slow: a request takes a hundredth of its part. The verdict rests on how many there were. */
const hungAfterMs = count * 200

const document = openApiDocument()

const statuses: ReadonlyMap<number, ReadonlyArray<number>> = new Map(
  Object.entries(errorStatuses).map(([code, known]) => [Number(code), known]),
)

// Ten million in a minute: the limiter has tests of its own.
const ample = Layer.succeed(Plans, {
  standard: { "calls.create": 1e7, "executions.list": 1e7, "knowledge.upload": 1e7, default: 1e7 },
})

const reading = Layer.succeed(TextExtractor, {
  extract: ({ bytes }) => Effect.sync(() => new TextDecoder("latin1").decode(bytes)),
})

const said: Array<string> = []
const logger = Logger.layer([Logger.make(({ message }) => void said.push([message].flat().map(String).join(" ")))])

let world: World
beforeAll(async () => {
  world = await makeWorld(Layer.mergeAll(ample, reading, logger))
})
afterAll(() => world.close())

const faultOf = (route: (typeof routes)[number], { headers, json, status, text }: Answer): string | null => {
  if (status === 500) return "a 500"
  for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"]) {
    if (!(name in headers)) return `no ${name}`
  }
  const operation = document.paths[route.path]?.[route.method.toLowerCase()]
  if (!(String(status) in (operation?.responses ?? {}))) return `${status} is not declared`
  if (status < 400) return null
  if (Object.keys(json).join() !== "error,message") return "another envelope"
  const { error, message } = json
  if (typeof error !== "number" || statuses.get(error)?.includes(status) !== true) return "a code of another status"
  if (typeof message !== "string" || !message.endsWith(".") || message.includes("\n")) return "no sentence"
  if (/\d{7}/.test(message) || message.length > 400) return `a message that tells too much`
  return text === null ? "no body" : null
}

const isRefusedDial = (line: string): boolean =>
  /^(A dial was not made when its turn came: [a-z_]+\.|More dials were not made when their turn came, too many to name each\.)$/.test(
    line,
  )

/** Refused for what it said, before anything was done: nothing of it is recorded (decisions.md, "Readings"). */
const isRefusedAsSaid = (status: number): boolean => [400, 404, 411, 413, 415, 422].includes(status)

/** Records of a request that say something else than its answer. */
const falseRecord = (records: ReadonlyArray<AuditRecord>, { headers, status }: Answer): AuditRecord | undefined =>
  records.find(
    ({ http_status, request_id }) =>
      request_id === headers["X-Request-Id"] && (http_status !== status || isRefusedAsSaid(status)),
  )

const read = new Set(routes.flatMap(({ method, path }) => (method === "GET" ? [path] : [])))

/** How many there are of what a route makes, those that are hidden unless named among them; null where it makes nothing that is listed. */
const listedBeside = async ({ method, path }: (typeof routes)[number], target: string, key: string) => {
  if (method !== "POST" || !read.has(path)) return null
  if (path === "/v2/calls") {
    // Contacts of batches are dialled beside the requests.
    const { items } = world.tables.calls.page("org_1", {}, { page: 1, page_size: Infinity })
    return items.filter(({ batch_id }) => batch_id === null).length
  }
  const queries = path === "/v2/agents" ? ["", "&status=ARCHIVED"] : [""]
  const totals: Array<unknown> = []
  for (const query of queries) {
    const { json } = await send(world.handle, { target: `${target}?page_size=1${query}`, key })
    totals.push(Object(json["pagination"]).total)
  }
  return totals.join()
}

it(
  `${count} requests over the OpenAPI document meet no 500 and no broken envelope`,
  { timeout: hungAfterMs },
  async () => {
    const draws = new Draws(seed)
    const known = new Known()
    known.add("agent_id", agentId)
    known.add("organization_id", "org_1")
    const others = [world.mint({ scopes: [] }), world.mint({ scopes: ["calls:read"] }), "gat_unknown", "session", ""]
    const standing = world.mint({})
    const seen = new Map<number, number>()
    const answeredWell = new Set<string>()
    for (let nth = 0; nth < count; nth++) {
      if (nth % 100 === 0) {
        // Without a fresh one now and then no agent would be left that can call.
        const body = { display_name: "Fresh", status: "ACTIVE" }
        known.learn((await send(world.handle, { method: "POST", target: "/v2/agents", key: standing, body })).json)
      }
      const route = draws.of(routes)
      const operation = document.paths[route.path]?.[route.method.toLowerCase()]
      if (operation === undefined) throw new Error(`${route.name} is not in the document.`)
      const query = queryOf(draws, operation, known)
      const path = pathOf(draws, route.path, known)
      const { bytes, headers, told: body } = bodyOf(draws, operation, known)
      const sent: Sent = {
        method: route.method,
        target: query === "" ? path : `${path}?${query}`,
        key: draws.chance(0.03) ? draws.of(others) : standing,
        headers: {
          ...headers,
          ...(draws.chance(0.1) ? { "idempotency-key": `k${draws.below(30)}` } : {}),
        },
        bytes,
      }
      const listed = await listedBeside(route, path, standing)
      const recorded = world.tables.auditTrail("org_1").length
      const answer = await send(world.handle, sent)
      const told = () => `${nth} of ${seed}: ${route.method} ${sent.target} ${JSON.stringify(body)} → ${answer.text}`
      const matched = sent.target.startsWith(path) && answer.status !== 404
      const fault = faultOf(route, answer)
      if (fault !== null) expect.fail(`${fault} at ${told()}`)
      const wrong = falseRecord(world.tables.auditTrail("org_1").slice(recorded), answer)
      if (wrong !== undefined) expect.fail(`the record ${wrong.action}, ${String(wrong.http_status)}, at ${told()}`)
      if (isRefusedAsSaid(answer.status) && (await listedBeside(route, path, standing)) !== listed) {
        expect.fail(`something is listed at ${told()}`)
      }
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
      if (matched && answer.status < 300) {
        answeredWell.add(route.name)
        known.learn(answer.json)
        // Decoding costs more than all the rest, and the walk has looked at each form.
        if (nth % 8 === 0 && answer.status !== 204) expectDeclared(route.name, answer)
      }
      world.clock.now += draws.below(500)
      if (nth % 200 === 0) await world.runtime.runPromise(Effect.flatMap(Engine, (engine) => engine.runDue))
    }
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
    // Whatever customers send, no line of the log is theirs: neither its text nor how many there are.
    // Calls that are refused are told of, once a minute for each organization and reason (`limits.withheldTold`).
    expect(said.filter((line) => !isRefusedDial(line))).toEqual([])
    // The fuzz has to get inside: most routes have succeeded, and the refusals are of all kinds.
    expect(answeredWell.size / routes.length).toBeGreaterThan(0.85)
    for (const status of [200, 201, 400, 401, 403, 404, 409, 411, 415, 422]) {
      expect(seen.get(status) ?? 0, `${status}`).toBeGreaterThan(20)
    }
  },
)
