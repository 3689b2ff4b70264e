import type { IncomingMessage } from "node:http"
import { readBytes, jsonObject, mebibyte } from "./body.ts"
import type { Mode } from "./clock.ts"
import { conflict, invalid, missing, notFound } from "./errors.ts"
import {
  Fields,
  flag,
  integer,
  isJson,
  iso,
  isoOrNull,
  json,
  list,
  map,
  moment,
  number,
  oneOf,
  orNull,
  phone,
  type Read,
  text,
  within,
} from "./fields.ts"
import { errorClasses } from "./inbox.ts"
import { makeKey } from "./keys.ts"
import type { Leg } from "./carrier.ts"
import { newNumber } from "./numbers.ts"
import { Organization } from "./organization.ts"
import type { Answer } from "./route.ts"
import { results, type Rule, type Script } from "./script.ts"
import { eventTypes, newSubscription } from "./subscriptions.ts"
import type { World } from "./world.ts"

/** The hand on the world: what a judge needs to see more than one key shows. */

const bodyMaxBytes = 16 * mebibyte

const yearMs = 366 * 86_400_000

const ok = (body: unknown): Answer => ({ status: 200, body })

interface Asked {
  readonly world: World
  readonly body: Fields
  readonly query: URLSearchParams
  /** The last part of the path. */
  readonly name: string
}

const capabilities = {
  contract: 1,
  organizations: true,
  clock: true,
  inbox: true,
  dns: true,
  platform: true,
  telephony: true,
  magic: true,
  inbound: false,
  snapshot: false,
  faults: {},
}

const clockView = ({ clock, waiting }: World) => ({
  now: clock.iso(),
  mode: clock.mode,
  speed: clock.speed,
  next_due: isoOrNull(clock.nextDue()),
  waiting: [...waiting],
})

const setClock = ({ body, world }: Asked): Answer => {
  const mode: Mode = body.required("mode", oneOf(["realtime", "scaled", "manual"]))
  const speed = body.optional("speed", number(0.001, 1_000_000))
  if (mode === "scaled" && speed === undefined) throw missing("speed")
  world.clock.setMode(mode, speed)
  return ok(clockView(world))
}

/** Requests that were let go on have said their last word when the event loop has turned. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const advance = async ({ body, world }: Asked): Promise<Answer> => {
  const { clock } = world
  const now = clock.now()
  const byMs = body.optional("by_ms", integer(0, yearMs))
  const to = body.optional("to", moment)
  const idle = body.optional("until_idle", flag)
  const maxMs = body.optional("max_ms", integer(0, yearMs)) ?? 7 * 86_400_000
  if (clock.mode !== "manual") throw conflict("Only a clock in manual mode can be advanced.")
  const target = byMs === undefined ? to : now + byMs
  if (target === undefined && idle !== true) throw missing("by_ms")
  if (target !== undefined && target < now) throw invalid("to", "must not lie before the present virtual time")
  const events = clock.advance(target ?? now + maxMs, () => target === undefined && clock.nextDue() === null)
  await settled()
  await settled()
  return ok({
    now: clock.iso(),
    events,
    waiting: [...world.waiting],
    reached: target !== undefined || clock.nextDue() === null,
  })
}

const ceiling = orNull(integer(0))

const concurrency = within((fields) => ({
  organization: fields.optional("organization", ceiling),
  per_agent: fields.optional("per_agent", ceiling),
  enforced: fields.optional("enforced", flag),
}))

const wallet = within((fields) => ({
  balance: fields.optional("balance", number(-1e15)),
  currency: fields.optional("currency", text(1, 3)),
}))

const webhookDefault = within((fields) => ({
  callback_url: fields.required("callback_url", text(1, 2048)),
  method_type: fields.optional("method_type", oneOf(["POST", "PUT"])) ?? "POST",
  headers: fields.optional("headers", map(text())) ?? {},
  secret: fields.optional("secret", orNull(text())) ?? null,
  event_types: fields.optional("event_types", list(oneOf(eventTypes))) ?? ["all_processing_completed" as const],
  enabled: fields.optional("enabled", flag) ?? true,
  description: fields.optional("description", orNull(text())) ?? null,
}))

/** What both making and changing an organization say of it. */
const furnish = ({ body, world }: Asked, organization: Organization): void => {
  organization.plan = body.optional("plan", text(1)) ?? organization.plan
  const money = body.optional("wallet", wallet)
  organization.wallet = {
    balance: money?.balance ?? organization.wallet.balance,
    currency: money?.currency ?? organization.wallet.currency,
  }
  const limits = body.optional("concurrency", concurrency)
  const { concurrency: before } = organization
  organization.concurrency = {
    organization: limits?.organization === undefined ? before.organization : limits.organization,
    per_agent: limits?.per_agent === undefined ? before.per_agent : limits.per_agent,
    enforced: limits?.enforced ?? before.enforced,
  }
  const secret = body.optional("webhook_secret", orNull(text(1)))
  if (secret !== undefined) organization.webhook_secret = secret
  const fallback = body.optional("webhook_default", orNull(webhookDefault))
  if (fallback === undefined) return
  const old = organization.subscriptions.find(({ agent_id }) => agent_id === null)
  if (old !== undefined) organization.subscriptions.delete(old.subscription_id)
  if (fallback === null) return
  const made = newSubscription({ ...fallback, agent_id: null }, world.clock.iso())
  organization.subscriptions.put(made.subscription_id, made)
}

const keyFixture = within((fields) => ({
  name: fields.optional("name", text()) ?? "Simulated key",
  scopes: fields.optional("scopes", orNull(list(text()))) ?? null,
  keys_write: fields.optional("keys_write", flag) ?? false,
  active: (fields.optional("status", oneOf(["active", "inactive"])) ?? "active") === "active",
  bound: fields.optional("bound", flag) ?? true,
}))

const defaultKey = { name: "Simulated key", scopes: null, keys_write: false, active: true, bound: true }

/** A new organization with its keys; the only place where the keys are told. */
export const makeOrganization = (world: World, body: Fields) => {
  const organization = new Organization()
  organization.name = body.optional("name", text(1)) ?? organization.name
  const phones = body.optional("phone_numbers", list(phone)) ?? [world.newNumber(), world.newNumber()]
  const keys = body.optional("keys", list(keyFixture)) ?? [defaultKey]
  furnish({ body, world, query: new URLSearchParams(), name: "" }, organization)
  const now = world.clock.iso()
  for (const one of phones) {
    const made = newNumber(one, null, now)
    organization.numbers.put(made.phone_number_id, made)
  }
  world.organizations.put(organization.organization_id, organization)
  const made = keys.map(({ active, bound, keys_write, name, scopes }) => {
    const { key, secret } = makeKey({
      organization: bound ? organization : null,
      description: name,
      scopes,
      scopes_source: scopes === null ? "grandfathered" : "explicit",
      keys_write,
      created_at: now,
      active,
    })
    world.keys.put(key.hash, key)
    return { key: secret, key_id: key.key_id, scopes }
  })
  return { organization, shown: { organization_id: organization.organization_id, phone_numbers: phones, keys: made } }
}

const change = (asked: Asked): Answer => {
  const organization = asked.world.organizations.get(asked.name)
  if (organization === undefined) throw notFound("Organization")
  furnish(asked, organization)
  asked.world.dispatcher.serve(organization)
  const { concurrency: limits, name, organization_id, plan, wallet: money, webhook_secret } = organization
  const phone_numbers = [...organization.numbers.values()].map(({ phone_number }) => phone_number)
  return ok({ organization_id, name, plan, wallet: money, concurrency: limits, webhook_secret, phone_numbers })
}

const milliseconds = integer(0, yearMs)

const turn = within((fields) => fields.values)

const isTurn = (value: unknown): value is NonNullable<Script["turns"]>[number] =>
  isJson(value) && Object.values(value).every((one) => typeof one === "number")

/** An outcome as the contract writes it. */
const outcome: Read<Script> = within((fields) => {
  const optional = <T>(name: string, read: Read<T>) => {
    const value = fields.optional(name, read)
    return value === undefined ? {} : { [name]: value }
  }
  return {
    result: fields.required("result", oneOf(results)),
    ...optional("ring_ms", milliseconds),
    ...optional("talk_ms", milliseconds),
    ...optional("processing_ms", milliseconds),
    ...optional("hangup_by", oneOf(["agent", "customer"])),
    ...optional("recording", flag),
    ...optional("sentiment", text()),
    ...optional(
      "transcript",
      list(within((said) => ({ role: said.required("role", text()), content: said.required("content", text()) }))),
    ),
    ...optional(
      "cost",
      within((cost) => ({
        ...(cost.has("total") ? { total: cost.required("total", number(0)) } : {}),
        ...(cost.has("breakdown") ? { breakdown: cost.required("breakdown", map(number(0))) } : {}),
      })),
    ),
    ...optional("turns", (value, path) => list(turn)(value, path).filter(isTurn)),
    ...optional("duplicate_reports", flag),
    ...optional("reorder_reports", flag),
    ...optional("hangup_refused", flag),
    ...optional("ack_delay_ms", milliseconds),
  }
})

const rule: Read<Rule> = within((fields) => {
  const match = fields.optional("match", json) ?? {}
  const words = ["to_number", "to_prefix", "agent_id", "campaign_id"].filter((name) => match[name] !== undefined)
  const counts = ["contact_index", "attempt"].filter((name) => match[name] !== undefined)
  const read = new Fields(match, "match")
  return {
    match: {
      ...Object.fromEntries(words.map((name) => [name, read.required(name, text())])),
      ...Object.fromEntries(counts.map((name) => [name, read.required(name, integer(0))])),
    },
    script: fields.required("outcome", outcome),
    times: fields.optional("times", integer(1)) ?? Number.POSITIVE_INFINITY,
  }
})

const setRules = ({ body, world }: Asked): Answer => {
  const rules = body.required("rules", list(rule, 10_000))
  const fallback = body.optional("default", outcome) ?? null
  world.carrier.setRules(rules, fallback)
  return ok(body.values)
}

const peakOf = (legs: ReadonlyArray<Leg>, now: number): number => {
  const steps = legs
    .filter(({ live, ended_at }) => live || ended_at !== null)
    .flatMap(({ ended_at, placed_at }) => [[placed_at, 1] as const, [ended_at ?? now + 1, -1] as const])
    .toSorted(([a, up], [b, down]) => a - b || up - down)
  let [live, peak] = [0, 0]
  for (const [, step] of steps) {
    live += step
    peak = Math.max(peak, live)
  }
  return peak
}

const seenLegs = ({ query, world }: Asked): Answer => {
  const wanted = ["to_number", "execution_id", "agent_id", "campaign_id"] as const
  const live = query.get("live")
  const legs = world.carrier.legs.filter((leg) =>
    wanted.every((name) => {
      const value = query.get(name)
      return value === null || (name === "to_number" ? value.replace(/^ /, "+") : value) === leg[name]
    }),
  )
  const shown = legs.filter((leg) => live === null || leg.live === (live === "true"))
  const all = wanted.every((name) => query.get(name) === null)
  return ok({
    data: shown.map((leg) => ({
      ...leg,
      placed_at: iso(leg.placed_at),
      answered_at: isoOrNull(leg.answered_at),
      ended_at: isoOrNull(leg.ended_at),
    })),
    peak_live: all ? world.carrier.peak : peakOf(legs, world.clock.now()),
  })
}

const status = integer(100, 599)

const setInbox = ({ body, name, world }: Asked): Answer => {
  body.optional("status", status)
  body.optional("statuses", list(status))
  const [one, many] = [body.optional("status", status), body.optional("statuses", list(status))]
  const delay = body.optional("delay_ms", milliseconds)
  const error = body.optional("error", oneOf(errorClasses))
  world.network.configure(name, {
    ...(one === undefined ? {} : { status: one }),
    ...(many === undefined ? {} : { statuses: many }),
    ...(delay === undefined ? {} : { delay_ms: delay }),
    ...(error === undefined ? {} : { error }),
  })
  return ok(body.values)
}

const setNames = ({ body, world }: Asked): Answer => {
  const records = body.required("records", map(list(text())))
  const flips = body.optional("flip", map(list(list(text())))) ?? {}
  world.network.setNames(records, flips)
  return ok(body.values)
}

const setPlatform = ({ body, world }: Asked): Answer => {
  world.lines.platform = body.required("concurrency", integer(0))
  return ok({ concurrency: world.lines.platform })
}

type Handle = (asked: Asked) => Answer | Promise<Answer>

const routes: Readonly<Record<string, Handle>> = {
  "GET /_sim/capabilities": () => ok(capabilities),
  "GET /_sim/clock": ({ world }) => ok(clockView(world)),
  "PUT /_sim/clock": setClock,
  "POST /_sim/clock/advance": advance,
  "POST /_sim/organizations": ({ body, world }) => ({ status: 201, body: makeOrganization(world, body).shown }),
  "PATCH /_sim/organizations/*": change,
  "PATCH /_sim/platform": setPlatform,
  "PUT /_sim/telephony/rules": setRules,
  "GET /_sim/telephony/legs": seenLegs,
  "PUT /_sim/dns": setNames,
  "PUT /_sim/inbox/*": setInbox,
  "GET /_sim/inbox/*": ({ name, world }) => ok({ data: world.network.received(name) }),
  "DELETE /_sim/inbox/*": ({ name, world }) => {
    world.network.empty(name)
    return { status: 204 }
  },
}

/** Answers a request to the control surface. */
export const control = async (world: World, request: IncomingMessage): Promise<Answer> => {
  const url = new URL(request.url ?? "/", "http://localhost")
  const path = url.pathname.replace(/\/$/, "")
  const [, folder = "", name = ""] = /^(\/_sim\/(?:inbox|organizations))\/([^/]+)$/.exec(path) ?? []
  const handle = routes[`${request.method} ${folder === "" ? path : `${folder}/*`}`]
  if (handle === undefined) throw notFound("Route")
  const bytes = await readBytes(request, bodyMaxBytes)
  const body = new Fields(bytes.length === 0 ? {} : jsonObject(bytes.toString()))
  return handle({ world, body, query: url.searchParams, name: decodeURIComponent(name) })
}
