import { assert, describe, it } from "@effect/vitest"
import { CallOrders, InvalidField, type Json } from "@carillon/core"
import { type AskedCallOrder, csvContacts } from "@carillon/core/domain"
import { Effect } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { Campaigning, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, World } from "../../src/testing/world/World.ts"

const minute = 60_000

const worldOf = Effect.fnUntraced(function* (lines: number, script = () => ending("completed")) {
  const world = new World({
    script,
    organization: { concurrency: { organization: lines, per_agent: null, enforced: true } },
  })
  yield* world.start()
  return new Campaigning(world)
})

const orders = ({ world }: Campaigning) => ({
  set: (id: string, asked: Partial<AskedCallOrder>) =>
    world.run(
      Effect.flatMap(CallOrders, (service) =>
        service.set(caller, id, { contacts: undefined, priority_column: undefined, ...asked }),
      ),
    ),
  remove: (id: string) => world.run(Effect.flatMap(CallOrders, (service) => service.remove(caller, id))),
})

/** Contacts with these values of the variable that says their priority; none where one is left out. */
const withPriorities = (from: number, values: ReadonlyArray<Json | undefined>, column = "vip") =>
  values.map((value, nth) => ({
    to_number: numberOf(from + nth),
    variables: value === undefined ? {} : { [column]: value },
  }))

const append = (test: Campaigning, id: string, contacts: ReturnType<typeof withPriorities>) =>
  test.campaigns((campaigns) => campaigns.append(caller, id, { contacts, file_name: null }))

const called = (test: Campaigning): ReadonlyArray<string> => test.calls().map(({ to_number }) => to_number)

/** A campaign that begins in a minute, so that it knows all of its contacts when it does. */
const later = (test: Campaigning) => test.create([], { start_time: test.world.now + minute })

const waiting = fc.record({
  lines: fc.constantFrom(1, 3, 30),
  contacts: fc.constantFrom("first_come" as const, "last_come" as const, undefined),
  column: fc.constantFrom("vip", null),
  isRemoved: fc.boolean(),
  batches: fc.array(fc.array(fc.option(fc.nat(9), { nil: undefined }), { minLength: 1, maxLength: 12 }), {
    minLength: 1,
    maxLength: 4,
  }),
})

describe("the order of a campaign", () => {
  it.effect("is the order in which its contacts are called for the first time, however many lines there are", () =>
    law(
      waiting,
      Effect.fnUntraced(function* ({ batches, column, contacts, isRemoved, lines }) {
        const test = yield* worldOf(lines)
        const { campaign_id } = yield* later(test)
        yield* orders(test).set(campaign_id, { contacts, priority_column: column })
        const all: Array<{ readonly batch: number; readonly by: number; readonly to: string }> = []
        for (const [batch, values] of batches.entries()) {
          const from = all.length
          yield* append(test, campaign_id, withPriorities(from, values))
          for (const [nth, value] of values.entries()) {
            all.push({ batch, by: column === null ? 5 : (value ?? 5), to: numberOf(from + nth) })
          }
          // Batches of one moment are in no order that anybody was told.
          yield* test.world.advance(1_000)
        }
        if (isRemoved) yield* orders(test).remove(campaign_id)
        yield* test.world.advance(30 * minute)
        const newestFirst = contacts === "last_come" && !isRemoved
        const byBatch = (one: { readonly batch: number }, other: { readonly batch: number }) =>
          newestFirst ? other.batch - one.batch : one.batch - other.batch
        const sorted = all.toSorted((one, other) =>
          isRemoved ? byBatch(one, other) || other.by - one.by : other.by - one.by || byBatch(one, other),
        )
        assert.deepStrictEqual(
          called(test),
          sorted.map(({ to }) => to),
        )
        assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      }, Effect.scoped),
      { numRuns: 30 },
    ),
  )

  it.effect("leaves retries before first calls, whatever their priority", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(1, () => ending("busy", 60))
      const retry_policy = { max_retries: 1, base_delay_minutes: 1 }
      const { campaign_id } = yield* test.create([], { start_time: test.world.now + minute, retry_policy })
      yield* orders(test).set(campaign_id, { priority_column: "vip" })
      yield* append(test, campaign_id, withPriorities(0, [9, 1, 1, 1]))
      yield* test.world.advance(30 * minute)
      const [first, second, third, ...others] = called(test)
      assert.deepStrictEqual([first, second, third], [numberOf(0), numberOf(1), numberOf(0)])
      assert.lengthOf(others, 5)
    }),
  )

  it.effect("shows the priority of contacts that were given one, in that order, and keeps the variable", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(1)
      const { campaign_id } = yield* later(test)
      yield* append(test, campaign_id, withPriorities(0, [9]))
      yield* orders(test).set(campaign_id, { priority_column: "vip" })
      yield* append(test, campaign_id, withPriorities(1, [undefined, "7", 2, ""]))
      const shown = (yield* test.contacts(campaign_id)).map(({ priority, to_number, variables }) => [
        to_number,
        priority,
        variables["vip"],
      ])
      assert.deepStrictEqual(shown, [
        [numberOf(0), undefined, 9],
        [numberOf(2), 7, "7"],
        [numberOf(1), undefined, undefined],
        [numberOf(4), undefined, ""],
        [numberOf(3), 2, 2],
      ])
    }),
  )

  it.effect("refuses contacts whose priority is none by name, wherever they are handed in", () =>
    Effect.gen(function* () {
      const test = yield* worldOf(1)
      const { campaign_id } = yield* later(test)
      yield* orders(test).set(campaign_id, { priority_column: "vip" })
      const reason = "must be a whole number from 0 to 9, because the order of the campaign goes by it"
      const contacts = withPriorities(0, [3, 10, undefined, "high", "", 1.5])
      const intake = { contacts, file_name: null }
      const file = csvContacts({
        name: "list.csv",
        bytes: new TextEncoder().encode(`number,vip\n${numberOf(0)},3\n\n${numberOf(1)},high\n`),
      })
      const refusals = [
        append(test, campaign_id, contacts),
        test.batches((batches) => batches.create(caller, { agent_id: agentId, campaign_id }, intake)),
        Effect.flatMap(file, (read) => test.campaigns((campaigns) => campaigns.append(caller, campaign_id, read))),
      ]
      const told: Array<unknown> = []
      for (const refusal of refusals) {
        const error = yield* Effect.flip(refusal)
        told.push(error instanceof InvalidField ? [error.field, error.reason] : error)
      }
      const named = ["contacts[1].vip", `${reason}, also in contacts[3].vip, contacts[5].vip`]
      assert.deepStrictEqual(told, [named, named, ["file", `line 4: 'vip' ${reason}`]])
      assert.deepStrictEqual(yield* test.contacts(campaign_id), [])
      // A batch for itself has no order, and neither has another campaign.
      yield* test.batches((batches) => batches.create(caller, { agent_id: agentId }, intake))
      assert.lengthOf(yield* test.contacts((yield* test.create(contacts)).campaign_id), 6)
    }),
  )

  it.effect(
    "names the place at which a contact came that stands at another, and keeps priorities in another script",
    () =>
      Effect.gen(function* () {
        const test = yield* worldOf(1)
        const transliteration = { enabled: true, target_language_code: "hi", fields: ["city"], keep_original: true }
        const { campaign_id } = yield* test.create([], { transliteration })
        yield* orders(test).set(campaign_id, { priority_column: "vip" })
        const contacts = [
          { to_number: numberOf(0), variables: { vip: 1, city: "Pune", city_original: "Poona" } },
          { to_number: numberOf(1), variables: { vip: 9, city: "Pune" } },
        ]
        const intake = { contacts, file_name: null }
        const error = yield* Effect.flip(test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake)))
        assert.strictEqual(error instanceof InvalidField && error.field, "contacts[0].city_original")
        const written = contacts.map(({ to_number, variables: { city, vip } }) => ({
          to_number,
          variables: { city, vip },
        }))
        yield* test.campaigns((campaigns) =>
          campaigns.append(caller, campaign_id, { contacts: written, file_name: null }),
        )
        const listed = (yield* test.contacts(campaign_id)).map(({ priority, to_number }) => [priority, to_number])
        assert.deepStrictEqual(listed, [
          [9, numberOf(1)],
          [1, numberOf(0)],
        ])
      }),
  )
})
