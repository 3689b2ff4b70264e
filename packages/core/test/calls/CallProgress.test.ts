import { assert, describe, it } from "@effect/vitest"
import { type Agent, type Asked, Calls, type CarrierReport, Engine, limits } from "@carillon/core"
import { Effect } from "effect"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { guardedAgent, numberOf, restart, type ScriptName, scriptOf, worldOf } from "../../src/testing/world/Plans.ts"
import { agent, caller, epoch, organizationId, World, type WorldOptions } from "../../src/testing/world/World.ts"

const startedWorld = Effect.fnUntraced(function* (ceiling: number, options: Partial<WorldOptions> = {}) {
  const world = worldOf({ ceiling, calls: [] }, options)
  yield* world.start()
  return world
})

const dueAt = epoch + 120_000

/** A world with one call that is booked for two minutes from now. */
const withBooked = Effect.fnUntraced(function* (
  script: ScriptName,
  options: Partial<WorldOptions> = {},
  agent_id: string = agent.agent_id,
) {
  const world = yield* startedWorld(1, options)
  const { call } = yield* world.placed({ to_number: numberOf(script), scheduled_at: dueAt, agent_id })
  return { world, id: call.execution_id }
})

describe("a booked call that comes due", () => {
  it.effect("is dialled then, and not before", () =>
    Effect.gen(function* () {
      const { world, id } = yield* withBooked("ordinary")
      yield* world.advance(119_999)
      assert.strictEqual(world.dials.length, 0)
      yield* world.advance(1)
      assert.deepInclude(world.call(id), { status: "queued", dial: "accepted", scheduled_at: dueAt })
      yield* world.advance(20_000)
      assert.strictEqual(world.call(id).status, "completed")
      assertOver(world)
    }),
  )

  it.effect("ends as an error where its agent is not active any more", () =>
    Effect.gen(function* () {
      const { world, id } = yield* withBooked("ordinary")
      const inactive: Agent = { ...agent, revision: 2, status: "INACTIVE" }
      world.write({ put: "agent", row: inactive })
      yield* world.advance(120_000)
      assert.deepInclude(world.call(id), {
        status: "error",
        error: "The agent was not active.",
        completed_at: dueAt,
        due_at: null,
        dial: "none",
      })
      assert.strictEqual(world.dials.length, 0)
    }),
  )

  it.effect("ends as balance-low where the wallet cannot carry it any more", () =>
    Effect.gen(function* () {
      const { world, id } = yield* withBooked("ordinary")
      world.setBalance(-1)
      yield* world.advance(120_000)
      assert.deepInclude(world.call(id), { status: "balance-low", hangup_reason: "balance_low", error: null })
      assert.strictEqual(world.dials.length, 0)
    }),
  )

  it.effect("stays canceled where it is stopped while it is being looked at", () =>
    Effect.gen(function* () {
      let meanwhile: Effect.Effect<unknown, unknown> = Effect.void
      const { world, id } = yield* withBooked("ordinary", {
        interpose: (operation, effect) =>
          operation === "agents.find"
            ? Effect.andThen(
                Effect.suspend(() => meanwhile),
                effect,
              )
            : effect,
      })
      world.write({ put: "agent", row: { ...agent, revision: 2, status: "INACTIVE" } })
      meanwhile = world.service(Calls).stop(caller, id, null)
      yield* world.advance(120_000)
      assert.deepInclude(world.call(id), { status: "canceled", error: null })
    }),
  )

  it.effect("waits fifteen seconds for a line and takes the one that comes free", () =>
    Effect.gen(function* () {
      const { world, id } = yield* withBooked("ordinary")
      const look = laws(world, 1)
      yield* world.advance(110_000, look)
      yield* world.placed({ to_number: numberOf("ordinary") })
      yield* world.advance(16_999, look)
      assert.strictEqual(world.call(id).status, "scheduled")
      yield* world.advance(1, look)
      assert.strictEqual(world.call(id).status, "queued")
    }),
  )

  it.effect("is booked anew for a minute after it gave up, as often as it takes", () =>
    Effect.gen(function* () {
      const { world, id } = yield* withBooked("ordinary")
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(134_999)
      assert.strictEqual(world.call(id).status, "scheduled")
      yield* world.advance(1)
      const again = dueAt + limits.queuedDialWaitMs + limits.rescheduleMs
      assert.deepInclude(world.call(id), { status: "rescheduled", scheduled_at: again, due_at: again })
      yield* world.advance(75_000)
      const third = again + limits.queuedDialWaitMs + limits.rescheduleMs
      assert.deepInclude(world.call(id), { status: "rescheduled", scheduled_at: third })
      yield* world.advance(3_600_000)
      assert.strictEqual(world.call(id).status, "completed")
      assert.strictEqual(world.dials.length, 2)
    }),
  )

  it.effect("is moved into the agent's calling window when it is booked anew", () =>
    Effect.gen(function* () {
      const guard = { enabled: true, timezone: "UTC", start: "09:00", end: "09:03", days: [] }
      const row: Agent = { ...guardedAgent, agent_id: "agt_brief", calling_guard: guard }
      const { world, id } = yield* withBooked("ordinary", { rows: [{ put: "agent", row }] }, row.agent_id)
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(135_000)
      // One minute after it gave up the window is shut; it opens again tomorrow, and one this short gives its opening.
      assert.deepInclude(world.call(id), { status: "rescheduled", scheduled_at: epoch + 86_400_000 })
    }),
  )

  it.effect("ends as what the carrier's refusal makes of it", () =>
    Effect.gen(function* () {
      for (const [script, status] of [
        ["unreachable", "error"],
        ["throttled", "error"],
        ["invalidDestination", "failed"],
      ] as const) {
        const { world, id } = yield* withBooked(script)
        yield* world.advance(120_000)
        assert.strictEqual(world.call(id).status, status)
        assertOver(world)
      }
    }),
  )
})

describe("a leg that falls silent", () => {
  const asked = (world: World) => world.carrier.questions.map((question) => question.at - epoch)

  it.effect("before it was answered is asked about thirty seconds after its ring time", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("silentFromRinging"), timeout_seconds: 20 })
      yield* world.advance(60_000)
      assert.deepStrictEqual(asked(world), [1_000 + 20_000 + 30_000])
      assert.strictEqual(world.call(call.execution_id).status, "completed")
      assertOver(world)
    }),
  )

  it.effect("after it was answered is asked about every ten minutes", () =>
    Effect.gen(function* () {
      const live: Asked = { _tag: "Live", call_sid: "leg", phase: "answered" }
      const world = yield* startedWorld(1, { script: (command) => ({ ...scriptOf(command), asked: live }) })
      const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(3_600_000)
      assert.deepStrictEqual(
        asked(world),
        [1, 2, 3, 4, 5].map((nth) => 5_000 + nth * 600_000),
      )
      assert.strictEqual(world.call(call.execution_id).status, "in-progress")
      assert.strictEqual([...world.slots.members()].length, 1)
    }),
  )

  it.effect("after its end is asked for its last word", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("withoutFinal") })
      yield* world.advance(44_999)
      assert.deepInclude(world.call(call.execution_id), { status: "completed", final_report_at: null })
      yield* world.advance(1)
      assert.deepStrictEqual(asked(world), [45_000])
      assertOver(world)
    }),
  )

  it.effect("is asked ever more rarely where the carrier gives no answer, and stays as it is", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1, {
        script: (command) => ({ ...scriptOf(command), asked: { _tag: "NoAnswer" } }),
      })
      const { call } = yield* world.placed({ to_number: numberOf("silentFromRinging") })
      yield* world.advance(1_500_000)
      const times = asked(world)
      assert.deepStrictEqual(times[0], 61_000)
      assert.deepStrictEqual(
        times.slice(1, 7).map((at, nth) => at - (times[nth] ?? 0)),
        [30_000, 60_000, 120_000, 240_000, 300_000, 300_000],
      )
      assert.strictEqual(world.call(call.execution_id).status, "ringing")
    }),
  )

  it.effect("is left alone where a report came while the carrier was being asked", () =>
    Effect.gen(function* () {
      const world: World = yield* startedWorld(1, {
        script: (command) => ({ ...scriptOf(command), asked: { _tag: "Unknown" } }),
        interpose: (operation, effect) => (operation === "telephony.find" ? Effect.andThen(report, effect) : effect),
      })
      const report = Effect.suspend(() => tell(world, { type: "answered" }))
      const { call } = yield* world.placed({ to_number: numberOf("silentFromRinging") })
      yield* world.advance(61_000)
      assert.deepInclude(world.call(call.execution_id), { status: "in-progress", due_at: epoch + 661_000 })
    }),
  )
})

describe("an unconfirmed dial", () => {
  it.effect("goes on when its live leg reports by itself", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* world.place({ to_number: numberOf("unconfirmedAndLive") })
      yield* world.advance(20_000)
      assert.deepInclude(world.calls()[0], { status: "completed", dial: "accepted", questions: 0 })
      assert.strictEqual(world.carrier.questions.length, 0)
      assertOver(world)
    }),
  )

  it.effect("goes on when the carrier, asked, knows its leg", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* world.place({ to_number: numberOf("unconfirmedAndSilent") })
      yield* world.advance(38_000)
      assert.deepInclude(world.calls()[0], { status: "in-progress", dial: "accepted" })
      yield* world.advance(600_000)
      assert.deepInclude(world.calls()[0], { status: "completed" })
      assert.strictEqual(world.dials.length, 1)
      assertOver(world)
    }),
  )

  it.effect("is asked about soon, and backs off", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* world.place({ to_number: numberOf("unconfirmedAndNone") })
      yield* world.advance(60_000)
      assert.deepStrictEqual(
        world.carrier.questions.map(({ at }) => at - epoch),
        [11_000, 14_000, 20_000, 32_000, 38_000],
      )
    }),
  )

  it.effect("gives its line back as soon as the carrier is certain, and takes nobody's late word for it", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* world.place({ to_number: numberOf("unconfirmedAndNever") })
      yield* world.advance(10_999)
      assert.strictEqual([...world.slots.members()].length, 1)
      yield* world.advance(1)
      const ended = { status: "error", dial: "refused", completed_at: epoch + 11_000 } as const
      assert.deepInclude(world.calls()[0], { ...ended, error: "The telephony provider never placed the call." })
      assertOver(world)
      yield* tell(world, { type: "answered" })
      yield* world.advance(600_000)
      assert.deepInclude(world.calls()[0], ended)
      assert.strictEqual(world.dials.length, 1)
      assertOver(world)
    }),
  )

  it.effect("is asked about by another process where the first dies", () =>
    Effect.gen(function* () {
      for (const [script, dial] of [
        ["unconfirmedAndNever", "refused"],
        ["unconfirmedAndNone", "unconfirmed"],
      ] as const) {
        const world = yield* startedWorld(1)
        yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(9_000)
        world.kill()
        world.tables.wakeups.clearAll()
        yield* restart(world)
        yield* world.advance(script === "unconfirmedAndNever" ? 2_000 : 29_000)
        assert.deepInclude(world.calls()[0], { status: "error", dial })
        assertOver(world)
      }
    }),
  )

  it.effect("holds its line while nobody knows, and no longer", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      yield* world.place({ to_number: numberOf("unconfirmedAndNone") })
      yield* world.advance(37_999)
      assert.strictEqual([...world.slots.members()].length, 1)
      yield* world.advance(1)
      assertOver(world)
    }),
  )
})

/** Lets the carrier say something of the only call there is. */
const tell = Effect.fnUntraced(function* (world: World, report: { readonly type: "answered" | "ringing" }) {
  const [call] = world.calls()
  assert(call !== undefined)
  const { execution_id, call_sid } = call
  yield* world.service(Engine).report({ execution_id, call_sid, at: world.now, ...report })
})

describe("a call whose telephony state was lost", () => {
  const find = (world: World, id: string) => world.run(Effect.flatMap(Calls, (calls) => calls.find(organizationId, id)))

  it.effect("goes on under the surviving record, which the original id answers with", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("recovered") })
      const id = call.execution_id
      const releases: Array<string> = []
      yield* world.advance(6_999)
      const [before] = [...world.slots.members()]
      yield* world.advance(1)
      const survivor = yield* find(world, id)
      assert.strictEqual(survivor.execution_id, `${id}-survivor`)
      assert.deepInclude(survivor, { status: "in-progress", answered_at: epoch + 5_000, created_at: epoch })
      assert.deepStrictEqual(
        world.calls().map((row) => row.execution_id),
        [survivor.execution_id],
      )
      // The line is the same one, under the id under which it was taken.
      assert.deepStrictEqual([...world.slots.members()], [before])
      assert.strictEqual(world.tables.calls.holding("organization", organizationId), 1)
      yield* world.advance(60_000, () => releases.push(String([...world.slots.members()].length)))
      assert.strictEqual((yield* find(world, id)).status, "completed")
      assert.strictEqual((yield* find(world, id)).summary, "Agreed.")
      // It is given back once: held, and then never again.
      assert.strictEqual(releases.join("").replace(/^1*0*$/, ""), "")
      assertOver(world)
    }),
  )

  it.effect("takes reports and requests under either id, and folds once however often it is told", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const id = call.execution_id
      yield* world.advance(6_000)
      const report = (
        executionId: string,
        rest: { readonly type: "recovered"; readonly surviving_execution_id: string },
      ) => world.service(Engine).report({ execution_id: executionId, at: world.now, call_sid: null, ...rest })
      yield* report(id, { type: "recovered", surviving_execution_id: "exec_second" })
      const folded = world.call(id)
      yield* report(id, { type: "recovered", surviving_execution_id: "exec_second" })
      assert.strictEqual(world.call(id), folded)
      assert.strictEqual(world.call("exec_second").revision, 1)
      // The state is lost again, and the carrier may speak of it by either name.
      yield* report(id, { type: "recovered", surviving_execution_id: "exec_third" })
      yield* report("exec_third", { type: "recovered", surviving_execution_id: "exec_fourth" })
      for (const known of [id, "exec_second", "exec_third"]) {
        assert.strictEqual((yield* find(world, known)).execution_id, "exec_fourth")
      }
      const ended: CarrierReport = {
        execution_id: id,
        at: world.now,
        call_sid: null,
        type: "final",
        end: {
          status: "completed",
          duration_seconds: 4,
          answered_by_voicemail: null,
          hangup_by: null,
          hangup_reason: null,
          error: null,
        },
        facts: { recording_url: null, cost: null, media: { transcript: "agent: Hello", setup: null, turns: null } },
      }
      yield* world.service(Engine).report(ended)
      assert.strictEqual((yield* find(world, id)).status, "completed")
      const media = yield* world.run(Effect.flatMap(Calls, (calls) => calls.media(organizationId, id)))
      assert.deepInclude(media, { execution_id: "exec_fourth", transcript: "agent: Hello" })
      assert.strictEqual(world.calls().length, 1)
      assertOver(world)
    }),
  )

  it.effect("can be stopped by its original id", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("recovered") })
      yield* world.advance(8_000)
      const stopping = yield* world.stop(call.execution_id)
      yield* world.advance(0)
      assert.strictEqual(stopping.pollUnsafe()?._tag, "Success")
      assert.strictEqual((yield* find(world, call.execution_id)).status, "stopped")
      yield* world.advance(30_000)
      assertOver(world)
    }),
  )

  it.effect("stays as it is where it had ended", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { call } = yield* world.placed({ to_number: numberOf("busy") })
      yield* world.advance(10_000)
      const ended = world.call(call.execution_id)
      yield* world.service(Engine).report({
        execution_id: call.execution_id,
        at: world.now,
        call_sid: null,
        type: "recovered",
        surviving_execution_id: "exec_other",
      })
      assert.strictEqual(world.call(call.execution_id), ended)
    }),
  )
})

describe("a call that arrives", () => {
  it.effect("takes no line, follows the carrier's reports, and needs an active agent", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const { arrive, report } = world.service(Engine)
      const inbound = {
        organization_id: organizationId,
        agent_id: agent.agent_id,
        from_number: "+15555550777",
        to_number: "+15555550900",
        call_sid: "leg-in",
      }
      const call = yield* arrive(inbound)
      assert.deepInclude(call, { direction: "inbound", status: "initiated", slot: null })
      assert.strictEqual(world.tables.calls.holding("organization", organizationId), 0)
      yield* report({ execution_id: call.execution_id, at: world.now, call_sid: "leg-in", type: "answered" })
      assert.strictEqual(world.call(call.execution_id).status, "in-progress")
      yield* world.advance(600_000)
      assert.deepInclude(world.call(call.execution_id), { status: "error" })
      assert.deepInclude(yield* Effect.flip(arrive({ ...inbound, agent_id: "agt_unknown" })), { _tag: "NotFound" })
      world.write({ put: "agent", row: { ...agent, revision: 2, status: "INACTIVE" } })
      assert.deepInclude(yield* Effect.flip(arrive(inbound)), { _tag: "StateConflict" })
    }),
  )

  it.effect("drops reports of calls that nobody knows", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(1)
      const before = world.commits.length
      yield* world
        .service(Engine)
        .report({ execution_id: "exec_unknown", at: world.now, call_sid: null, type: "ringing" })
      assert.strictEqual(world.commits.length, before)
    }),
  )
})

describe("the wallet", () => {
  it.effect("pays for calls that end together, each its own cost, in its own currency", () =>
    Effect.gen(function* () {
      const cost = {
        total: 1.5,
        breakdown: { llm: 1.5, network: 0, platform: 0, synthesizer: 0, telephony: 0, transcriber: 0 },
      }
      const world = yield* startedWorld(10, {
        script: (command) => ({ ...scriptOf(command), facts: { cost } }),
        organization: { wallet: { balance: 20, currency: "EUR" } },
      })
      for (let nth = 0; nth < 10; nth++) yield* world.place({ to_number: numberOf("busy") })
      yield* world.advance(10_000)
      assert.strictEqual(world.tables.organizations.get(organizationId)?.wallet.balance, 5)
      for (const call of world.calls()) assert.deepInclude(call.cost, { total: 1.5, currency: "EUR" })
    }),
  )
})

describe("a report that comes while the outcome of its dial is written", () => {
  it.effect("reads the call once that is written, and once", () =>
    Effect.gen(function* () {
      const uses: Array<string> = []
      let report: Effect.Effect<unknown, unknown> | null = null
      const world = yield* startedWorld(1, {
        interpose: (operation, effect) =>
          Effect.gen(function* () {
            const telling = operation === "store.commit" ? report : null
            if (telling !== null) {
              report = null
              yield* Effect.forkDetach(telling)
              for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow
            }
            uses.push(operation)
            return yield* effect
          }),
      })
      report = Effect.suspend(() => {
        const [dial] = world.dials
        if (dial === undefined) throw new Error("Nobody was dialled.")
        const { execution_id } = dial
        return world.service(Engine).report({ type: "ringing", execution_id, at: world.now, call_sid: "leg_fast" })
      })
      const { call } = yield* world.placed({ to_number: numberOf("ordinary") })
      yield* world.advance(1)
      assert.deepInclude(world.call(call.execution_id), { status: "ringing", dial: "accepted" })
      const written = uses.filter((use) => use === "store.commit" || use === "calls.locate")
      assert.deepStrictEqual(written.slice(0, 3), ["store.commit", "calls.locate", "store.commit"])
    }),
  )
})
