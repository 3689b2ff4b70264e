import { routes } from "@carillon/api"
import { type DocumentOperation, openApiDocument } from "@carillon/api/documents"
import { bodyOf, type Draws, Known, pathOf, queryOf, valueOf } from "../../packages/http/test/contract/Generator.ts"
import type { Customer } from "./Customer.ts"
import type { Place } from "./Place.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly operation: DocumentOperation
}

const document = openApiDocument()

/** What is asked for. Files are read outside of a world, and its journal would not say everything then. */
const askable: ReadonlyArray<Asked> = routes.flatMap(({ method, path }) => {
  const operation = document.paths[path]?.[method.toLowerCase()]
  const readsFiles = path.startsWith("/v2/knowledge-bases") && method === "POST"
  return operation === undefined || readsFiles ? [] : [{ method, path, operation }]
})

const isRead = ({ method }: Asked): boolean => method === "GET"
const single = askable.filter((asked) => isRead(asked) && asked.path.includes("{"))
const others = askable.filter((asked) => isRead(asked) && !asked.path.includes("{"))
const isList = ({ operation }: Asked): boolean => operation.parameters.some(({ name }) => name === "page_size")

/** What is known of a place: what its requests were answered with, and what was made in it lately. */
export const learnt = (known: Known, { agents, batches, calls, campaigns, subscriptions }: Place): Known => {
  const made = {
    agent_id: agents,
    batch_id: batches,
    execution_id: calls,
    campaign_id: campaigns,
    subscription_id: subscriptions,
  }
  for (const [name, ids] of Object.entries(made)) for (const id of ids.slice(-4)) known.add(name, id)
  return known
}

/** A request that the API's document describes, with what is known of the place in it, and now and then with something else. */
export const drawnRequest = async (
  draws: Draws,
  known: Known,
  customer: Customer,
  place: Place,
  isReading: boolean,
) => {
  const { method, operation, path } = draws.of(isReading ? others : askable)
  const query = queryOf(draws, operation, known)
  const target = pathOf(draws, path, known)
  const { bytes, headers } = bodyOf(draws, operation, known)
  const repeated = draws.chance(0.1) ? { "idempotency-key": `k${draws.below(10)}` } : {}
  const key = draws.chance(0.03) ? place.readKey : place.key
  const whole = query === "" ? target : `${target}?${query}`
  const told = await customer.send(key, method, whole, bytes, { ...headers, ...repeated })
  if (told !== null && told.status < 300 && told.body !== null) known.learn(JSON.parse(told.body))
}

/** Pages of a list that are read. */
const pagesRead = 5

/** Of each kind so many are read by themselves. */
const readEach = 3

/** Reads all lists page after page, what is there once for an organization, and some of each kind. */
export const readEverything = async (draws: Draws, customer: Customer, { key }: Place): Promise<void> => {
  const known = new Known()
  const read = async (target: string): Promise<unknown> => {
    const told = await customer.send(key, "GET", target, null, {})
    return told === null || told.status !== 200 || told.body === null ? null : JSON.parse(told.body)
  }
  for (const asked of others) {
    const size = 1 + draws.below(40)
    for (let page = 1; page <= (isList(asked) ? pagesRead : 1); page++) {
      const found = await read(isList(asked) ? `${asked.path}?page=${page}&page_size=${size}` : asked.path)
      known.learn(found)
      if (!JSON.stringify(found).includes('"has_more":true')) break
    }
  }
  for (const group of ["agent", "campaign", "day"]) await read(`/v2/usage?group_by=${group}`)
  for (const { path } of single) {
    for (let nth = 0; nth < readEach; nth++) await read(pathOf(draws, path, known))
  }
}

/** Texts that are the id of nothing, and what not every store can hold. */
const oddTexts = ["\0", "a\0b", "\ud800", "x".repeat(10_000), "7", "null", "\\u0000", "con_x_zzzzzz"] as const

const oddValues: ReadonlyArray<unknown> = [...oddTexts, 7, 1e308, {}, [null], ["\0"], ["x".repeat(10_000)]]

/** A text as a URL has it; half a letter has no UTF-8, so it comes as bytes that are none. */
const inUrl = (text: string): string => (text.isWellFormed() ? encodeURIComponent(text) : "%ED%A0%80")

/** Each request of the document with something odd in each place of its path, its query and its body. */
export const oddRequests = function* (draws: Draws, known: Known) {
  for (const { method, operation, path } of askable) {
    const schema = operation.requestBody?.content["application/json"]?.schema
    const body = (): object | null => {
      const value = schema === undefined ? null : valueOf(draws, schema, "", known)
      return typeof value === "object" && !Array.isArray(value) ? value : null
    }
    if (path.includes("{")) {
      for (const odd of oddTexts) yield { method, target: path.replace(/\{\w+\}/g, () => inUrl(odd)), body: body() }
    }
    for (const { in: where, name } of operation.parameters) {
      if (where !== "query") continue
      for (const odd of oddTexts) {
        yield { method, target: `${pathOf(draws, path, known)}?${name}=${inUrl(odd)}`, body: body() }
      }
    }
    const fields = new Set(Array.from({ length: 5 }, () => Object.keys(body() ?? {})).flat())
    for (const field of fields) {
      for (const odd of oddValues)
        yield { method, target: pathOf(draws, path, known), body: { ...body(), [field]: odd } }
    }
  }
}
