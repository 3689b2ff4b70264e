/** The words in which defects of extensions are written, beside those of the contract. */
import { isObject, type JsonObject } from "../../../src/http/Json.ts"
import { asks, elsewhere, made, wire } from "../Defects.ts"
import { type Asked, type Defect, objectOf, type Override, type Reply } from "../Mutant.ts"

type Next = Parameters<Override>[1]

export const place = "POST /v2/calls"
export const contactsOf = "GET /v2/campaigns/*/contacts"
export const explain = "GET /v2/campaigns/*/explain"
export const trail = "GET /v2/audit-logs"

const isAt = ({ method, path }: Asked, route: string): boolean => route === `${method} ${path}`

export const listOf = (value: unknown): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Another request with the key of one that came. */
const also = (asked: Asked, method: string, path: string, json?: unknown): Asked => {
  const other = elsewhere(asked, method, path)
  if (json === undefined) return other
  const headers = new Headers(other.headers)
  headers.set("content-type", "application/json")
  return { ...other, headers, json }
}

/** Answers a request without doing anything; a harmless one is served for the headers. */
export const swallows = (
  route: string,
  status: number,
  json: (asked: Asked) => unknown,
  holds: (asked: Asked) => boolean = () => true,
): Defect =>
  wire(
    () => async (asked, next) =>
      isAt(asked, route) && holds(asked)
        ? made(await next(also(asked, "GET", "/v2/scopes")), status, json(asked))
        : next(asked),
  )

/** Does something more before a request, or after it. */
const beside = (
  route: string,
  when: "before" | "after",
  act: (send: (method: string, path: string, json?: unknown) => Promise<Reply>, asked: Asked) => Promise<unknown>,
): Defect =>
  wire(() => async (asked, next: Next) => {
    if (!isAt(asked, route)) return next(asked)
    const send = (method: string, path: string, json?: unknown) => next(also(asked, method, path, json))
    if (when === "before") await act(send, asked)
    const reply = await next(asked)
    if (when === "after") await act(send, asked)
    return reply
  })

export const before = (route: string, act: Parameters<typeof beside>[2]): Defect => beside(route, "before", act)
export const after = (route: string, act: Parameters<typeof beside>[2]): Defect => beside(route, "after", act)

/** Hangs up on every live call. */
export const hangsUp = (route: string): Defect =>
  after(route, async (send) => {
    const list = listOf(objectOf((await send("GET", "/v2/calls")).json)["data"])
    for (const { execution_id, is_terminal } of list)
      if (is_terminal === false) await send("POST", `/v2/calls/${String(execution_id)}/stop`)
  })

/** Lets direct calls pass that meet a condition of the calls before them. */
export const letsPass = (field: string, holds: (asked: Asked, calls: ReadonlyArray<JsonObject>) => boolean): Defect =>
  wire(() => async (asked, next) => {
    const json = objectOf(asked.json)
    if (!isAt(asked, place)) return next(asked)
    const list = objectOf((await next(also(asked, "GET", "/v2/calls"))).json)
    const calls = listOf(list["data"]).filter(({ to_number }) => to_number === json["to_number"])
    return next(holds(asked, calls) ? { ...asked, json: { ...json, [field]: true } } : asked)
  })

/** Puts something in the body of calls. */
export const calls = (field: string, value: unknown, holds: (json: JsonObject) => boolean = () => true): Defect =>
  asks(place, (json) => (holds(json) ? { ...json, [field]: value } : json))

/** Keeps what was asked before where the next request leaves it out. */
export const merges = (route: string): Defect =>
  wire(() => {
    let known: JsonObject = {}
    return async (asked, next) => {
      if (!isAt(asked, route)) return next(asked)
      const merged = { ...known, ...objectOf(asked.json) }
      const reply = await next({ ...asked, json: merged })
      if (reply.status < 300) known = merged
      return reply
    }
  })
