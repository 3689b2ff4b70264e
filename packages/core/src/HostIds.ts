import { type Context, Effect, Layer } from "effect"
import { Agents } from "./agents/Agents.ts"
import { AuditTrail } from "./audit/AuditTrail.ts"
import { Batches } from "./batches/Batches.ts"
import { CallCapsSettings } from "./callees/CallCapsSettings.ts"
import { HoursSettings } from "./callees/HoursSettings.ts"
import { Suppressions } from "./callees/Suppressions.ts"
import { Calls } from "./calls/Calls.ts"
import { Campaigns } from "./campaigns/Campaigns.ts"
import { Erasure } from "./erasure/Erasure.ts"
import { InvalidField } from "./Errors.ts"
import { Experiments } from "./experiments/Experiments.ts"
import { InboundAgents } from "./inbound/InboundAgents.ts"
import { Keys } from "./keys/Keys.ts"
import { Knowledge } from "./knowledge/Knowledge.ts"
import { limits } from "./Limits.ts"
import { Numbers } from "./numbers/Numbers.ts"
import { Organizations } from "./organizations/Organizations.ts"
import { Portable } from "./portable/Portable.ts"
import { Providers } from "./providers/Providers.ts"
import { Retention } from "./retention/Retention.ts"
import { Deliveries } from "./webhooks/Deliveries.ts"
import { Subscriptions } from "./webhooks/Subscriptions.ts"

/**
 * What an argument must be: a text of that name, one or null, one that a store can hold, texts in a list, or an object: one that has texts, and texts or null, or a filter,
 * which has no null; null where it is nobody's id. A host that is written in JavaScript hands in anything, and stores would answer differently: that
 * nothing is there, by a mistake, or with everybody's rows.
 */
type Place =
  | string
  | { readonly orNull: string }
  | { readonly written: string; readonly orNull?: true }
  | { readonly all: string }
  | { readonly has: ReadonlyArray<string>; readonly hasOrNull?: ReadonlyArray<string> }
  | { readonly filter: true }
  | null

type Places<S> = { readonly [Method in keyof S]?: ReadonlyArray<Place> }

const reason = "must be a string"
const unheld = `must have at most ${limits.idCharacters} characters, and neither NUL nor half a surrogate pair`

/** Whether every store holds an id, in the same order among others. */
const isHeld = (value: unknown): boolean =>
  typeof value !== "string" || (value.length <= limits.idCharacters && value.isWellFormed() && !value.includes("\0"))

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isText = (value: unknown): boolean => typeof value === "string"
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)

/** The first of the named fields that is not as it must be. */
const firstWrong = (value: object, names: ReadonlyArray<string>, isRight: (item: unknown) => boolean): string | null =>
  names.find((name) => !isRight(Reflect.get(value, name))) ?? null

/** Fields that name something, of those that are there. */
const naming = (value: object): ReadonlyArray<string> =>
  Object.entries(value).flatMap(([name, item]) =>
    item !== undefined && /(_id|_number|^actor)$/.test(name) ? [name] : [],
  )

/** The name of what is wrong of an argument; null where nothing is. */
const faultOf = (value: unknown, place: Place): string | null => {
  if (typeof place === "string") return isText(value) ? null : place
  if (place === null) return isObject(value) ? firstWrong(value, naming(value), isTextOrNull) : null
  if ("written" in place) return isText(value) || (place.orNull === true && value === null) ? null : place.written
  if ("orNull" in place) return isTextOrNull(value) ? null : place.orNull
  if ("all" in place) {
    const nth = Array.isArray(value) ? value.findIndex((item) => !isText(item)) : -1
    return nth < 0 ? null : `${place.all}[${nth}]`
  }
  if (!isObject(value)) return null
  if ("filter" in place) return firstWrong(value, naming(value), isText)
  const { has, hasOrNull = [] } = place
  return firstWrong(value, has, isText) ?? firstWrong(value, [...hasOrNull, ...naming(value)], isTextOrNull)
}

/** Whether an id is written, or compared with others, by whoever looks nothing up by it. */
const isWritten = (place: Place): place is Extract<Place, { readonly written: string }> =>
  typeof place === "object" && place !== null && "written" in place

/** The service that refuses ids that are no texts, and names the field. */
const judged = <S extends object>(service: S, places: Places<S>): S =>
  new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      const known: unknown = Reflect.get(places, name)
      if (typeof member !== "function" || !Array.isArray(known)) return member
      const asked: ReadonlyArray<Place> = known
      return (...args: ReadonlyArray<unknown>): unknown => {
        for (const [nth, place] of asked.entries()) {
          const field = faultOf(args[nth], place)
          if (field !== null) return Effect.fail(new InvalidField({ field, reason }))
          if (isWritten(place) && !isHeld(args[nth])) {
            return Effect.fail(new InvalidField({ field: place.written, reason: unheld }))
          }
        }
        return Reflect.apply(member, target, args)
      }
    },
  })

const judging = <I, S extends object>(tag: Context.Key<I, S>, places: Places<S>) =>
  Layer.effect(
    tag,
    Effect.map(tag, (service) => judged(service, places)),
  )

const ours = "organization_id"
const written = { written: ours }
const agent = [null, "agent_id"]
const batch = [null, "batch_id"]
const campaign = [null, "campaign_id"]
const ourCampaign = [ours, "campaign_id"]
const subscription = [null, "subscription_id"]
const listed = [ours, { filter: true }] as const
const byAgent = [null, { has: ["agent_id"] }] as const

/** The engine's services as whoever is outside of it has them: ids are judged before anything is asked for. */
export const hostIds = Layer.mergeAll(
  judging(Agents, {
    find: [ours, "agent_id"],
    page: listed,
    ...{ patch: agent, replace: agent, deploy: agent, undeploy: agent, archive: agent, clone: agent },
  }),
  judging(Batches, {
    create: byAgent,
    find: [ours, "batch_id"],
    page: listed,
    executions: [ours, "batch_id", { filter: true }],
    ...{ schedule: batch, stop: batch, pause: batch, resume: batch },
  }),
  judging(Calls, {
    place: [null, { has: ["agent_id", "to_number"], hasOrNull: ["from_number"] }],
    find: [ours, "execution_id"],
    media: [ours, "execution_id"],
    page: listed,
    executionsOf: [ours, "agent_id", { filter: true }],
    stop: [null, "execution_id"],
  }),
  judging(Campaigns, {
    create: byAgent,
    page: listed,
    ...{ find: ourCampaign, stats: ourCampaign, batches: ourCampaign, contacts: ourCampaign, explain: ourCampaign },
    ...{ patch: [...campaign, null], append: campaign, pause: campaign, resume: campaign, cancel: campaign },
    ...{ revive: campaign, remove: campaign },
  }),
  judging(Experiments, {
    create: [null, "agent_id", null],
    find: [ours, "agent_id", "version_id"],
    page: [ours, "agent_id"],
    patch: [null, "agent_id", "version_id"],
    remove: [null, "agent_id", "version_id"],
  }),
  judging(InboundAgents, { bind: byAgent, page: [ours], unbind: [null, "inbound_agent_id"] }),
  judging(Keys, { authenticate: ["key"], page: [ours], revoke: [null, "key_id"] }),
  judging(Knowledge, {
    add: [null, "collection"],
    find: [ours, "collection"],
    page: [ours],
    uploads: [ours, "collection"],
    remove: [null, "collection"],
    removeUpload: [null, "collection", "document_id"],
    query: [ours, "collection"],
  }),
  judging(Numbers, {
    register: [null, "phone_number"],
    find: [ours, "phone_number_id"],
    page: [ours],
    change: [null, "phone_number_id"],
    release: [null, "phone_number_id"],
    assign: [written, "phone_number"],
    take: [ours, "phone_number_id"],
  }),
  judging(Organizations, {
    change: [ours],
    list: [{ written: "after", orNull: true }],
    show: [ours],
    giveKey: [ours, "name"],
    revokeKey: [ours, "key_id"],
  }),
  judging(Providers, { value: [ours, "provider_name"], page: [ours], remove: [null, "provider_name"] }),
  judging(Deliveries, { find: [ours, "delivery_id"], page: listed, redeliver: [null, "delivery_id"] }),
  judging(Subscriptions, {
    create: [null, null],
    find: [ours, "subscription_id"],
    page: listed,
    patch: subscription,
    remove: subscription,
    setEventTypes: agent,
  }),
  judging(AuditTrail, { find: [ours, "event_id"], page: listed, verify: [ours] }),
  judging(Erasure, { erase: [ours, "number"] }),
  judging(Retention, { purge: [written] }),
  judging(Suppressions, {
    add: [null, { all: "to_numbers" }, null],
    remove: [null, { all: "to_numbers" }, null],
    check: [ours, { all: "to_numbers" }],
    page: [ours],
    suppressOn: [ours],
  }),
  judging(HoursSettings, {
    find: [ours, null],
    set: [null, null],
    remove: [null, null],
    check: [ours, null, { all: "to_numbers" }],
  }),
  judging(CallCapsSettings, { find: [ours], set: [null], remove: [null] }),
  judging(Portable, { export: [ours] }),
)
