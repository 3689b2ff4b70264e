import { assert, describe, it } from "@effect/vitest"
import { type CarrierReport, type DialCommand, Engine, limits } from "@carillon/core"
import { Effect } from "effect"
import { campaigning, type Campaigning, ending, numberOf } from "../../src/testing/world/Campaigning.ts"
import { caller, organizationId } from "../../src/testing/world/World.ts"
import { everywhere, interrupted, untilStill } from "../Interrupted.ts"

const minute = 60_000
const hour = 60 * minute

const again = (n: number) => ({ to_number: numberOf(1), variables: { n } })

/** Somebody else is on the phone for so long that the campaign goes on. */
const script = ({ to_number }: DialCommand) => ending("busy", to_number === numberOf(2) ? 600 : 15)

const appended = (test: Campaigning, campaignId: string) =>
  Effect.orDie(
    test.campaigns((campaigns) => campaigns.append(caller, campaignId, { contacts: [again(1)], file_name: null })),
  )

const dispatched = (test: Campaigning) =>
  Effect.andThen(test.world.admit(Effect.flatMap(Engine, (engine) => engine.runDue)), untilStill)

/** The last word of the carrier on the first call to the number. */
const reported = (test: Campaigning) =>
  Effect.suspend(() => {
    const call = test.calls().find(({ to_number }) => to_number === numberOf(1))
    const end = {
      status: "busy",
      duration_seconds: 0,
      answered_by_voicemail: null,
      hangup_by: null,
      hangup_reason: null,
      error: null,
    } as const
    const report: CarrierReport = {
      type: "final",
      execution_id: call?.execution_id ?? "",
      at: test.world.now,
      call_sid: null,
      end,
      facts: { recording_url: null, cost: null, media: null },
    }
    return Effect.andThen(test.world.admit(Effect.flatMap(Engine, (engine) => engine.report(report))), untilStill)
  })

/** Nobody is left over: whoever waited for the number had a turn. */
const allHadTheirTurn = Effect.fnUntraced(function* (test: Campaigning, campaignId: string, what: string) {
  yield* test.world.advance(hour)
  const contacts = yield* Effect.orDie(test.contacts(campaignId))
  assert.strictEqual(contacts.length, 3, what)
  assert.deepStrictEqual(
    contacts.map(({ attempts, status }) => ({ attempts, status })),
    contacts.map(() => ({ attempts: 1, status: "failed" as const })),
    what,
  )
})

/** A campaign with a number in a call that ends after 15 s and is reported to the last after 16. */
const begun = (test: Campaigning) =>
  Effect.orDie(test.create([again(0), { to_number: numberOf(2), variables: {} }], { retry_policy: { max_retries: 0 } }))

/** Something gets on in front of every operation of something else, and everybody has their turn all the same. */
const turnsEverywhere = (
  between: (test: Campaigning, campaignId: string) => Effect.Effect<unknown>,
  one: (test: Campaigning, campaignId: string, arm: () => void) => Effect.Effect<void>,
) =>
  everywhere(
    Effect.fnUntraced(function* (nth) {
      let campaignId = ""
      const { arm, count, test } = yield* interrupted(nth, script, (world) => between(world, campaignId))
      campaignId = (yield* begun(test)).campaign_id
      yield* one(test, campaignId, arm)
      const operations = count()
      yield* allHadTheirTurn(test, campaignId, `before operation ${nth}`)
      return operations
    }),
  )

describe("who comes to a number whose call is ending", () => {
  it.effect("has a turn, wherever the final report stands when the contact is set aside", () =>
    Effect.gen(function* () {
      const operations = yield* turnsEverywhere(
        (test, campaignId) => Effect.andThen(appended(test, campaignId), dispatched(test)),
        Effect.fnUntraced(function* (test, _campaignId, arm) {
          yield* test.world.advance(15_999)
          arm()
          yield* test.world.advance(1)
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )

  it.effect("has a turn, wherever the setting aside stands when the final report comes", () =>
    Effect.gen(function* () {
      const operations = yield* turnsEverywhere(
        reported,
        Effect.fnUntraced(function* (test, campaignId, arm) {
          yield* test.world.advance(10_000)
          yield* appended(test, campaignId)
          arm()
          yield* test.world.advance(1)
        }),
      )
      assert.isAbove(operations, 5)
    }),
  )

  it.effect("is found where nobody has the number that it waits for", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(({ to_number }) => ending("busy", to_number === numberOf(2) ? 120 : 60))
      const { world } = test
      yield* world.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
      const { campaign_id } = yield* begun(test)
      yield* appended(test, campaign_id)
      yield* world.advance(20_000)
      const [waiting] = world.tables.contacts.waitingForNumbers(null, 1)
      assert.isDefined(waiting)
      const call = test.calls().find(({ to_number }) => to_number === numberOf(1))
      assert.isDefined(call)
      if (call === undefined) return
      // Over without a word to those who wait, as an earlier version would leave it.
      const over = { status: "busy", completed_at: world.now, final_report_at: world.now, due_at: null } as const
      world.write({ put: "call", row: { ...call, ...over, revision: call.revision + 1 } })
      yield* world.advance(36 * minute)
      assert.strictEqual(world.dials.filter(({ to_number }) => to_number === numberOf(1)).length, 2)
    }),
  )
})

/** As long as somebody else is on the phone, the dispatcher does not look after those who wait. */
const onThePhone = { to_number: numberOf(2), variables: {} }
const besidesALongCall = ({ to_number }: DialCommand) =>
  ending("completed", to_number === onThePhone.to_number ? 1_620 : 15)

describe("contacts with one number", () => {
  it.effect("have their turn where one of them was held until that counted as an attempt", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(besidesALongCall)
      const { campaign_id } = yield* test.create([again(0), onThePhone, again(1), again(2)], {
        retry_policy: { max_retries: 0 },
      })
      yield* test.world.advance(5_000)
      test.world.setBalance(0)
      // Ten holds of one contact take 20 minutes and 15 seconds.
      yield* test.world.advance(21 * minute)
      const burned = (yield* test.contacts(campaign_id)).map(({ status }) => status)
      assert.deepStrictEqual(burned, ["completed", "in_progress", "failed", "pending"])
      test.world.setBalance(10)
      yield* test.world.advance(5 * minute)
      const ended = (yield* test.contacts(campaign_id)).map(({ status }) => status)
      assert.deepStrictEqual(ended, ["completed", "in_progress", "failed", "completed"])
    }),
  )

  for (const [what, act] of [
    ["paused", (test: Campaigning, id: string) => test.batches((batches) => batches.pause(caller, id))],
    ["stopped", (test: Campaigning, id: string) => test.batches((batches) => batches.stop(caller, id))],
  ] as const) {
    it.effect(`are dialled though the batch of one of them was ${what} while it waited`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(besidesALongCall)
        const { campaign_id } = yield* test.create([again(0), onThePhone])
        yield* test.world.advance(1_000)
        yield* appended(test, campaign_id)
        yield* appended(test, campaign_id)
        yield* test.world.advance(1_000)
        const contacts = yield* test.contacts(campaign_id)
        yield* act(test, contacts[2]?.batch_id ?? "")
        yield* test.world.advance(minute)
        const statuses = (yield* test.contacts(campaign_id)).map(({ status }) => status)
        const left = what === "stopped" ? "skipped" : "pending"
        assert.deepStrictEqual(statuses, ["completed", "in_progress", left, "completed"])
        if (what === "stopped") return
        yield* test.batches((batches) => batches.resume(caller, contacts[2]?.batch_id ?? ""))
        yield* test.world.advance(minute)
        assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, 3)
      }),
    )
  }

  it.effect("take turns over their batches, whoever has waited the longest first, and wait since they began to", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 15))
      const policy = { max_retries: 2, base_delay_minutes: 0, cooldown_minutes: 0 }
      const { campaign_id } = yield* test.create([again(0)], { retry_policy: policy })
      const since: Array<number> = []
      for (let nth = 1; nth < 6; nth++) {
        yield* test.world.advance(2_000)
        since.push(test.world.now)
        yield* appended(test, campaign_id)
      }
      yield* test.world.advance(60_000)
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      const waited = new Map(explained.waiting_for_number.map((each) => [each.contact_id, each.waits_since]))
      for (const [nth, contact] of (yield* test.contacts(campaign_id)).entries()) {
        if (contact.attempts === 0) assert.strictEqual(waited.get(contact.contact_id), since[nth - 1], `contact ${nth}`)
      }
      yield* test.world.advance(hour)
      const all = (yield* test.contacts(campaign_id)).map(({ contact_id }) => contact_id)
      const turns = test.world.dials.map(({ contact_id }) => all.indexOf(contact_id ?? ""))
      assert.deepStrictEqual(turns, [...all.keys(), ...all.keys(), ...all.keys()])
    }),
  )

  it.effect("cost a few commits for each of their calls, however many batches wait", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 15))
      const { campaign_id } = yield* test.create([again(0)], { retry_policy: { max_retries: 0 } })
      const count = 50
      for (let nth = 1; nth < count; nth++) yield* appended(test, campaign_id)
      const { commits, dials } = test.world
      const before = commits.length
      yield* test.world.advance(hour)
      assert.strictEqual(dials.length, count)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      const waits = commits
        .slice(before)
        .filter(({ changes }) => changes.some((change) => change.put === "contact" && change.row.waits_for_number))
      assert.isAtMost(waits.length, count * limits.numberHeirs)
    }),
  )

  it.effect("are dialled though more of them than have the turn at once stand in batches that were paused", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 15))
      const { campaign_id } = yield* test.create([again(0)])
      yield* test.world.advance(1_000)
      const count = 2 * limits.numberHeirs + 2
      for (let nth = 1; nth <= count; nth++) {
        yield* appended(test, campaign_id)
        yield* test.world.advance(100)
      }
      const contacts = yield* test.contacts(campaign_id)
      for (const { batch_id } of contacts.slice(1, -1))
        yield* test.batches((batches) => batches.pause(caller, batch_id))
      yield* test.world.advance(minute)
      assert.strictEqual((yield* test.contacts(campaign_id)).at(-1)?.status, "completed")
      assert.lengthOf(test.world.dials, 2)
      yield* Effect.forEach(contacts.slice(1, -1), ({ batch_id }) =>
        test.batches((batches) => batches.resume(caller, batch_id)),
      )
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.stats(campaign_id)).outcome_counts.completed, contacts.length)
    }),
  )

  it.effect("do not wait for one that waits for hours which do not bind them", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 60))
      const hours = { start: "09:00", end: "10:00", enabled: true }
      const closesSoon = yield* test.create([again(0)], {
        working_hours: { monday: hours, tuesday: hours, wednesday: hours, thursday: hours, friday: hours },
        retry_policy: { max_retries: 1, base_delay_minutes: 59, respect_working_hours: true },
      })
      yield* test.world.advance(30_000)
      // Two more come while the first is on the phone; its retry will wait for tomorrow's hours.
      yield* appended(test, closesSoon.campaign_id)
      yield* appended(test, closesSoon.campaign_id)
      yield* test.world.advance(10 * minute)
      assert.strictEqual(test.world.dials.length, 3)
    }),
  )
})
