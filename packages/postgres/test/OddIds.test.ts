import {
  Agents,
  AuditTrail,
  Batches,
  CallCapsSettings,
  Calls,
  Campaigns,
  Deliveries,
  Erasure,
  Experiments,
  HoursSettings,
  InboundAgents,
  Keys,
  Knowledge,
  Numbers,
  Organizations,
  Providers,
  Retention,
  Subscriptions,
  Suppressions,
} from "@carillon/core"
import { rowPorts, type RowPorts } from "@carillon/core/ports"
import { TestWorld } from "@carillon/core/testing"
import { Postgres } from "@carillon/postgres"
import { Cause, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { inspect } from "node:util"
import { afterAll, expect, it } from "vitest"
import { startPostgres } from "../../../scripts/servers/PostgresServer.ts"

const server = await startPostgres()

const { agentId, caller, ordinary, organizationId, request, World } = TestWorld

/** What a host that is written in JavaScript may hand in for an id. */
const noTexts: ReadonlyArray<unknown> = [7, 1.5, null, undefined, true, {}, ["x"], Symbol("id")]

/** Texts that are the id of nothing, and what PostgreSQL cannot hold. */
const texts: ReadonlyArray<unknown> = ["", "\0", "a\0b", "\ud800", "null", "7", "x".repeat(10_000)]

const page = { page: 1, page_size: 10 }
const entry = { contacts: [{ to_number: "+15555552010", variables: {} }], file_name: null }
const noScope = { agent_id: null, campaign_id: null }
const sorted = { sort_by: "created_at", sort_order: "asc" } as const

type Uses = Readonly<Record<string, (id: string) => Effect.Effect<unknown, unknown>>>

const usesOf = (world: TestWorld.World): Uses => {
  const s = world.service.bind(world)
  const o = organizationId
  return {
    "agents.find": (id) => s(Agents).find(o, id),
    "agents.patch": (id) => s(Agents).patch(caller, id, { display_name: "B" }),
    "agents.deploy": (id) => s(Agents).deploy(caller, id),
    "agents.archive": (id) => s(Agents).archive(caller, id),
    "agents.clone": (id) => s(Agents).clone(caller, id, null),
    "agents.find of": (id) => s(Agents).find(id, agentId),
    "agents.page": (id) => s(Agents).page(id, sorted, page),
    "batches.find": (id) => s(Batches).find(o, id),
    "batches.stop": (id) => s(Batches).stop(caller, id),
    "batches.executions": (id) => s(Batches).executions(o, id, {}, page),
    "batches.page agent": (id) => s(Batches).page(o, { agent_id: id }, page),
    "batches.page campaign": (id) => s(Batches).page(o, { campaign_id: id }, page),
    "batches.create in": (id) => s(Batches).create(caller, { agent_id: agentId, campaign_id: id }, entry),
    "batches.create by": (id) => s(Batches).create(caller, { agent_id: id }, entry),
    "calls.find": (id) => s(Calls).find(o, id),
    "calls.media": (id) => s(Calls).media(o, id),
    "calls.stop": (id) => s(Calls).stop(caller, id, null),
    "calls.page": (id) => s(Calls).page(o, { contact_id: id }, page),
    "calls.executionsOf": (id) => s(Calls).executionsOf(o, id, {}, page),
    "calls.place by": (id) => s(Calls).place(caller, request({ agent_id: id })),
    "calls.place from": (id) => s(Calls).place(caller, request({ from_number: id })),
    "calls.place to": (id) => s(Calls).place(caller, request({ to_number: id })),
    "campaigns.find": (id) => s(Campaigns).find(o, id),
    "campaigns.stats": (id) => s(Campaigns).stats(o, id),
    "campaigns.contacts": (id) => s(Campaigns).contacts(o, id, page),
    "campaigns.explain": (id) => s(Campaigns).explain(o, id),
    "campaigns.append": (id) => s(Campaigns).append(caller, id, entry),
    "campaigns.pause": (id) => s(Campaigns).pause(caller, id),
    "campaigns.remove": (id) => s(Campaigns).remove(caller, id),
    "campaigns.create by": (id) => s(Campaigns).create(caller, { name: "A", agent_id: id }, null),
    "experiments.find": (id) => s(Experiments).find(o, agentId, id),
    "experiments.page": (id) => s(Experiments).page(o, id, null, page),
    "experiments.remove": (id) => s(Experiments).remove(caller, agentId, id),
    "inbound.unbind": (id) => s(InboundAgents).unbind(caller, id),
    "inbound.bind": (id) => s(InboundAgents).bind(caller, { agent_id: id, phone_number_id: id }),
    "keys.revoke": (id) => s(Keys).revoke(caller, id),
    "keys.authenticate": (id) => s(Keys).authenticate(id),
    "knowledge.find": (id) => s(Knowledge).find(o, id),
    "knowledge.uploads": (id) => s(Knowledge).uploads(o, id, page),
    "knowledge.remove": (id) => s(Knowledge).remove(caller, id),
    "knowledge.removeUpload": (id) => s(Knowledge).removeUpload(caller, id, id),
    "numbers.find": (id) => s(Numbers).find(o, id),
    "numbers.change": (id) => s(Numbers).change(caller, id, {}),
    "numbers.release": (id) => s(Numbers).release(caller, id),
    "numbers.take": (id) => s(Numbers).take(o, id),
    "numbers.take of": (id) => s(Numbers).take(id, "pn_one"),
    "organizations.show": (id) => s(Organizations).show(id),
    "organizations.change": (id) => s(Organizations).change(id, { name: "B" }),
    "organizations.giveKey": (id) => s(Organizations).giveKey(id, "n"),
    "organizations.revokeKey": (id) => s(Organizations).revokeKey(o, id),
    "providers.value": (id) => s(Providers).value(o, id),
    "providers.remove": (id) => s(Providers).remove(caller, id),
    "deliveries.find": (id) => s(Deliveries).find(o, id),
    "deliveries.redeliver": (id) => s(Deliveries).redeliver(caller, id),
    "deliveries.page": (id) => s(Deliveries).page(o, { event_id: id }, page),
    "subscriptions.find": (id) => s(Subscriptions).find(o, id),
    "subscriptions.patch": (id) => s(Subscriptions).patch(caller, id, { enabled: false }),
    "subscriptions.remove": (id) => s(Subscriptions).remove(caller, id),
    "subscriptions.page": (id) => s(Subscriptions).page(o, { agent_id: id }, page),
    "subscriptions.setEventTypes": (id) => s(Subscriptions).setEventTypes(caller, id, null),
    "audit.find": (id) => s(AuditTrail).find(o, id),
    "audit.page": (id) => s(AuditTrail).page(o, { actor: id }, page),
    "audit.verify": (id) => s(AuditTrail).verify(id, {}),
    "erasure.erase": (id) => s(Erasure).erase(id, "+15555552010"),
    "erasure.erase whom": (id) => s(Erasure).erase(o, id),
    "suppressions.check": (id) => s(Suppressions).check(o, [id]),
    "suppressions.page": (id) => s(Suppressions).page(id, page),
    "hours.find": (id) => s(HoursSettings).find(o, { ...noScope, agent_id: id }),
    "hours.find of": (id) => s(HoursSettings).find(id, noScope),
    "caps.find": (id) => s(CallCapsSettings).find(id),
  }
}

/** What looks nothing up: any text will do. */
const anyText = (world: TestWorld.World): Uses => ({
  "numbers.assign": (id) => world.service(Numbers).assign(id, "+15555550177"),
  "organizations.list": (id) => world.service(Organizations).list(id, 1),
  "retention.purge": (id) => world.service(Retention).purge(id, 1),
})

/** What came of a use: what it answered, the error that it names, or the mistake with which it died. */
const outcomeOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isSuccess(exit)) return `answered ${JSON.stringify(exit.value)}`
  const failure = exit.cause.reasons.find(Cause.isFailReason)
  return failure === undefined
    ? `died of ${String(Cause.squash(exit.cause))}`
    : `failed with ${JSON.stringify(failure.error)}`
}

/** What comes of everything that is handed in, by what it is handed to. */
const outcomes = (storage?: RowPorts) =>
  Effect.gen(function* () {
    const world = new World({ script: () => ordinary, ...(storage === undefined ? {} : { storage }) })
    yield* world.start()
    const found = new Map<string, string>()
    for (const [uses, odd] of [
      [usesOf(world), [...noTexts, ...texts]],
      [anyText(world), [...noTexts.filter((id) => id !== null), ...texts]],
    ] as const) {
      for (const [name, use] of Object.entries(uses)) {
        for (const id of odd) {
          const asked = yield* world.admit(Effect.suspend(() => use(id as string)))
          yield* world.advance(0)
          const exit = asked.pollUnsafe()
          const shown = typeof id === "string" ? JSON.stringify(id.slice(0, 9)) : inspect(id)
          const answer = exit === undefined ? "open" : Exit.isSuccess(exit) ? outcomeOf(exit.value) : outcomeOf(exit)
          found.set(`${name}: ${shown}`, answer)
        }
      }
    }
    return found
  }).pipe(Effect.scoped, Effect.runPromise)

if (typeof server === "string") it(`cannot be run: there is no PostgreSQL server (${server})`, ({ skip }) => skip())
else {
  const scope = Scope.makeUnsafe()
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server.stop()
  })

  it("an id of nothing comes to the same in memory and on PostgreSQL, and what is no text is refused by its field's name", async () => {
    const layer = Layer.provide(Postgres.layerNoDeps, Postgres.layerClient({ url: Redacted.make(server.url()) }))
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const [memory, stored] = [await outcomes(), await outcomes(rowPorts(context))]
    expect(stored).toEqual(memory)
    const isWrong = ([, outcome]: readonly [string, string]) => /^died|Dependency/.test(outcome)
    expect([...memory].filter(isWrong)).toEqual([])
    const refused = [...memory].filter(([, outcome]) => outcome.includes('"reason":"must be a string"'))
    expect(refused.length).toBeGreaterThan(memory.size / 3)
  })
}
