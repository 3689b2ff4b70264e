import { assert, describe, it } from "@effect/vitest"
import { type CampaignBody, CallingWindow, hoursOf, isTerminal } from "@carillon/core/domain"
import { Effect } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { campaigning, type Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { caller, epoch, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The world begins on a Monday at nine in UTC. */
const monday = epoch - 9 * hour

const patch = (test: Campaigning, id: string, body: CampaignBody) =>
  test.campaigns((campaigns) => campaigns.patch(caller, id, body))

const pause = (test: Campaigning, id: string) => test.campaigns((campaigns) => campaigns.pause(caller, id))

const every = (start: string, end: string): CampaignBody => ({
  working_hours: Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((each) => [
      each,
      { start, end },
    ]),
  ),
})

const dialledAt = (test: Campaigning): ReadonlyArray<number> => test.calls().map(({ created_at }) => created_at)

const nextOf = (test: Campaigning, id: string) =>
  Effect.map(test.contacts(id), (contacts) => contacts.map(({ next_attempt_at }) => next_attempt_at))

const followUps = { enabled: true, cooldown_minutes: 60 } as const

const once = { max_retries: 0 } as const

describe("hours that come after a retry was planned", () => {
  it.effect("bind it where it respects hours, are shown, and bind no more once they are gone", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy: { max_retries: 2 } })
      yield* test.world.advance(minute)
      yield* patch(test, campaign_id, every("12:00", "13:00"))
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [monday + 12 * hour])
      yield* test.world.advance(hour)
      assert.strictEqual(test.world.dials.length, 1)
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(explained.blocking, [{ reason: "outside_hours", contacts: 1, until: monday + 12 * hour }])
      yield* test.world.advance(2 * hour)
      assert.deepStrictEqual(dialledAt(test), [epoch, monday + 12 * hour])
      yield* patch(test, campaign_id, { working_hours: null })
      yield* test.world.advance(hour)
      assert.strictEqual(test.world.dials.length, 3)
    }),
  )

  it.effect("do not bind it where it does not respect them and they are not enforced", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const retry_policy = { max_retries: 1, respect_working_hours: false }
      const { campaign_id } = yield* test.create(contactsOf(1), { retry_policy })
      yield* test.world.advance(minute)
      yield* patch(test, campaign_id, every("12:00", "13:00"))
      yield* test.world.advance(hour)
      assert.strictEqual(test.world.dials.length, 2)
    }),
  )
})

describe("a follow-up for the next working day", () => {
  const nextDay = { follow_up_policy: { ...followUps, next_working_day_only: true }, retry_policy: once }

  it.effect("waits for the hours that came after it was planned", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const { campaign_id } = yield* test.create(contactsOf(1), nextDay)
      yield* test.world.advance(minute)
      // The time of day is kept where there are no hours.
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [epoch + 30_000 + day + hour])
      yield* patch(test, campaign_id, every("07:00", "08:00"))
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [monday + day + 7 * hour])
      yield* test.world.advance(3 * day)
      assert.deepStrictEqual(dialledAt(test), [epoch, monday + day + 7 * hour])
    }),
  )

  it.effect("rings on no weekend and at no midnight once there are no hours any more", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const { campaign_id } = yield* test.create([], { ...nextDay, ...every("08:00", "20:00") })
      yield* test.world.advance(4 * day)
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(1), file_name: null }),
      )
      yield* test.world.advance(minute)
      const friday = monday + 4 * day
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [friday + day + 8 * hour])
      yield* patch(test, campaign_id, { working_hours: null })
      const due = friday + 3 * day + 10 * hour + 30_000
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [due])
      yield* test.world.advance(4 * day)
      assert.deepStrictEqual(dialledAt(test), [friday + 9 * hour, due])
    }),
  )
})

describe("a follow-up that was put off for a working day", () => {
  const nextDay = { follow_up_policy: { ...followUps, next_working_day_only: true }, retry_policy: once }
  const friday = monday + 4 * day
  const saturday = friday + day

  /** Somebody who was called on Friday at nine, and put off on Saturday until Monday. */
  const putOffOnSaturday = Effect.fnUntraced(function* (count = 1) {
    const test = yield* campaigning(() => ending("busy", 30))
    const { campaign_id } = yield* test.create(contactsOf(count), {
      ...nextDay,
      start_time: friday + 9 * hour,
      follow_up_policy: { ...nextDay.follow_up_policy, cooldown_minutes: 24 * 60 },
    })
    yield* test.world.advance(saturday + 10 * hour - test.world.now)
    const due = saturday + 2 * day + 9 * hour + 30_000
    assert.include(yield* nextOf(test, campaign_id), due)
    return { test, campaign_id, due }
  })

  it.effect("is planned anew by hours that are given then", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* putOffOnSaturday()
      yield* patch(test, campaign_id, every("12:00", "14:00"))
      yield* test.world.advance(1)
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [saturday + 12 * hour])
      yield* test.world.advance(2 * hour)
      assert.deepStrictEqual(dialledAt(test), [friday + 9 * hour, saturday + 12 * hour])
    }),
  )

  it.effect("waits for its day again where they are taken away before they open", () =>
    Effect.gen(function* () {
      const { campaign_id, due, test } = yield* putOffOnSaturday()
      yield* patch(test, campaign_id, every("12:00", "14:00"))
      yield* test.world.advance(1)
      yield* patch(test, campaign_id, { working_hours: null })
      yield* test.world.advance(hour)
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [due])
      yield* patch(test, campaign_id, every("13:00", "14:00"))
      yield* test.world.advance(3 * hour)
      assert.deepStrictEqual(dialledAt(test), [friday + 9 * hour, saturday + 13 * hour])
    }),
  )

  it.effect("goes by the days of another zone at once", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* putOffOnSaturday()
      // There it is Friday evening yet.
      yield* patch(test, campaign_id, { timezone: "Pacific/Pago_Pago" })
      yield* test.world.advance(minute)
      assert.deepStrictEqual(dialledAt(test), [friday + 9 * hour, saturday + 10 * hour])
    }),
  )

  it.effect("is found among more than are written together", () =>
    Effect.gen(function* () {
      const { campaign_id, test } = yield* putOffOnSaturday(300)
      yield* patch(test, campaign_id, every("12:00", "14:00"))
      yield* test.world.advance(4 * hour)
      assert.strictEqual(dialledAt(test).filter((at) => at >= saturday && at < saturday + day).length, 300)
    }),
  )
})

describe("follow-ups that are switched off", () => {
  it.effect("are not made, though they were planned, and their campaign is done", () =>
    Effect.gen(function* () {
      for (const off of [null, { enabled: false }]) {
        const test = yield* campaigning(({ to_number }) => ending(to_number.endsWith("1") ? "completed" : "busy", 30))
        const triggers = ["completed", "busy"] as const
        const { campaign_id } = yield* test.create(contactsOf(3), {
          follow_up_policy: { ...followUps, triggers },
          retry_policy: once,
        })
        yield* test.world.advance(minute)
        yield* patch(test, campaign_id, { follow_up_policy: off })
        assert.deepStrictEqual(yield* nextOf(test, campaign_id), [null, null, null])
        yield* test.world.advance(2 * day)
        assert.strictEqual(test.world.dials.length, 3)
        const contacts = yield* test.contacts(campaign_id)
        assert.deepStrictEqual(
          contacts.map(({ status }) => status),
          ["failed", "completed", "failed"],
        )
        const { contact_counts, outcome_counts, status } = yield* test.stats(campaign_id)
        assert.strictEqual(status, "completed")
        assert.deepStrictEqual(contact_counts, { pending: 0, in_progress: 0, completed: 1, failed: 2 })
        assert.deepStrictEqual(outcome_counts, { completed: 1, failed: 2, in_flight: 0, pending: 0, total: 3 })
      }
    }),
  )

  it.effect("are made after all when they are switched on again before their time", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const { campaign_id } = yield* test.create(contactsOf(1), { follow_up_policy: followUps, retry_policy: once })
      yield* test.world.advance(minute)
      yield* patch(test, campaign_id, { follow_up_policy: null })
      yield* patch(test, campaign_id, { follow_up_policy: followUps })
      yield* test.world.advance(2 * hour)
      assert.strictEqual(test.world.dials.length, 2)
    }),
  )

  it.effect("hold up nobody who waits for the same number", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const twice = [...contactsOf(1), ...contactsOf(1), ...contactsOf(1)]
      const { campaign_id } = yield* test.create(twice, {
        follow_up_policy: { ...followUps, cooldown_minutes: 1 },
        retry_policy: once,
      })
      yield* test.world.advance(100_000)
      yield* patch(test, campaign_id, { follow_up_policy: null })
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      assert.isTrue(test.calls().every(({ status }) => isTerminal(status)))
    }),
  )
})

describe("next_attempt_at", () => {
  it.effect("is null while nobody but a customer can end the wait", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* test.world.advance(minute)
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [epoch + 30_000 + 15 * minute])
      yield* pause(test, campaign_id)
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [null])
      yield* test.campaigns((campaigns) => campaigns.resume(caller, campaign_id))
      yield* patch(test, campaign_id, { end_time: epoch + 10 * minute })
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [null])
      yield* patch(test, campaign_id, { end_time: null, start_time: epoch + hour })
      assert.deepStrictEqual(yield* nextOf(test, campaign_id), [epoch + hour])
    }),
  )

  const clocks = fc.tuple(fc.integer({ min: 0, max: 22 }), fc.integer({ min: 1, max: 6 })).map(([start, length]) => {
    const text = (value: number) => `${String(value).padStart(2, "0")}:00`
    return every(text(start), start + length > 23 ? "23:59" : text(start + length))
  })

  const edits = fc.array(
    fc.record({
      after: fc.integer({ min: 1, max: 300 }),
      body: fc.oneof(
        clocks,
        fc.constant<CampaignBody>({ working_hours: null }),
        fc.constantFrom<CampaignBody>({ working_hours_enforced: true }, { working_hours_enforced: false }),
        fc.constantFrom<CampaignBody>({ follow_up_policy: null }, { follow_up_policy: { enabled: true } }),
        fc.integer({ min: 0, max: 3 }).map((n): CampaignBody => ({ start_time: epoch + n * 7 * hour })),
      ),
    }),
    { maxLength: 5 },
  )

  it.effect(
    "is what happens, whatever was edited before: never in the past, and the moment of a dial that the rules allow",
    () =>
      law(
        fc.record({ edits, nextDay: fc.boolean(), respect: fc.boolean() }),
        ({ edits: planned, nextDay, respect }) =>
          Effect.gen(function* () {
            const test = yield* campaigning(() => ending("busy", 30))
            const { campaign_id } = yield* test.create(contactsOf(3), {
              retry_policy: { max_retries: 2, base_delay_minutes: 100, respect_working_hours: respect },
              follow_up_policy: { ...followUps, cooldown_minutes: 700, next_working_day_only: nextDay },
            })
            for (const { after, body } of planned) {
              yield* test.world.advance(after * minute)
              yield* patch(test, campaign_id, body)
            }
            yield* test.world.advance(0)
            const { now } = test.world
            const told = yield* test.contacts(campaign_id)
            const known = test.calls().length
            yield* test.world.advance(9 * day)
            const later = test.calls().slice(known)
            const campaign = yield* test.find(campaign_id)
            const hours = hoursOf(campaign)
            for (const { created_at, is_follow_up } of later) {
              assert(!is_follow_up || campaign.follow_up_policy.enabled, "a follow-up that is switched off")
              const bind = hours.enforced || (is_follow_up ? nextDay : respect)
              const isGiven = hours.window.days.some((each) => each !== null)
              assert(!bind || !isGiven || CallingWindow.isOpen(hours.window, created_at), "outside hours")
            }
            for (const { contact_id, next_attempt_at, status } of told) {
              const next = later.find((call) => call.contact_id === contact_id)
              if (next_attempt_at !== null) assert.isAtLeast(next_attempt_at, now)
              // Who is in a call, or has not been touched, is told no time; nor is who will never be dialled.
              const isPlanned = status === "retry_scheduled" || status === "follow_up_scheduled"
              if (isPlanned) assert.strictEqual(next?.created_at ?? null, next_attempt_at)
            }
          }),
        { numRuns: 60 },
      ),
  )
})
