import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Batches, Campaigns, Engine, type EngineError } from "@carillon/core"
import { CallingWindow, type CampaignBody } from "@carillon/core/domain"
import { CsvContacts } from "../../src/intake/rules/Csv.ts"
import { campaigning, type Campaigning, contactsOf, ending } from "../../src/testing/world/Campaigning.ts"
import { agentId, caller, epoch, organizationId } from "../../src/testing/world/World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

type Verb = "pause" | "resume" | "cancel" | "revive"

const steer = (test: Campaigning, verb: Verb, id: string) =>
  test.campaigns((campaigns): Effect.Effect<{ readonly status: string }, EngineError> => campaigns[verb](caller, id))

const patch = (test: Campaigning, id: string, body: CampaignBody) =>
  test.campaigns((campaigns) => campaigns.patch(caller, id, body))

const statuses = (test: Campaigning, id: string) =>
  Effect.map(test.contacts(id), (contacts) => contacts.map((contact) => contact.status))

const conflict = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A, EngineError>, message: string) {
  const error = yield* Effect.flip(effect)
  assert.deepInclude(error, { _tag: "StateConflict", message })
})

describe("the life of a campaign", () => {
  for (const verb of ["pause", "stop"] as const) {
    it.effect(
      `is said to be done without the contacts of a batch that was ${verb === "pause" ? "paused" : "stopped"}`,
      () =>
        Effect.gen(function* () {
          const test = yield* campaigning(() => ending("completed"))
          const { campaign_id } = yield* test.create(contactsOf(200))
          const more = yield* test.campaigns((campaigns) =>
            campaigns.append(caller, campaign_id, { contacts: contactsOf(400, 200), file_name: null }),
          )
          yield* test.world.advance(minute)
          const remaining = Effect.map(
            test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id)),
            ({ at, estimated_finish_at }) => (estimated_finish_at ?? 0) - at,
          )
          const { outcome_counts } = yield* test.stats(campaign_id)
          const left = outcome_counts.pending + outcome_counts.in_flight
          const before = yield* remaining
          yield* test.batches((batches) => batches[verb](caller, more.batch_id))
          const after = yield* remaining
          assert.isAbove(before, 0)
          assert.approximately(after, (before * (left - 400)) / left, 2)
        }),
    )
  }

  it.effect(
    "without contacts it stays created; with them it is active from the first dial and completed after the last",
    () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        const empty = yield* test.create([])
        assert.deepInclude(empty, { status: "created", batch_id: null, total_contacts: 0, total_batches: 0 })
        const made = yield* test.create(contactsOf(3))
        assert.deepInclude(made, { status: "created", total_contacts: 3, total_batches: 1, active_batches: 1 })
        assert.isNotNull(made.batch_id)
        yield* test.world.advance(0)
        assert.deepInclude(yield* test.find(made.campaign_id), {
          status: "active",
          batch_id: null,
          in_progress_calls: 3,
        })
        yield* test.world.advance(minute)
        assert.deepInclude(yield* test.find(made.campaign_id), {
          status: "completed",
          completed_contacts: 3,
          active_batches: 0,
        })
        assert.strictEqual((yield* test.find(empty.campaign_id)).status, "created")
      }),
  )

  it.effect("a pause holds everything but the calls that are live; a resume re-opens only what the pause paused", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const { campaign_id, batch_id } = yield* test.create(contactsOf(50))
      const own = yield* test.batches((batches) =>
        batches.create(caller, { agent_id: agentId, campaign_id }, { contacts: contactsOf(5, 100), file_name: null }),
      )
      yield* test.world.advance(1_000)
      yield* test.batches((batches) => batches.pause(caller, own.batch_id))
      assert.strictEqual((yield* steer(test, "pause", campaign_id)).status, "paused")
      yield* test.world.advance(hour)
      const paused = yield* test.stats(campaign_id)
      assert.deepStrictEqual(paused.outcome_counts, { completed: 20, failed: 0, in_flight: 0, pending: 35, total: 55 })
      assert.deepStrictEqual(paused.batch_counts, { paused: 2 })
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(explained.blocking, [{ reason: "paused", contacts: 35, until: null }])
      assert.deepInclude(yield* test.find(campaign_id), { total_batches: 2, active_batches: 0 })
      assert.strictEqual((yield* steer(test, "resume", campaign_id)).status, "active")
      yield* test.world.advance(hour)
      assert.deepStrictEqual((yield* test.stats(campaign_id)).batch_counts, { completed: 1, paused: 1 })
      const batch = yield* test.batches((batches) => batches.resume(caller, own.batch_id))
      // Nobody of it was ever dialled: it waits for its first dial as before.
      assert.strictEqual(batch.status, "created")
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      yield* conflict(
        test.batches((batches) => batches.pause(caller, batch_id ?? "")),
        "This batch has already finished (status=completed) and cannot be paused.",
      )
    }),
  )

  it.effect(
    "a resume completes a campaign that has nothing left to do; one that is revived without work lasts until its end",
    () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("completed"))
        const { campaign_id, batch_id } = yield* test.create(contactsOf(3), { end_time: epoch + day })
        yield* steer(test, "pause", campaign_id)
        yield* test.batches((batches) => batches.stop(caller, batch_id ?? ""))
        assert.strictEqual((yield* test.find(campaign_id)).status, "paused")
        yield* steer(test, "resume", campaign_id)
        assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
        assert.strictEqual((yield* steer(test, "revive", campaign_id)).status, "active")
        yield* test.world.advance(hour)
        yield* steer(test, "pause", campaign_id)
        assert.strictEqual((yield* steer(test, "resume", campaign_id)).status, "active")
        yield* test.world.advance(day - hour - 1)
        assert.strictEqual((yield* test.find(campaign_id)).status, "active")
        yield* test.world.advance(1)
        assert.strictEqual((yield* test.find(campaign_id)).status, "expired")
        assert.lengthOf(test.world.dials, 0)
      }),
  )

  it.effect("one that is revived without work completes with the contacts that it is given then", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create(contactsOf(1))
      yield* test.world.advance(hour)
      yield* steer(test, "revive", campaign_id)
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "active")
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(1, 1), file_name: null }),
      )
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      assert.lengthOf(test.world.dials, 2)
    }),
  )

  it.effect("the end of a campaign without contacts is nothing to wait for; that of one with contacts is", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create([], { end_time: epoch + day, start_time: epoch + hour })
      yield* patch(test, campaign_id, { end_time: epoch + 2 * day })
      yield* test.world.advance(0)
      const { wakeups } = test.world.tables
      assert.isNull(wakeups.next(false))
      yield* test.world.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
      yield* test.world.advance(0)
      assert.isNull(wakeups.next(false))
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(1), file_name: null }),
      )
      yield* test.world.advance(0)
      assert.isNotNull(wakeups.next(false))
      yield* test.world.advance(day)
      assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
    }),
  )

  it.effect("a campaign without contacts that was paused and resumed expires, whatever became of its wake-up", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create([], { end_time: epoch + day })
      yield* test.campaigns((campaigns) => campaigns.pause(caller, campaign_id))
      yield* test.campaigns((campaigns) => campaigns.resume(caller, campaign_id))
      yield* test.world.run(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
      yield* test.world.advance(2 * day)
      assert.strictEqual((yield* test.find(campaign_id)).status, "expired")
    }),
  )

  it.effect(
    "a cancel skips what waits, lets live calls count without a retry, and a revive brings back just what was skipped",
    () =>
      Effect.gen(function* () {
        const test = yield* campaigning((command) =>
          ending(Number(command.to_number.slice(-1)) < 5 ? "busy" : "completed", 30),
        )
        const { campaign_id } = yield* test.create(contactsOf(60), {
          retry_policy: { max_retries: 1, base_delay_minutes: 60 },
        })
        yield* test.world.advance(40_000)
        const stopped = yield* test.batches((batches) =>
          batches.create(caller, { agent_id: agentId, campaign_id }, { contacts: contactsOf(4, 200), file_name: null }),
        )
        yield* test.batches((batches) => batches.stop(caller, stopped.batch_id))
        assert.strictEqual((yield* steer(test, "cancel", campaign_id)).status, "cancelled")
        yield* test.world.advance(hour)
        const cancelled = yield* statuses(test, campaign_id)
        assert.strictEqual(cancelled.filter((status) => status === "skipped").length, 20 + 10 + 4)
        assert.strictEqual(cancelled.filter((status) => status === "failed").length, 10)
        const dialled = test.world.dials.length
        assert.strictEqual(dialled, 40)
        yield* test.world.advance(day)
        assert.strictEqual(test.world.dials.length, dialled)
        yield* conflict(
          steer(test, "resume", campaign_id),
          "This campaign has already ended (status=cancelled) and cannot be resumed.",
        )
        yield* conflict(patch(test, campaign_id, { name: "b" }), "This campaign cannot be edited (status=cancelled).")
        assert.strictEqual((yield* steer(test, "revive", campaign_id)).status, "active")
        yield* conflict(
          steer(test, "revive", campaign_id),
          "This campaign is still running (status=active) and cannot be revived.",
        )
        yield* test.world.advance(day)
        const revived = yield* statuses(test, campaign_id)
        // The ten whose retry the cancel had removed, and the twenty never dialled: ten of each twenty fail and are retried.
        assert.strictEqual(test.world.dials.length, 40 + 10 + 20 + 10)
        assert.strictEqual(revived.filter((status) => status === "skipped").length, 4)
        const listed = yield* test.contacts(campaign_id)
        assert.deepStrictEqual(
          listed.filter((contact) => contact.status === "skipped").map((contact) => contact.skip_reason),
          Array.from({ length: 4 }, () => "batch_stopped" as const),
        )
        assert.strictEqual((yield* test.find(campaign_id)).status, "completed")
      }),
  )

  it.effect("starts no sooner, expires at its end with its contacts pending, and goes on when the end is pushed", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const start_time = epoch + hour
      const { campaign_id } = yield* test.create(contactsOf(50), { start_time, end_time: start_time + 10_000 })
      yield* test.world.advance(hour - 1)
      assert.strictEqual(test.world.dials.length, 0)
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(explained.blocking, [{ reason: "before_start", contacts: 50, until: start_time }])
      yield* test.world.advance(1)
      assert.strictEqual(test.world.dials.length, 20)
      yield* test.world.advance(hour)
      assert.deepInclude(yield* test.stats(campaign_id), { status: "expired", batch_counts: { expired: 1 } })
      assert.strictEqual((yield* statuses(test, campaign_id)).filter((status) => status === "pending").length, 30)
      const pushed = yield* patch(test, campaign_id, { end_time: test.world.now + hour })
      assert.strictEqual(pushed.status, "active")
      yield* test.world.advance(hour)
      assert.deepInclude(yield* test.stats(campaign_id), { status: "completed", contacts_dialled: 50 })
    }),
  )

  it.effect("expires when contacts come after its end, having had none before", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const { campaign_id } = yield* test.create([], { end_time: epoch + minute })
      yield* test.world.advance(hour)
      assert.strictEqual((yield* test.find(campaign_id)).status, "created")
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, { contacts: contactsOf(2), file_name: null }),
      )
      yield* test.world.advance(0)
      assert.deepInclude(yield* test.stats(campaign_id), { status: "expired", batch_counts: { expired: 1 } })
      assert.strictEqual(test.world.dials.length, 0)
    }),
  )

  it.effect("edited hours apply to what already waits", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("busy", 30))
      const open = { start: "08:00", end: "10:00" }
      const { campaign_id } = yield* test.create(contactsOf(2), {
        working_hours_enforced: true,
        working_hours: { monday: open, tuesday: open },
        retry_policy: { max_retries: 1, base_delay_minutes: 90 },
      })
      yield* test.world.advance(2 * hour)
      assert.strictEqual(test.world.dials.length, 2)
      const tuesday = Date.UTC(2026, 0, 6, 8)
      assert.strictEqual((yield* test.contacts(campaign_id))[0]?.next_attempt_at, tuesday)
      const explained = yield* test.campaigns((campaigns) => campaigns.explain(organizationId, campaign_id))
      assert.deepStrictEqual(explained.blocking, [{ reason: "outside_hours", contacts: 2, until: tuesday }])
      yield* patch(test, campaign_id, { working_hours: { monday: { start: "08:00", end: "12:00" } } })
      yield* test.world.advance(minute)
      assert.strictEqual(test.world.dials.length, 4)
    }),
  )

  it.effect("is archived once no batch is unfinished, and then left alone", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const { campaign_id } = yield* test.create(contactsOf(30))
      const remove = test.campaigns((campaigns) => campaigns.remove(caller, campaign_id))
      yield* conflict(remove, "This campaign has batches that are not finished. Cancel it first.")
      yield* steer(test, "pause", campaign_id)
      yield* conflict(remove, "This campaign has batches that are not finished. Cancel it first.")
      yield* steer(test, "cancel", campaign_id)
      yield* remove
      yield* remove
      assert.strictEqual((yield* test.find(campaign_id)).status, "archived")
      yield* conflict(steer(test, "revive", campaign_id), "This campaign is archived and cannot be revived.")
      yield* conflict(
        Effect.asVoid(
          test.campaigns((campaigns) =>
            campaigns.append(caller, campaign_id, { contacts: contactsOf(1), file_name: null }),
          ),
        ),
        "This campaign has ended (status=archived) and takes no more contacts.",
      )
    }),
  )

  it.effect("refuses what contradicts itself and what does not exist, and stores nothing of it", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const refused = (body: CampaignBody) =>
        Effect.map(Effect.flip(test.create(contactsOf(2), body)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refused({ timezone: "Mars/Base" }), "Malformed")
      assert.strictEqual(yield* refused({ working_hours: { monday: { start: "9:00", end: "17:00" } } }), "Malformed")
      assert.strictEqual(yield* refused({ working_hours: { monday: { start: "17:00", end: "09:00" } } }), "Malformed")
      assert.strictEqual(yield* refused({ start_time: epoch, end_time: epoch }), "Malformed")
      assert.strictEqual(yield* refused({ agent_id: "agt_nobody" }), "NotFound")
      assert.strictEqual(yield* refused({ follow_up_policy: { follow_up_agent_id: "agt_nobody" } }), "NotFound")
      assert.strictEqual(yield* refused({ phone_numbers: ["+15550001111"] }), "InvalidField")
      const page = yield* test.campaigns((campaigns) => campaigns.page(organizationId, {}, { page: 1, page_size: 20 }))
      assert.strictEqual(page.total, 0)
      const made = yield* test.create([])
      const empty = yield* Effect.flip(patch(test, made.campaign_id, {}))
      assert.strictEqual(empty._tag, "Malformed")
      const unknown = yield* Effect.flip(test.find("cmp_unknown"))
      assert.deepInclude(unknown, { _tag: "NotFound", message: "Campaign not found." })
    }),
  )

  it.effect("later uploads inherit its transliteration, the original kept beside", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed"))
      const { campaign_id } = yield* test.create([], {
        transliteration: { enabled: true, fields: ["name"], target_language_code: "hi", keep_original: true },
      })
      yield* test.campaigns((campaigns) =>
        campaigns.append(caller, campaign_id, {
          contacts: [{ to_number: "+15550001111", variables: { name: "Neha", city: "Pune" } }],
          file_name: null,
        }),
      )
      assert.deepStrictEqual((yield* test.contacts(campaign_id))[0]?.variables, {
        name: "Neha@hi",
        name_original: "Neha",
        city: "Pune",
      })
      // What mirrors the column of a file is the same still.
      const file = new CsvContacts("list.csv")
      file.push(new TextEncoder().encode("to_number,name\n+15550002222,Ravi\n"))
      const intake = Result.getOrThrow(file.finish())
      yield* test.campaigns((campaigns) => campaigns.append(caller, campaign_id, intake))
      assert.deepStrictEqual((yield* test.contacts(campaign_id))[1]?.variables, {
        name: "Ravi@hi",
        name_original: "Ravi",
        callee_name: "Ravi@hi",
      })
    }),
  )
})

describe("a batch", () => {
  it.effect("that is paused and resumed before its first dial is as it was, and can be booked", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const { batch_id, campaign_id } = yield* test.create(contactsOf(2), { start_time: epoch + day })
      const batchId = batch_id ?? ""
      yield* test.batches((batches) => batches.pause(caller, batchId))
      assert.strictEqual((yield* test.batches((batches) => batches.resume(caller, batchId))).status, "created")
      yield* steer(test, "pause", campaign_id)
      yield* steer(test, "resume", campaign_id)
      yield* test.world.advance(minute)
      const after = yield* test.batches((batches) => batches.find(organizationId, batchId))
      assert.deepInclude(after, { status: "created", started_at: null })
      const booked = yield* test.batches((batches) => batches.schedule(caller, batchId, epoch + 2 * day))
      assert.strictEqual(booked.status, "scheduled")
      // Its time comes while it is paused: nobody was dialled yet, so it may still be booked for another one.
      yield* test.batches((batches) => batches.pause(caller, batchId))
      yield* test.world.advance(2 * day)
      yield* steer(test, "pause", campaign_id)
      assert.strictEqual((yield* test.batches((batches) => batches.resume(caller, batchId))).status, "scheduled")
      yield* test.batches((batches) => batches.schedule(caller, batchId, epoch + 3 * day))
      yield* steer(test, "resume", campaign_id)
      yield* test.world.advance(day - 2 * minute)
      assert.lengthOf(test.world.dials, 0)
      yield* test.world.advance(2 * minute)
      assert.lengthOf(test.world.dials, 2)
    }),
  )

  it.effect("dials when it is due, and can be booked anew until it does", () =>
    Effect.gen(function* () {
      const test = yield* campaigning(() => ending("completed", 30))
      const batches = yield* test.world.run(Batches)
      const intake = { contacts: contactsOf(5), file_name: "list.csv" }
      const soon = yield* Effect.flip(
        test.world.run(batches.create(caller, { agent_id: agentId, scheduled_at: epoch + minute }, intake)),
      )
      assert.deepInclude(soon, { _tag: "InvalidField", field: "scheduled_at" })
      const made = yield* test.world.run(
        batches.create(caller, { agent_id: agentId, scheduled_at: epoch + hour, concurrency_limit: 1 }, intake),
      )
      assert.deepInclude(made, {
        status: "scheduled",
        pending_contacts: 5,
        file_name: "list.csv",
        concurrency_limit: 1,
      })
      const moved = yield* test.world.run(batches.schedule(caller, made.batch_id, epoch + 2 * hour))
      assert.deepInclude(moved, { status: "scheduled", scheduled_at: epoch + 2 * hour })
      yield* test.world.advance(2 * hour - 1)
      assert.strictEqual(test.world.dials.length, 0)
      yield* test.world.advance(1)
      assert.strictEqual(test.world.dials.length, 5)
      const begun = yield* test.world.run(batches.find(organizationId, made.batch_id))
      assert.deepInclude(begun, { status: "dispatched", started_at: epoch + 2 * hour, in_progress_contacts: 5 })
      assert.deepStrictEqual(begun.execution_status, { queued: 5 })
      yield* conflict(
        test.world.run(batches.schedule(caller, made.batch_id, test.world.now + hour)),
        "This batch has already started (status=dispatched) and cannot be scheduled.",
      )
      yield* test.world.advance(minute)
      const over = yield* test.world.run(batches.find(organizationId, made.batch_id))
      assert.deepInclude(over, { status: "completed", completed_contacts: 5, pending_contacts: 0 })
      const page = { page: 1, page_size: 2 }
      const calls = yield* test.world.run(batches.executions(organizationId, made.batch_id, {}, page))
      assert.deepStrictEqual([calls.total, calls.items.length], [5, 2])
      const campaigns = yield* test.world.run(Campaigns)
      const foreign = yield* Effect.flip(test.world.run(campaigns.batches("org_other", "cmp_x", page)))
      assert.strictEqual(foreign._tag, "NotFound")
    }),
  )
})

describe("hours across a change of the clocks", () => {
  const weekdaysFrom = (start: string, end: string) =>
    Object.fromEntries(CallingWindow.weekdays.map((weekday) => [weekday, { start, end }]))

  // Two days around each change; opening and closing as the wall shows them. São Paulo has none, Kolkata a half hour's offset.
  for (const [timezone, from, openings] of [
    ["America/New_York", "2026-03-07T00:00:00-05:00", ["2026-03-07T09:00:00-05:00", "2026-03-08T09:00:00-04:00"]],
    ["Europe/London", "2026-10-24T00:00:00+01:00", ["2026-10-24T09:00:00+01:00", "2026-10-25T09:00:00+00:00"]],
    ["America/Sao_Paulo", "2026-10-17T00:00:00-03:00", ["2026-10-17T09:00:00-03:00", "2026-10-18T09:00:00-03:00"]],
    ["Asia/Kolkata", "2026-03-28T00:00:00+05:30", ["2026-03-28T09:00:00+05:30", "2026-03-29T09:00:00+05:30"]],
    ["Australia/Lord_Howe", "2026-10-03T00:00:00+10:30", ["2026-10-03T09:00:00+10:30", "2026-10-04T09:00:00+11:00"]],
  ] as const) {
    it.effect(`${timezone}: dials from opening to closing on both days, and never outside`, () =>
      Effect.gen(function* () {
        const test = yield* campaigning(() => ending("busy", 60))
        test.world.now = Date.parse(from)
        const { campaign_id } = yield* test.create(contactsOf(30), {
          timezone,
          working_hours_enforced: true,
          working_hours: weekdaysFrom("09:00", "09:30"),
          max_concurrent_calls: 1,
          retry_policy: { max_retries: 1, base_delay_minutes: 1 },
        })
        const dialled: Array<number> = []
        test.world.tables.onCommit((commit) => {
          for (const change of commit.changes) {
            if (change.put === "call" && change.row.revision === 1) dialled.push(change.row.created_at)
          }
        })
        yield* test.world.advance(2 * day)
        const opens = openings.map((opening) => Date.parse(opening))
        for (const at of dialled) assert.isTrue(opens.some((open) => at >= open && at < open + 30 * minute))
        for (const open of opens) {
          const that = dialled.filter((at) => at >= open && at < open + day / 2)
          assert.strictEqual(that[0], open)
          assert.isAtLeast(that.length, 29)
        }
        assert.strictEqual((yield* test.stats(campaign_id)).total_call_attempts, dialled.length)
      }),
    )
  }
})
