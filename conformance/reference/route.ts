import type { IncomingMessage } from "node:http"
import { readFields } from "./body.ts"
import { conflict, malformed } from "./errors.ts"
import type { Fields } from "./fields.ts"
import { sha256 } from "./ids.ts"
import type { Key } from "./keys.ts"
import type { Organization } from "./organization.ts"
import type { Query } from "./query.ts"
import type { Bucket } from "./rates.ts"
import type { Scope } from "./scopes.ts"
import type { World } from "./world.ts"

export interface Answer {
  readonly status: number
  /** Left out: no body at all. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One route of `/v2`. Its path's placeholders are `{…}`. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly bucket?: Bucket
  readonly scope?: Scope
  /** A scope that is published for the route ahead of being asked for. */
  readonly announced?: Scope
  /** Refuses in words of its own where the scope is missing. */
  readonly guard?: (context: Context) => void
  /** What the audit trail calls it; a read has none. */
  readonly action?: string
  readonly handle: (context: Context) => Answer | Promise<Answer>
}

const keyMaxLength = 255
const keptForMs = 24 * 3_600_000

/** A request whose key, organization and route are known. */
export class Context {
  readonly world: World
  readonly request: IncomingMessage
  readonly requestId: string
  readonly route: Route
  readonly key: Key
  readonly organization: Organization
  readonly params: ReadonlyArray<string>
  readonly query: Query
  resource: { readonly type: string; readonly id: string | null } | null = null

  constructor(
    parts: Pick<Context, "world" | "request" | "requestId" | "route" | "key" | "organization" | "params" | "query">,
  ) {
    this.world = parts.world
    this.request = parts.request
    this.requestId = parts.requestId
    this.route = parts.route
    this.key = parts.key
    this.organization = parts.organization
    this.params = parts.params
    this.query = parts.query
  }

  /** The value of the path's first placeholder. */
  get id(): string {
    return this.params[0] ?? ""
  }

  fields(options: { readonly maxBytes?: number; readonly optional?: boolean } = {}): Promise<Fields> {
    return readFields(this.request, options)
  }

  /** Says for the audit trail what the request is about. */
  touch(type: string, id: string | null): void {
    this.resource = { type, id }
  }

  /** Does something once for an `Idempotency-Key`: the same request gets the same answer again. */
  async once(fingerprint: string, act: () => Answer | Promise<Answer>): Promise<Answer> {
    const given = this.request.headers["idempotency-key"]
    if (given === undefined) return act()
    const name = String(given)
    if (name === "" || name.length > keyMaxLength) throw malformed("An Idempotency-Key has 1 to 255 characters.")
    const { answers } = this.organization
    const place = `${this.route.path} ${name}`
    const print = sha256(fingerprint)
    const kept = answers.get(place)
    const now = this.world.clock.now()
    if (kept !== undefined && now - kept.at < keptForMs) {
      if (kept.fingerprint !== print) throw conflict("This Idempotency-Key was used with another request.")
      if (kept.answer === null) {
        throw retryable("The first request with this Idempotency-Key is still running.", 1)
      }
      return { ...kept.answer, headers: { "Idempotent-Replayed": "true" } }
    }
    const entry: Parameters<typeof answers.put>[1] = { fingerprint: print, answer: null, at: now }
    answers.delete(place)
    answers.put(place, entry)
    try {
      const answer = await act()
      if (answer.status < 300) entry.answer = { status: answer.status, body: structuredClone(answer.body) }
      else answers.delete(place)
      return answer
    } catch (error) {
      answers.delete(place)
      throw error
    }
  }
}

const retryable = (message: string, seconds: number) => {
  const refusal = conflict(message)
  return Object.assign(refusal, { headers: { "Retry-After": String(seconds) } })
}

/** JSON with sorted keys: two bodies that say the same are the same text (RFC 8785). */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  // Code units, not locale: the standard sorts as JavaScript compares strings.
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${sorted.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(",")}}`
}
