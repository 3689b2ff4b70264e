import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import type { AskingErrand, Errand } from "../../src/Errands.ts"
import { operations } from "../../src/testing/interleavings/Operations.ts"
import { type Scene, scenes, setScene, type Stage, worldOf } from "../../src/testing/interleavings/Scenes.ts"

/** What only reads, or is only asked by others on their way. */
const reads = [
  "agents/Agents: find page",
  "audit/Audit: allowed bySystem",
  "audit/AuditTrail: find page verify",
  "batches/Batches: find page executions recall",
  "calls/Calls: find media page executionsOf currency recall",
  "callees/CallCapsSettings: find",
  "callees/HoursSettings: find check",
  "callees/Suppressions: check page suppressOn",
  "campaigns/Breakers: find wake",
  "campaigns/CallOrders: find",
  "campaigns/Campaigns: find page stats batches contacts explain log recall",
  "experiments/Experiments: find page route routes addressed",
  "inbound/InboundAgents: page",
  "keys/Keys: authenticate page",
  "knowledge/Knowledge: find page uploads query",
  "limits/PlatformLines: show",
  "limits/RateLimiter: check look figures untouched",
  "limits/Reconciler: most silent",
  "metrics/Sampler: sample always",
  "webhooks/KeptEvents: read stream isKeeping areThere",
  "numbers/Numbers: find page",
  "organizations/Organizations: list show",
  "providers/Providers: page value",
  "telephony/Dialling: standing expected",
  "usage/Usage: report",
  "webhooks/Deliveries: find page beside",
  "webhooks/Subscriptions: find page",
  // The carrier's operations bring reports, wake-ups bring the others; nothing that is written changes as an engine leaves.
  "Engine: report nextDue announce drain process pulse",
  "webhooks/Deliveries: route wake",
  "retention/Retention: sweep look",
  "verification/Verification: verify",
]

/** Ports, sources, and what works inside of the operations. */
const inside =
  /(Store|Index|Places|Wakeups|Ids|Chance|KeyMinter|DomainClock|Activity|Parking|Transliterator|Telephony|WebhookTransport|Funds|Wallets|Withheld|Alarm|AuditEntries|Claims|ErrandHandling|SecretKeeping|Routing|Outbox|CommitMeter|Pieces|Steps|Gate|Lifecycle|References|Intake|ContactCalls|Callees|Dialler|Requesters|Dispatcher|Explainer|CallProgress|CampaignRecovery)$/

/** Every kind of errand, and which test reaches it where the operations by themselves do not. */
const errands: {
  readonly [K in (Errand | AskingErrand)["errand"] as `errands.${K}`]: string | null
} = {
  "errands.batch.settle": null,
  "errands.call.dial": null,
  "errands.call.hang_up": null,
  "errands.callees.meet": null,
  "errands.campaign.complete": null,
  "errands.campaign.mend": "batches/SettleBatch",
  "errands.campaign.tell_mended": null,
  "errands.contacts.discard": "intake/Intake",
  "errands.contacts.overwrite": null,
  "errands.delivery.send": null,
  "errands.knowledge.remove_chunks": null,
  "errands.line.decline": "calls/DialSteps",
  "errands.line.give_back": null,
}

const only = (name: string): Scene => {
  const scene = scenes.find((each) => each.name === name)
  if (scene === undefined) throw new Error(`There is no scene "${name}".`)
  return scene
}

/** The service, which notes what is asked of it. */
const noting = <S>(service: S, note: (name: string) => void): S =>
  typeof service === "object" && service !== null
    ? new Proxy(service, {
        get: (target, name) => {
          note(String(name))
          return Reflect.get(target, name)
        },
      })
    : service

const nameOf = (key: string): string => key.replace("@carillon/core/", "")

describe("the table of operations", () => {
  it.live("has everything that the engine's services do with a write", () =>
    Effect.gen(function* () {
      const scene = only("a new campaign")
      const world = worldOf(scene, (_, use) => use)
      yield* world.start()
      const set = yield* setScene(scene, world)
      const asked = new Set<string>()
      const stage: Stage = {
        ...set,
        service: (tag) => noting(set.service(tag), (name) => asked.add(`${nameOf(tag.key)} ${name}`)),
      }
      for (const operation of operations) {
        yield* world.admit(operation.run(stage))
        yield* world.settle()
      }
      for (const line of reads) {
        const [service = "", names = ""] = line.split(": ")
        for (const name of names.split(" ")) asked.add(`${service} ${name}`)
      }
      const services = yield* world.run(Effect.context<never>())
      const missing = [...services.mapUnsafe].flatMap(([key, service]) =>
        !key.startsWith("@carillon/core/") || inside.test(key) || typeof service !== "object" || service === null
          ? []
          : Object.keys(service).flatMap((name) =>
              asked.has(`${nameOf(key)} ${name}`) ? [] : [`${nameOf(key)} ${name}`],
            ),
      )
      assert.deepStrictEqual(missing, [])
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
  )

  it.live("has each errand done, so that others get in before it, but for those that are reached elsewhere", () =>
    Effect.gen(function* () {
      const reached = new Set<string>()
      for (const name of [
        "a new campaign",
        "the last call ends",
        "a retry is due",
        "completed, though a batch of it goes on",
      ]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const scene = only(name)
            const world = worldOf(scene, (use, effect) => {
              reached.add(use)
              return effect
            })
            yield* world.start()
            const stage = yield* setScene(scene, world)
            for (const operation of operations) {
              yield* world.admit(operation.run(stage))
              yield* world.settle()
            }
          }),
        )
      }
      const missing = Object.entries(errands).filter(([errand, where]) => (where === null) !== reached.has(errand))
      assert.deepStrictEqual(missing, [])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

  it("names each operation and each scene once", () => {
    for (const names of [operations.map(({ name }) => name), scenes.map(({ name }) => name)]) {
      assert.strictEqual(new Set(names).size, names.length)
    }
  })
})
