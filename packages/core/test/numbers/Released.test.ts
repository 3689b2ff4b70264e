import { assert, describe, it } from "@effect/vitest"
import { Calls, type EngineError, Numbers } from "@carillon/core"
import type { CampaignBody } from "@carillon/core/domain"
import { Effect, Exit } from "effect"
import { campaigning, type Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, organizationId, request } from "../../src/testing/world/World.ts"
import { everywhere, interrupted, untilStill } from "../Interrupted.ts"

const minute = 60_000
const phone_number = "+15555550177"
const other_number = "+15555550178"
const body: CampaignBody = { phone_numbers: [phone_number] }

const register = (test: Campaigning, number = phone_number) =>
  test.world.run(Effect.flatMap(Numbers, (numbers) => numbers.register(caller, number, {})))

const release = (test: Campaigning, phoneNumberId: string) =>
  test.world.run(Effect.flatMap(Numbers, (numbers) => numbers.release(caller, phoneNumberId)))

/** Takes the number away past the engine, as an earlier version would have let go of it. */
const takeAway = (test: Campaigning, id: string): void =>
  test.world.write({ put: "removal", organization_id: organizationId, kind: "phone_number", id, revision: 1 })

type Namer = (test: Campaigning) => Effect.Effect<unknown, EngineError>

const later = (test: Campaigning) => test.world.now + 30 * minute

const book: Namer = (test) =>
  test.world.run(
    Effect.flatMap(Calls, (calls) =>
      calls.place(caller, request({ from_number: phone_number, scheduled_at: later(test) })),
    ),
  )

const createBatch: Namer = (test) =>
  test.batches((batches) =>
    batches.create(
      caller,
      { agent_id: agentId, phone_numbers: [phone_number], scheduled_at: later(test) },
      { contacts: contactsOf(2), file_name: null },
    ),
  )

const namers: ReadonlyArray<readonly [what: string, Namer]> = [
  ["a campaign without contacts", (test) => test.create([], body)],
  ["a campaign that dials", (test) => test.create(contactsOf(30), body)],
  [
    "a paused campaign",
    (test) =>
      Effect.flatMap(test.create(contactsOf(2), body), ({ campaign_id }) =>
        test.campaigns((campaigns) => campaigns.pause(caller, campaign_id)),
      ),
  ],
  [
    "a campaign that was changed",
    (test) =>
      Effect.flatMap(test.create([], {}), ({ campaign_id }) =>
        test.campaigns((campaigns) => campaigns.patch(caller, campaign_id, body)),
      ),
  ],
  ["a batch that is not due", createBatch],
  ["a booked call", book],
]

describe("a phone number", () => {
  for (const [what, name] of namers) {
    it.effect(`is not given up while ${what} names it`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        const { number } = yield* register(test)
        yield* name(test)
        const refused = yield* Effect.flip(release(test, number.phone_number_id))
        assert.strictEqual(refused._tag, "StateConflict")
      }),
    )

    it.effect(`is either named or given up, wherever ${what} comes between`, () =>
      Effect.gen(function* () {
        const operations = yield* everywhere(
          Effect.fnUntraced(function* (nth) {
            const { arm, count, test } = yield* interrupted(
              nth,
              () => ending("completed"),
              (world) => Effect.andThen(world.world.admit(Effect.exit(name(world))), untilStill),
            )
            const { number } = yield* Effect.orDie(register(test))
            arm()
            const released = yield* Effect.exit(release(test, number.phone_number_id))
            const operations = count()
            yield* untilStill
            if (Exit.isSuccess(released)) assert.isFalse(yield* isNamed(test), `before operation ${nth} of the release`)
            return operations
          }),
        )
        assert.isAbove(operations, 5)
      }),
    )

    it.effect(`is either named or given up, wherever the release comes in front of ${what}`, () =>
      Effect.gen(function* () {
        const operations = yield* everywhere(
          Effect.fnUntraced(function* (nth) {
            let id = ""
            let isReleased = false
            const { arm, count, test } = yield* interrupted(
              nth,
              () => ending("completed"),
              (world) =>
                Effect.andThen(
                  world.world.admit(
                    Effect.map(Effect.exit(release(world, id)), (exit) => {
                      isReleased = Exit.isSuccess(exit)
                    }),
                  ),
                  untilStill,
                ),
            )
            id = (yield* Effect.orDie(register(test))).number.phone_number_id
            arm()
            yield* Effect.exit(name(test))
            const operations = count()
            if (isReleased) assert.isFalse(yield* isNamed(test), `the release before operation ${nth}`)
            return operations
          }),
        )
        assert.isAbove(operations, 3)
      }),
    )
  }

  it.effect(
    "that was taken away is not called from: the contact is held, and dialled once there is a number again",
    () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        const { number } = yield* register(test)
        const { campaign_id } = yield* test.create(contactsOf(2), body)
        takeAway(test, number.phone_number_id)
        yield* test.world.advance(minute)
        assert.deepStrictEqual(test.world.dials, [])
        const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
        assert.deepStrictEqual(
          explained.blocking.map(({ contacts, reason }) => ({ contacts, reason })),
          [{ reason: "caller_id", contacts: 2 }],
        )
        yield* register(test)
        yield* test.world.advance(5 * minute)
        assert.deepStrictEqual(
          test.world.dials.map(({ from_number }) => from_number),
          [phone_number, phone_number],
        )
      }),
  )

  it.effect("that was taken away leaves the others of its campaign", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { number } = yield* register(test)
      yield* register(test, other_number)
      yield* test.create(contactsOf(3), { phone_numbers: [phone_number, other_number] })
      takeAway(test, number.phone_number_id)
      yield* test.world.advance(minute)
      assert.deepStrictEqual(
        test.world.dials.map(({ from_number }) => from_number),
        [other_number, other_number, other_number],
      )
    }),
  )

  it.effect("that is given up between look and dial is not called from", () =>
    Effect.gen(function* () {
      yield* everywhere(
        Effect.fnUntraced(function* (nth) {
          let id = ""
          const { arm, count, test } = yield* interrupted(
            nth,
            () => ending("completed"),
            (world) =>
              Effect.sync(() => world.world.tables.numbers(organizationId).has(phone_number) && takeAway(world, id)),
          )
          id = (yield* Effect.orDie(register(test))).number.phone_number_id
          yield* Effect.orDie(test.create(contactsOf(1), body))
          let isGone = false
          let isWrong = false
          test.world.tables.onCommit(({ changes }) => {
            isGone ||= changes.some(({ put }) => put === "removal")
            const begun = changes.some((change) => change.put === "call" && change.row.revision === 1)
            isWrong ||= isGone && begun
          })
          arm()
          yield* test.world.advance(0)
          assert.isFalse(isWrong, `given up before operation ${nth}`)
          return count()
        }),
      )
    }),
  )

  it.effect("that a booked call names and that was taken away ends the call", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { number } = yield* register(test)
      yield* book(test)
      takeAway(test, number.phone_number_id)
      yield* test.world.advance(31 * minute)
      assert.deepStrictEqual(test.world.dials, [])
      assert.deepInclude(test.world.calls()[0], {
        status: "error",
        error: "The phone number to call from is not registered to the organization any more.",
      })
    }),
  )
})

/** Whether anything that may still dial names the number. */
const isNamed = Effect.fnUntraced(function* (test: Campaigning) {
  const page = { page: 1, page_size: 100 }
  const campaigns = yield* Effect.orDie(test.campaigns((all) => all.page(organizationId, {}, page)))
  const batches = yield* Effect.orDie(test.batches((all) => all.page(organizationId, {}, page)))
  return (
    campaigns.items.some(({ phone_numbers }) => phone_numbers.includes(phone_number)) ||
    batches.items.some(({ phone_numbers }) => phone_numbers.includes(phone_number)) ||
    test.world.calls().some(({ from_number }) => from_number === phone_number)
  )
})
