import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Campaigning, campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId, type Script, World } from "../../src/testing/world/World.ts"

const minute = 60_000

const turns = (count: number) => Array.from({ length: count })

const refusal: Script = { outcome: { _tag: "Refused", kind: "unreachable" } }

describe("a dial that is taken back", () => {
  it.effect("leaves its batch with somebody who waits for a first dial", () =>
    Effect.gen(function* () {
      let isAway = true
      const test = yield* campaigning(() => (isAway ? refusal : ending("busy", 20)))
      const { batch_id, campaign_id } = yield* test.create(contactsOf(2))
      const batch = test.batches((batches) => batches.find(organizationId, batch_id ?? ""))
      yield* test.world.advance(1_000)
      assert.deepInclude(yield* batch, { status: "in_progress", pending_contacts: 2 })
      assert.deepInclude(yield* test.stats(campaign_id), { contacts_dialled: 0, total_call_attempts: 0 })
      isAway = false
      yield* test.world.advance(minute)
      assert.deepInclude(yield* batch, { status: "dispatched", pending_contacts: 2 })
    }),
  )

  it.effect("leaves it so whatever comes first, the refusal or the look whether its list is dialled", () =>
    Effect.gen(function* () {
      for (const slow of ["store.versions", "batches.locate", "contacts.heirs", "tallies.read", "slots.hold"]) {
        for (let late = 0; late < 24; late++) {
          const wait = Effect.forEach(turns(late), () => Effect.yieldNow, { discard: true })
          const world = new World({
            script: () => refusal,
            interpose: (operation, effect) => (operation === slow ? Effect.andThen(wait, effect) : effect),
          })
          yield* world.start()
          const test = new Campaigning(world)
          const { batch_id } = yield* test.create(contactsOf(1))
          yield* world.advance(1_000)
          const { status } = yield* test.batches((batches) => batches.find(organizationId, batch_id ?? ""))
          assert.strictEqual(status, "in_progress", `${slow} took ${late} turns more`)
        }
      }
    }).pipe(Effect.scoped),
  )

  it.effect("leaves it so though its batch is resumed at the same moment", () =>
    Effect.gen(function* () {
      let isDue = false
      const world = new World({
        script: () => ({ ...refusal, acknowledgementMs: 1_000 }),
        interpose: (operation, effect) => {
          if (!isDue || operation !== "store.commit") return effect
          isDue = false
          // The resumption has read how far the batch has come, and now the refusal comes.
          const goOn = Effect.andThen(
            world.step(),
            Effect.forEach(turns(30), () => Effect.yieldNow, { discard: true }),
          )
          const refused = Effect.gen(function* () {
            for (let nth = 0; nth < 10 && world.calls().length > 0; nth++) yield* goOn
          })
          return Effect.andThen(refused, effect)
        },
      })
      yield* world.start()
      const test = new Campaigning(world)
      const { batch_id } = yield* test.create(contactsOf(1))
      const batchId = batch_id ?? ""
      yield* world.advance(500)
      yield* test.batches((batches) => batches.pause(caller, batchId))
      isDue = true
      const resumed = yield* test.batches((batches) => batches.resume(caller, batchId))
      assert.lengthOf(world.calls(), 0)
      assert.strictEqual(resumed.status, "in_progress")
    }).pipe(Effect.scoped),
  )

  it.effect("is not the contact's last call: the one before it is", () =>
    Effect.gen(function* () {
      let isAway = false
      const test = yield* campaigning(() => (isAway ? refusal : ending("busy", 20)))
      const { campaign_id } = yield* test.create(contactsOf(1), {
        retry_policy: { max_retries: 3, base_delay_minutes: 5 },
      })
      yield* test.world.advance(7 * minute)
      const [, second] = test.calls()
      isAway = true
      yield* test.world.advance(5 * minute)
      const [contact] = yield* test.contacts(campaign_id)
      assert.lengthOf(test.calls(), 2)
      assert(second !== undefined)
      assert.isAbove(test.world.dials.length, 2)
      assert.deepInclude(contact, {
        status: "retry_scheduled",
        last_execution_id: second.execution_id,
        last_status: "busy",
      })
    }),
  )
})
