import { assert, describe, it } from "@effect/vitest"
import { HoursSettings, InvalidField, type Json } from "@carillon/core"
import { csvContacts, type HoursRequest } from "@carillon/core/domain"
import type { ContactEntry } from "@carillon/core/ports"
import { Effect } from "effect"
import { Campaigning, campaigning, ending } from "../../src/testing/world/Campaigning.ts"
import { agent, agentId, caller, World } from "../../src/testing/world/World.ts"

const number = (nth: number) => `+4930${1_000_000 + nth}`

const reason = "must be an IANA time zone, because the hours of callees go by it"

/** Contacts with these values of a variable; none where one is left out. */
const zoned = (values: ReadonlyArray<Json | undefined>, column = "timezone"): ReadonlyArray<ContactEntry> =>
  values.map((value, nth) => ({
    to_number: number(nth),
    variables: value === undefined ? {} : { [column]: value },
  }))

const setHours = ({ world }: Campaigning, changes: Partial<HoursRequest> = {}, scope: object = {}) =>
  world.run(
    Effect.flatMap(HoursSettings, (settings) =>
      settings.set(
        caller,
        { agent_id: null, campaign_id: null, ...scope },
        { enabled: true, timezone_column: "timezone", elsewhere: null, ...changes },
      ),
    ),
  )

const start = campaigning(() => ending("completed"))

const refusal = <A, E>(intake: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(intake), (error) =>
    error instanceof InvalidField ? { field: error.field, reason: error.reason } : { field: "", reason: String(error) },
  )

describe("contacts whose own zone counts", () => {
  it.effect("are refused by name where it is none, wherever they are handed in", () =>
    Effect.gen(function* () {
      const test = yield* start
      const { campaign_id } = yield* test.create([])
      yield* setHours(test)
      const contacts = zoned(["Europe/Berlin", "Mars", undefined, "IST", 5, null, "", "  "])
      const intake = { contacts, file_name: null }
      const expected = {
        field: "contacts[1].timezone",
        reason: `${reason}, also in contacts[3].timezone, contacts[4].timezone`,
      }
      assert.deepStrictEqual(yield* refusal(test.create(contacts)), expected)
      const appended = test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake))
      assert.deepStrictEqual(yield* refusal(appended), expected)
      for (const within of [campaign_id, null]) {
        const body = { agent_id: agentId, campaign_id: within }
        const batch = test.batches((batches) => batches.create(caller, body, intake))
        assert.deepStrictEqual(yield* refusal(batch), expected)
      }
      assert.strictEqual((yield* test.contacts(campaign_id)).length, 0)
    }),
  )

  it.effect("are counted where there are many", () =>
    Effect.gen(function* () {
      const test = yield* start
      yield* setHours(test)
      const wrong = yield* refusal(test.create(zoned(Array.from({ length: 700 }, () => "Mars"))))
      assert.include(wrong.reason, "contacts[19].timezone and 680 more")
    }),
  )

  it.effect("are named by the line of their file on which they begin", () =>
    Effect.gen(function* () {
      const test = yield* start
      yield* setHours(test)
      const rows = [
        "number,note,timezone",
        `${number(0)},"two`,
        'lines",Mars',
        "",
        `${number(1)},,`,
        `${number(2)},,X/Y`,
      ]
      const bytes = new TextEncoder().encode(rows.join("\n"))
      const intake = yield* csvContacts({ bytes, name: "list.csv" })
      const batch = test.batches((batches) => batches.create(caller, { agent_id: agentId }, intake))
      assert.deepStrictEqual(yield* refusal(batch), { field: "file", reason: `lines 2, 6: 'timezone' ${reason}` })
    }),
  )

  it.effect("are looked at in the column, and for the agents, for which hours stand", () =>
    Effect.gen(function* () {
      const [own, later] = ["agt_own", "agt_later"].map((agent_id) => ({ ...agent, agent_id, name: agent_id }))
      const world = new World({
        script: () => ending("completed"),
        rows: [own, later].flatMap((row) => (row === undefined ? [] : [{ put: "agent" as const, row }])),
      })
      yield* world.start()
      const test = new Campaigning(world)
      yield* setHours(test, { timezone_column: "zone" }, { agent_id: "agt_later" })
      yield* setHours(test, { timezone_column: null }, { agent_id: "agt_own" })
      const [timezone, zone] = [zoned(["Mars"]), zoned(["Mars"], "zone")]
      const follow_up_policy = { enabled: true, follow_up_agent_id: "agt_later" }
      yield* test.create(timezone)
      yield* test.create(zone)
      yield* test.create(timezone, { agent_id: "agt_own" })
      yield* test.create(timezone, { agent_id: "agt_own", follow_up_policy })
      const followedUp = test.create(zone, { agent_id: "agt_own", follow_up_policy })
      assert.deepStrictEqual(yield* refusal(followedUp), { field: "contacts[0].zone", reason })
      yield* test.create(zone, { agent_id: "agt_own", follow_up_policy: { ...follow_up_policy, enabled: false } })
    }),
  )

  it.effect("are taken with any value where no hours stand", () =>
    Effect.gen(function* () {
      const test = yield* start
      yield* test.create(zoned(["Mars", 5]))
      yield* setHours(test, { enabled: false })
      yield* test.create(zoned(["Mars", 5]))
    }),
  )
})
