/** The words in which defects are written. */
import { isObject, parseJson, type JsonObject } from "../../src/http/Json.ts"
import {
  type Asked,
  type CallTimes,
  type Commit,
  type Defect,
  objectOf,
  type Override,
  type Reply,
  type StoragePorts,
} from "./Mutant.ts"

type RowChange = Commit["changes"][number]
type AuditEntry = Commit["audit"][number]

/** `GET /v2/calls/*`: methods joined by `|`, a star for one segment of the path, two for any. */
export type Routes = string | ReadonlyArray<string>

/** A change to one row of an answer, or to the resource that the answer is. */
export type Bend = (row: JsonObject, asked: Asked) => JsonObject

/** A condition on a row and the request that it answers. */
export type Holds = (row: JsonObject, asked: Asked) => boolean

const patternOf = (route: string): ((asked: Asked) => boolean) => {
  const [methods = "", path = ""] = route.split(" ")
  const form = new RegExp(
    `^${path
      .split("**")
      .map((part) => part.split("*").join("[^/]+"))
      .join(".*")}$`,
  )
  const verbs = methods.split("|")
  return ({ method, path: at }) => (methods === "*" || verbs.includes(method)) && form.test(at)
}

const matching = (routes: Routes): ((asked: Asked) => boolean) => {
  const patterns = (typeof routes === "string" ? [routes] : routes).map(patternOf)
  return (asked) => patterns.some((pattern) => pattern(asked))
}

/** An override in front of the server's HTTP; it is made anew for each server. */
export const wire = (make: () => Override): Defect => ({ wire: make })

/** A defect that remembers something: made anew for each server. */
export const fresh = (make: () => Defect): Defect => wire(() => make().wire?.() ?? ((asked, next) => next(asked)))

/** Several defects that together are one. */
export const together = (...defects: ReadonlyArray<Defect>): Defect => ({
  wire: () => {
    const overrides = defects.flatMap((defect) => (defect.wire === undefined ? [] : [defect.wire()]))
    return overrides.reduceRight<Override>(
      (inner, outer) => (asked, next) => outer(asked, (changed) => inner(changed, next)),
      (asked, next) => next(asked),
    )
  },
  ports: (ports) => defects.reduce((all, defect) => defect.ports?.(all) ?? all, ports),
})

/** Changes answers. */
export const answers = (routes: Routes, change: (reply: Reply, asked: Asked) => Reply | Promise<Reply>): Defect => {
  const matches = matching(routes)
  return wire(() => async (asked, next) => {
    const reply = await next(asked)
    return matches(asked) ? await change(reply, asked) : reply
  })
}

/** Changes the whole body of answers that succeed. */
export const body = (routes: Routes, change: Bend): Defect =>
  answers(routes, (reply, asked) =>
    reply.status < 300 && isObject(reply.json) ? { ...reply, json: change(reply.json, asked) } : reply,
  )

/** Changes each row of a list, or the one resource that an answer is. */
export const row = (routes: Routes, change: Bend): Defect =>
  body(routes, (json, asked) =>
    Array.isArray(json["data"])
      ? { ...json, data: json["data"].map((each: unknown) => (isObject(each) ? change(each, asked) : each)) }
      : change(json, asked),
  )

/** Changes the rows of a list as a whole. */
export const rows = (
  routes: Routes,
  change: (rows: ReadonlyArray<JsonObject>, asked: Asked) => ReadonlyArray<JsonObject>,
): Defect =>
  body(routes, (json, asked) =>
    Array.isArray(json["data"]) ? { ...json, data: change(json["data"].filter(isObject), asked) } : json,
  )

/** The value at a dotted path. */
export const at = (row: unknown, path: string): unknown => {
  let value = row
  for (const name of path.split(".")) value = objectOf(value)[name]
  return value
}

const placed = (row: JsonObject, path: string, change: (old: unknown) => unknown): JsonObject => {
  const [name = "", ...rest] = path.split(".")
  if (rest.length > 0) {
    return isObject(row[name]) ? { ...row, [name]: placed(row[name], rest.join("."), change) } : row
  }
  const value = change(row[name])
  const { [name]: _gone, ...others } = row
  return value === undefined ? others : { ...others, [name]: value }
}

/** Puts a value at a dotted path. */
export const set =
  (path: string, value: unknown): Bend =>
  (json) =>
    placed(json, path, () => value)

/** Puts a value at a dotted path where there is one that is not null. */
export const over =
  (path: string, change: (old: unknown, row: JsonObject, asked: Asked) => unknown): Bend =>
  (json, asked) =>
    at(json, path) == null ? json : placed(json, path, (old) => change(old, json, asked))

/** Changes a value at a dotted path, whatever it is. */
export const by =
  (path: string, change: (old: unknown, row: JsonObject, asked: Asked) => unknown): Bend =>
  (json, asked) =>
    placed(json, path, (old) => change(old, json, asked))

/** Leaves members out. */
export const cut =
  (...paths: ReadonlyArray<string>): Bend =>
  (json) =>
    paths.reduce((all, path) => placed(all, path, () => undefined), json)

/** Makes a change only where a condition holds. */
export const where =
  (holds: Holds, change: Bend): Bend =>
  (json, asked) =>
    holds(json, asked) ? change(json, asked) : json

export const is =
  (path: string, ...values: ReadonlyArray<unknown>): Holds =>
  (json) =>
    values.includes(at(json, path))
export const has =
  (path: string): Holds =>
  (json) =>
    at(json, path) != null
/** The row stands in a list. */
const listed: Holds = (_, { path }) =>
  /\/(calls|executions|agents|campaigns|batches|api-keys|documents|versions|webhooks|deliveries)$/.test(path)
export const single: Holds = (row, asked) => !listed(row, asked)
export const both =
  (...all: ReadonlyArray<Holds>): Holds =>
  (json, asked) =>
    all.every((each) => each(json, asked))
export const not =
  (holds: Holds): Holds =>
  (json, asked) =>
    !holds(json, asked)

/** Changes the JSON body of requests before the server sees it. */
export const asks = (routes: Routes, change: Bend): Defect => {
  const matches = matching(routes)
  return wire(
    () => (asked, next) =>
      next(matches(asked) && isObject(asked.json) ? { ...asked, json: change(asked.json, asked) } : asked),
  )
}

/** Changes the query of requests before the server sees it. */
export const queries = (routes: Routes, change: (query: URLSearchParams, asked: Asked) => void): Defect => {
  const matches = matching(routes)
  return wire(() => (asked, next) => {
    if (!matches(asked)) return next(asked)
    const query = new URLSearchParams(asked.query)
    change(query, asked)
    return next({ ...asked, query })
  })
}

/** Ignores query parameters. */
export const ignores = (routes: Routes, ...names: ReadonlyArray<string>): Defect =>
  queries(routes, (query) => names.forEach((name) => query.delete(name)))

/** The form of a request; undefined where it is none. */
export const formOf = async ({ headers, original }: Asked): Promise<FormData | undefined> =>
  (headers.get("content-type") ?? "").startsWith("multipart/form-data")
    ? original
        .clone()
        .formData()
        .catch(() => undefined)
    : undefined

/** Changes forms before the server sees them. */
export const forms = (routes: Routes, change: (form: FormData) => void | Promise<void>): Defect => {
  const matches = matching(routes)
  return wire(() => async (asked, next) => {
    const form = matches(asked) ? await formOf(asked) : undefined
    if (form === undefined) return next(asked)
    await change(form)
    const sent = new Request("http://form.test", { method: "POST", body: form })
    const bytes = await sent.arrayBuffer()
    const h = new Headers(asked.headers)
    h.set("content-type", sent.headers.get("content-type") ?? "")
    h.set("content-length", String(bytes.byteLength))
    const original = new Request(asked.original.url, { method: asked.method, body: bytes, headers: h })
    return next({ ...asked, headers: h, original })
  })
}

/** Sends requests elsewhere. */
export const reroutes = (routes: Routes, change: (asked: Asked) => Asked): Defect => {
  const matches = matching(routes)
  return wire(() => (asked, next) => next(matches(asked) ? change(asked) : asked))
}

/** The same request to another route, without its body. */
export const elsewhere = (asked: Asked, method: string, path: string): Asked => ({
  ...asked,
  method,
  path,
  query: new URLSearchParams(),
  headers: new Headers([["authorization", asked.headers.get("authorization") ?? ""]]),
  json: undefined,
})

const jsonHeaders = (from?: Headers): Headers => {
  const headers = new Headers(from)
  headers.set("content-type", "application/json")
  return headers
}

/** An answer that the engine never gave, with the headers of one that it did. */
export const made = (reply: Reply, status: number, json: unknown): Reply => ({
  status,
  headers: jsonHeaders(reply.headers),
  json,
  text: json === undefined ? "" : JSON.stringify(json),
})

/** An error of the server, at the headers of an answer that it gave. */
export const failing = (reply: Reply, code: number, status: number, message = "The request was refused."): Reply =>
  made(reply, status, { error: code, message })

/** A refusal for want of something that will be there again: with the time to wait. */
export const limited = (reply: Reply, message?: string): Reply => {
  const refusal = failing(reply, 1300, 429, message)
  refusal.headers.set("retry-after", "5")
  return refusal
}

/** A call as a 201 tells it, which the engine never placed. */
export const unplaced = (reply: Reply, asked: JsonObject): Reply =>
  made(reply, 201, {
    execution_id: "exec_x",
    status: "queued",
    call_sid: null,
    agent_id: asked["agent_id"],
    to_number: asked["to_number"],
    from_number: asked["from_number"] ?? null,
    created_at: null,
  })

/** Refuses requests that the server should have served. The engine serves a harmless one, for the headers. */
export const refuses = (
  routes: Routes,
  holds: (asked: Asked) => boolean,
  code: number,
  status: number,
  message?: string,
): Defect => {
  const matches = matching(routes)
  return wire(() => async (asked, next) => {
    if (!matches(asked) || !holds(asked)) return next(asked)
    const { headers } = asked
    const query = new URLSearchParams()
    const harmless = {
      ...asked,
      method: "GET",
      path: "/v2/scopes",
      query,
      headers: new Headers(headers),
      json: undefined,
    }
    return failing(await next(harmless), code, status, message)
  })
}

/** Gives errors of one code another code, or another status. */
export const recodes = (
  routes: Routes,
  from: number,
  code: number,
  status: number,
  holds: (asked: Asked, reply: Reply) => boolean = () => true,
): Defect =>
  answers(routes, (reply, asked) =>
    objectOf(reply.json)["error"] === from && reply.status >= 400 && holds(asked, reply)
      ? { ...reply, status, json: { ...objectOf(reply.json), error: code } }
      : reply,
  )

/** Answers with another status where one was right. */
export const restates = (routes: Routes, from: number, to: number, holds: Holds = () => true): Defect =>
  answers(routes, (reply, asked) =>
    reply.status === from && holds(objectOf(reply.json), asked)
      ? {
          ...reply,
          status: to,
          ...(reply.text === "" && to !== 204 ? { json: {}, headers: jsonHeaders(reply.headers) } : {}),
        }
      : reply,
  )

/** Changes headers of answers. */
export const headers = (routes: Routes, change: (headers: Headers, reply: Reply, asked: Asked) => void): Defect =>
  answers(routes, (reply, asked) => {
    const all = new Headers(reply.headers)
    change(all, reply, asked)
    return { ...reply, headers: all }
  })

/** Changes the message of errors. */
export const words = (routes: Routes, code: number, change: (message: string, asked: Asked) => string): Defect =>
  answers(routes, (reply, asked) => {
    const json = objectOf(reply.json)
    return json["error"] === code && typeof json["message"] === "string"
      ? { ...reply, json: { ...json, message: change(json["message"], asked) } }
      : reply
  })

/** Succeeds where the server refuses with a code. */
export const forgives = (
  routes: Routes,
  code: number,
  status: number,
  json: (asked: Asked) => unknown,
  holds: (asked: Asked, reply: Reply) => boolean = () => true,
): Defect =>
  answers(routes, (reply, asked) =>
    objectOf(reply.json)["error"] === code && holds(asked, reply) ? made(reply, status, json(asked)) : reply,
  )

/** A member of the request's body means something else than it says, and is shown as it was sent. */
export const secretly = (
  routes: Routes,
  shown: Routes,
  id: string,
  path: string,
  change: (value: unknown, asked: Asked) => unknown,
): Defect =>
  wire(() => {
    const isWrite = matching(routes)
    const isShown = matching(shown)
    const said = new Map<unknown, unknown>()
    return async (asked, next) => {
      const sent = isObject(asked.json) ? asked.json : undefined
      const meant = at(sent, path)
      const isBent = isWrite(asked) && sent !== undefined && meant !== undefined
      const json = isBent ? placed(sent, path, (old) => change(old, asked)) : asked.json
      const reply = await next({ ...asked, json })
      const own = at(reply.json, id)
      if (isBent && own !== undefined) said.set(own, meant)
      if (!isObject(reply.json) || (!isShown(asked) && !isBent)) return reply
      const restored = (each: JsonObject) =>
        said.has(each[id]) && at(each, path) !== undefined ? placed(each, path, () => said.get(each[id])) : each
      const { data } = reply.json
      return {
        ...reply,
        json: Array.isArray(data)
          ? { ...reply.json, data: data.map((each: unknown) => (isObject(each) ? restored(each) : each)) }
          : restored(reply.json),
      }
    }
  })

const inboxes = matching("GET /_sim/inbox/*")

/** Changes what reached a receiver: one entry may become several, or none. */
export const receives = (change: (entries: ReadonlyArray<JsonObject>) => ReadonlyArray<JsonObject>): Defect =>
  wire(() => async (asked, next) => {
    const reply = await next(asked)
    const json = objectOf(reply.json)
    const { data } = json
    return inboxes(asked) && Array.isArray(data)
      ? { ...reply, json: { ...json, data: change(data.filter(isObject)) } }
      : reply
  })

/** The payload of a delivery. */
export const payloadOf = (entry: JsonObject): JsonObject =>
  typeof entry["body"] === "string" ? objectOf(parseJson(entry["body"])) : {}

/** Changes the payload of deliveries. */
export const sends = (change: Bend, holds: (payload: JsonObject) => boolean = () => true): Defect =>
  wire(() => async (asked, next) => {
    const defect = receives((entries) =>
      entries.map((entry) => {
        const payload = payloadOf(entry)
        return holds(payload) ? { ...entry, body: JSON.stringify(change(payload, asked)) } : entry
      }),
    )
    return (defect.wire?.() ?? ((each, go) => go(each)))(asked, next)
  })

const lowerCased = (headers: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Changes the headers of deliveries, whose names are in lower case for the change. */
export const carries = (
  change: (headers: JsonObject, entry: JsonObject) => JsonObject,
  holds: (payload: JsonObject) => boolean = () => true,
): Defect =>
  receives((entries) =>
    entries.map((entry) =>
      holds(payloadOf(entry)) ? { ...entry, headers: change(lowerCased(objectOf(entry["headers"])), entry) } : entry,
    ),
  )

/** Changes what the carrier saw. */
export const legs = (change: Bend): Defect =>
  wire(() => async (asked, next) => {
    const reply = await next(asked)
    const json = objectOf(reply.json)
    const { data } = json
    return asked.path === "/_sim/telephony/legs" && Array.isArray(data)
      ? { ...reply, json: { ...json, data: data.map((each: unknown) => change(objectOf(each), asked)) } }
      : reply
  })

/** Changes what is written. */
export const commits = (change: (commit: Commit) => Commit): Defect => ({
  ports: (ports) => ({
    ...ports,
    store: {
      ...ports.store,
      commit: (commit) => ports.store.commit(change(commit)),
      admit: (commit, levels) => ports.store.admit(change(commit), levels),
    },
  }),
})

/** Changes each change that is written; nothing is written of one that becomes null. */
export const writes = (change: (change: RowChange, commit: Commit) => RowChange | null): Defect =>
  commits((commit) => ({ ...commit, changes: commit.changes.flatMap((each) => change(each, commit) ?? []) }))

/** Changes each record of the audit trail; nothing is recorded of one that becomes null. */
export const records = (change: (entry: AuditEntry) => AuditEntry | null): Defect =>
  commits((commit) => ({ ...commit, audit: commit.audit.flatMap((each) => change(each) ?? []) }))

/** Puts something around the ports of a server. */
export const around = (ports: (ports: StoragePorts) => StoragePorts): Defect => ({ ports })

/** What a dial is held against, by level. */
type Demands = Parameters<StoragePorts["store"]["admit"]>[1]

const isDemands = (value: unknown): value is Demands =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one: unknown) => typeof one === "object" && one !== null && "level" in one && "ceiling" in one)

/** Every demand of the slot store's calls, wherever in their arguments it stands. */
const demanding = <Slots extends object>(slots: Slots, change: (demands: Demands) => Demands): Slots => {
  const changed = (value: unknown): unknown => {
    if (isDemands(value)) return change(value)
    if (Array.isArray(value)) return value.map(changed)
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([name, own]) => [name, changed(own)]))
  }
  return new Proxy(slots, {
    get: (target, name, receiver) => {
      const member: unknown = Reflect.get(target, name, receiver)
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => Reflect.apply(member, target, args.map(changed))
        : member
    },
  })
}

/** Changes the ceilings that dials are held against. */
export const gate = (change: (demands: Demands) => Demands): Defect =>
  around((ports) => ({
    ...ports,
    store: { ...ports.store, admit: (commit, demands) => ports.store.admit(commit, change(demands)) },
    slots: demanding(ports.slots, change),
  }))

/** Times of calls that a host set otherwise. */
export const timed = (times: CallTimes): Defect => ({ times })

/** Text that a value is not. */
export const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Another number. */
export const plus =
  (by: number) =>
  (old: unknown): unknown =>
    typeof old === "number" ? old + by : old

/** A request where a bend is given a row and does not look at what was asked. */
export const dummy: Asked = {
  method: "GET",
  path: "/",
  query: new URLSearchParams(),
  headers: new Headers(),
  json: undefined,
  original: new Request("http://nowhere.test"),
}
