import { assert, describe, it } from "@effect/vitest"
import {
  type Call,
  Calls,
  type CallStatus,
  type DialOutcome,
  DependencyTimeout,
  DependencyUnavailable,
  Engine,
  InsufficientCredits,
  InvalidField,
  limits,
  LimitExceeded,
  NotFound,
  StateConflict,
} from "@carillon/core"
import { newPhoneNumber } from "@carillon/core/domain"
import { Parking } from "@carillon/core/ports"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { law } from "../../src/testing/Law.ts"
import { assertOver } from "../../src/testing/world/Laws.ts"
import { guardedAgent, numberOf, restart, type ScriptName, scriptOf, worldOf } from "../../src/testing/world/Plans.ts"
import {
  agentId,
  answerOf,
  away,
  caller,
  epoch,
  organizationId,
  request,
  World,
  type WorldOptions,
} from "../../src/testing/world/World.ts"

const startedWorld = Effect.fnUntraced(function* (options: WorldOptions = {}) {
  const world = new World({ script: scriptOf, rows: [{ put: "agent", row: guardedAgent }], ...options })
  yield* world.start()
  return world
})

const refusalOf = Effect.fnUntraced(function* (world: World, changes: Parameters<typeof request>[0]) {
  const placing = yield* world.place(changes)
  yield* world.advance(0)
  return yield* Effect.flip(answerOf(placing))
})

const eventsOf = (world: World) => world.commits.flatMap((commit) => commit.events.map((event) => event.type))

/** The events of the call itself; those of its analysis and recording have tests of their own. */
const lifeOf = (world: World) => eventsOf(world).filter((type) => type.startsWith("call_"))

const auditOf = (world: World) => world.commits.flatMap((commit) => commit.audit)

describe("an immediate call", () => {
  it.effect("goes from queued to completed and gives its line back", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const placed = yield* world.placed()
      assert.strictEqual(placed._tag, "Queued")
      const id = placed.call.execution_id
      const seen: Array<CallStatus> = []
      yield* world.advance(20_000, () => {
        const { status } = world.call(id)
        if (seen.at(-1) !== status) seen.push(status)
      })
      assert.deepStrictEqual(seen, ["queued", "initiated", "ringing", "in-progress", "completed"])
      assert.deepInclude(world.call(id), {
        ringing_at: epoch + 1_000,
        answered_at: epoch + 5_000,
        completed_at: epoch + 15_000,
        final_report_at: epoch + 17_000,
        summary: "Agreed.",
        due_at: null,
      })
      assert.strictEqual(world.tables.calls.holding("agent", agentId), 0)
      assert.deepStrictEqual(eventsOf(world), [
        "call_ringing",
        "call_started",
        "call_completed",
        "platform_analysis_completed",
        "all_processing_completed",
      ])
    }),
  )

  it.effect("tells of its end once, and of an answer only where there was one", () =>
    Effect.gen(function* () {
      for (const [script, events] of [
        ["busy", ["call_ringing", "call_completed"]],
        ["doubled", ["call_ringing", "call_started", "call_completed", "call_corrected"]],
        ["disordered", ["call_started", "call_completed"]],
        ["unreachable", ["call_completed"]],
      ] as const) {
        const world = yield* startedWorld()
        yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(60_000)
        assert.deepStrictEqual(lifeOf(world), [...events], script)
      }
    }),
  )

  it.effect("is recorded in the audit trail without its number", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const { call } = yield* world.placed({ variables: { secret: "hunter2" } })
      const [entry, ...others] = auditOf(world)
      assert.deepInclude(entry, { action: "call.create", resource: { type: "call", id: call.execution_id } })
      assert.isEmpty(others)
      assert.notMatch(JSON.stringify(entry), /\+1555|hunter2/)
    }),
  )

  const answers: ReadonlyArray<readonly [ScriptName, number, number | null]> = [
    ["ordinary", 201, null],
    ["fasterThanItsAnswer", 201, null],
    ["invalidDestination", 201, null],
    ["unconfirmedAndLive", 202, null],
    ["unconfirmedAndNone", 202, null],
    ["recovered", 201, null],
    ["unreachable", 503, 1501],
    ["throttled", 429, 1300],
  ]
  it.effect.each(answers)("is recorded with the status and the code of its answer: %s, %d", ([script, status, code]) =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      yield* world.place({ to_number: numberOf(script) })
      yield* world.advance(limits.dialAcknowledgementMs)
      const placed = () =>
        auditOf(world).map(({ action, error_code, http_status }) => [action, http_status, error_code])
      assert.deepStrictEqual(placed(), [["call.create", status, code]])
      yield* world.advance(3_600_000)
      assert.deepStrictEqual(placed(), [["call.create", status, code]])
      for (const call of world.calls()) assert.isUndefined(call.unaudited)
    }),
  )

  const lost: ReadonlyArray<readonly [ScriptName, number]> = [
    ["ordinary", 201],
    ["busy", 201],
    ["fasterThanItsAnswer", 201],
    ["unreachable", 503],
  ]
  it.effect.each(lost)(
    "is recorded by whoever goes on where its process died before it could answer: %s, %d",
    ([script, status]) =>
      Effect.gen(function* () {
        const world: World = yield* startedWorld({
          interpose: (operation, effect) =>
            operation === "telephony.dial"
              ? Effect.andThen(
                  effect,
                  Effect.suspend(() => {
                    world.kill()
                    return Effect.never
                  }),
                )
              : effect,
        })
        yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(limits.dialAcknowledgementMs)
        assert.deepStrictEqual(auditOf(world), [])
        yield* restart(world)
        yield* world.advance(3_600_000)
        assertOver(world)
        assert.deepStrictEqual(
          auditOf(world).map(({ action, http_status }) => [action, http_status]),
          [["call.create", status]],
        )
      }),
  )

  it.effect("without an acknowledgement in eight seconds is unconfirmed, asked about and never redialled", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const placing = yield* world.place({ to_number: numberOf("unconfirmedAndNone") })
      yield* world.advance(7_999)
      assert.isUndefined(placing.pollUnsafe())
      yield* world.advance(1)
      const { _tag, call } = yield* answerOf(placing)
      assert.deepInclude(
        { _tag, status: call.status, dial: call.dial },
        {
          _tag: "Unconfirmed",
          status: "queued",
          dial: "unconfirmed",
        },
      )
      // Nobody waits for the carrier's answer any more.
      assert.strictEqual(world.service(Parking).size(), 0)
      yield* world.advance(29_999)
      assert.strictEqual(world.call(call.execution_id).status, "queued")
      yield* world.advance(1)
      assert.deepInclude(world.call(call.execution_id), { status: "error", hangup_reason: "carrier_error" })
      yield* world.advance(3_600_000)
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  it.effect("lets metadata win over variables", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const { call } = yield* world.placed({ variables: { a: 1, b: 1 }, metadata: { b: 2, c: 2 } })
      assert.deepStrictEqual(call.variables, { a: 1, b: 2, c: 2 })
    }),
  )
})

describe("a dial that the carrier refuses", () => {
  const refused: ReadonlyArray<readonly [ScriptName, object]> = [
    ["unreachable", new DependencyUnavailable({ dependency: "telephony_service" })],
    ["throttled", new LimitExceeded({ message: "The telephony service is busy. Retry in 3s.", retryAfterSeconds: 3 })],
  ]
  for (const [script, refusal] of refused) {
    it.effect(`is answered with it and stays as an error: ${script}`, () =>
      Effect.gen(function* () {
        const world = yield* startedWorld()
        assert.deepEqual(yield* refusalOf(world, { to_number: numberOf(script) }), refusal)
        const [call] = world.calls()
        assert.deepInclude(call, { status: "error", dial: "refused", hangup_reason: "carrier_error", due_at: null })
        assert.isNotNull(call?.error)
        assert.deepStrictEqual([...world.slots.members()], [])
      }),
    )
  }

  it.effect("for want of a valid number is an ordinary attempt that failed", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const placed = yield* world.placed({ to_number: numberOf("invalidDestination") })
      assert.strictEqual(placed._tag, "Queued")
      assert.deepInclude(world.call(placed.call.execution_id), {
        status: "failed",
        hangup_reason: "invalid_destination",
      })
    }),
  )

  it.effect("names a second where the carrier's 429 names none", () =>
    Effect.gen(function* () {
      const outcome: DialOutcome = { _tag: "Refused", kind: "throttled", retryAfterSeconds: null }
      const world = yield* startedWorld({ script: () => ({ outcome }) })
      assert.deepInclude(yield* refusalOf(world, {}), { retryAfterSeconds: 1 })
    }),
  )
})

describe("what is refused before anything is dialled", () => {
  it.effect("leaves no record, but for an empty wallet", () =>
    Effect.gen(function* () {
      const inactive = { ...guardedAgent, agent_id: "agt_inactive", status: "INACTIVE" } as const
      const shut = {
        ...guardedAgent,
        agent_id: "agt_shut",
        calling_guard: { enabled: true, timezone: "Nowhere/Nothing", start: "10:00", end: "11:00", days: [] },
      }
      const world = yield* startedWorld({
        rows: [
          { put: "agent", row: inactive },
          { put: "agent", row: shut },
        ],
      })
      const cases = [
        [{ agent_id: "agt_unknown" }, new NotFound({ message: "Agent not found." })],
        [
          { agent_id: inactive.agent_id },
          new StateConflict({ message: "This agent is not active (status=INACTIVE)." }),
        ],
        [
          { from_number: "+15555550999" },
          new InvalidField({ field: "from_number", reason: "must be a number registered to this organization" }),
        ],
        [
          { scheduled_at: epoch + 119_999 },
          new InvalidField({ field: "scheduled_at", reason: "must be at least 2 minutes ahead" }),
        ],
        [
          { scheduled_at: epoch + 30 * 86_400_000 + 1 },
          new InvalidField({ field: "scheduled_at", reason: "must be at most 30 days ahead" }),
        ],
        [{ agent_id: shut.agent_id }, new StateConflict({ message: "The calling window of this agent never opens." })],
      ] as const
      for (const [changes, refusal] of cases) assert.deepEqual(yield* refusalOf(world, changes), refusal)
      assert.deepStrictEqual(world.calls(), [])
      assert.deepStrictEqual(auditOf(world), [])
      assert.strictEqual(world.dials.length, 0)
    }),
  )

  it.effect("keeps the record of a call that the wallet cannot carry, which asks for no line", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld({ organization: { wallet: { balance: 0, currency: "USD" } } })
      assert.instanceOf(yield* refusalOf(world, {}), InsufficientCredits)
      assert.deepInclude(world.calls()[0], { status: "balance-low", hangup_reason: "balance_low", dial: "none" })
      assert.deepStrictEqual(eventsOf(world), [])
    }),
  )

  it.effect("takes a registered caller ID and any time from two minutes to thirty days ahead", () =>
    Effect.gen(function* () {
      const number = newPhoneNumber({
        phone_number_id: "pn_test",
        organization_id: organizationId,
        phone_number: "+15555550900",
        created_at: epoch,
      })
      const world = yield* startedWorld({ rows: [{ put: "phone_number", row: number }] })
      for (const scheduled_at of [epoch + 120_000, epoch + 30 * 86_400_000]) {
        const { _tag, call } = yield* world.placed({ from_number: number.phone_number, scheduled_at })
        assert.deepInclude(call, { status: "scheduled", scheduled_at, from_number: number.phone_number })
        assert.strictEqual(_tag, "Scheduled")
      }
    }),
  )
})

describe("a calling window", () => {
  it.effect("moves a call into itself, spread by the call's own id, and says so", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const times = new Set<number | null>()
      for (let nth = 0; nth < 20; nth++) {
        const { _tag, call } = yield* world.placed({ agent_id: guardedAgent.agent_id })
        assert.strictEqual(_tag, "Scheduled")
        assert.deepInclude(call, { status: "scheduled", deferred_by_calling_guard: true, due_at: call.scheduled_at })
        const at = call.scheduled_at ?? 0
        assert.isAtLeast(at, epoch + 3_600_000)
        assert.isBelow(at, epoch + 3_600_000 + 25 * 60_000)
        times.add(at)
        const again = yield* world.run(Effect.flatMap(Calls, (calls) => calls.find(organizationId, call.execution_id)))
        assert.strictEqual(again.scheduled_at, call.scheduled_at)
      }
      assert.isAbove(times.size, 10)
      assert.strictEqual(world.dials.length, 0)
      yield* world.advance(2 * 3_600_000)
      assert.strictEqual(world.dials.length, 20)
    }),
  )

  it.effect("leaves a call alone that is wanted inside it", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const scheduled_at = epoch + 3_600_000 + 29 * 60_000
      const { call } = yield* world.placed({ agent_id: guardedAgent.agent_id, scheduled_at })
      assert.deepInclude(call, { scheduled_at, deferred_by_calling_guard: false })
    }),
  )
})

describe("stopping a call", () => {
  const stopped = Effect.fnUntraced(function* (world: World, id: string, reason: string | null = null) {
    const stopping = yield* world.stop(id, reason)
    yield* world.advance(0)
    return yield* answerOf(stopping)
  })

  it.effect("cancels one that is booked, and nobody is rung", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const scheduled_at = epoch + 120_000
      const { call } = yield* world.placed({ scheduled_at })
      const answer = yield* stopped(world, call.execution_id, "changed our mind")
      assert(answer._tag === "Canceled")
      assert.strictEqual(answer.scheduled_at, scheduled_at)
      assert.deepInclude(world.call(call.execution_id), {
        status: "canceled",
        hangup_reason: "user_request",
        stop: { requested_at: epoch, reason: "changed our mind" },
        due_at: null,
      })
      yield* world.advance(600_000)
      assert.strictEqual(world.dials.length, 0)
      assert.deepStrictEqual(eventsOf(world), [])
      assert.deepStrictEqual(
        auditOf(world).map((entry) => entry.action),
        ["call.create", "call.stop"],
      )
      assert.notInclude(JSON.stringify(auditOf(world)), "changed our mind")
    }),
  )

  it.effect("cancels one that was booked anew for want of a line", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      yield* world.start()
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const { call } = yield* world.placed({ scheduled_at: epoch + 120_000 })
      yield* world.advance(136_000)
      assert.strictEqual(world.call(call.execution_id).status, "rescheduled")
      assert.strictEqual((yield* stopped(world, call.execution_id))._tag, "Canceled")
    }),
  )

  it.effect("cancels one that waits in line, which then takes none", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      yield* world.start()
      yield* world.placed({ to_number: numberOf("busy") })
      yield* world.advance(0)
      const { call } = yield* world.placed({ scheduled_at: epoch + 120_000 })
      yield* world.advance(119_000)
      yield* world.placed({ to_number: numberOf("busy") })
      yield* world.advance(2_000)
      assert.strictEqual((yield* stopped(world, call.execution_id))._tag, "Canceled")
      yield* world.advance(30_000)
      assert.strictEqual(world.call(call.execution_id).status, "canceled")
      assert.strictEqual(world.dials.length, 2)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("has to wait for one that is still being placed", () =>
    Effect.gen(function* () {
      const placing = new StateConflict({
        message: "The call is still being placed. Retry in a moment.",
        retryAfterSeconds: 2,
      })
      for (const script of ["ordinary", "slow", "unconfirmedAndNone"] as const) {
        const world = yield* startedWorld()
        yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(script === "unconfirmedAndNone" ? 10_000 : 200)
        const [call] = world.calls()
        assert(call !== undefined)
        assert.deepEqual(yield* Effect.flip(stopped(world, call.execution_id)), placing, script)
      }
    }),
  )

  for (const [phase, afterMs] of [
    ["initiated", 500],
    ["ringing", 2_000],
    ["in-progress", 6_000],
  ] as const) {
    it.effect(`hangs up one that is ${phase}, which keeps its line until the carrier's last word`, () =>
      Effect.gen(function* () {
        const world = yield* startedWorld()
        const { call } = yield* world.placed()
        yield* world.advance(afterMs)
        assert.strictEqual(world.call(call.execution_id).status, phase)
        const answer = yield* stopped(world, call.execution_id)
        assert(answer._tag === "Stopped")
        assert.deepInclude(answer, { requested_at: epoch + afterMs, reason: "user_request" })
        assert.deepInclude(world.call(call.execution_id), { status: "stopped", hangup_reason: "user_request" })
        yield* world.advance(1_199)
        assert.strictEqual([...world.slots.members()].length, 1)
        yield* world.advance(1)
        assert.deepStrictEqual([...world.slots.members()], [])
        yield* world.advance(60_000)
        assert.deepInclude(world.call(call.execution_id), { status: "stopped", duration_seconds: 10 })
        assert.strictEqual(eventsOf(world).filter((type) => type === "call_completed").length, 1)
      }),
    )
  }

  it.effect("asks the carrier about a stopped leg that stays silent", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      yield* world.advance(6_000)
      yield* stopped(world, call.execution_id)
      yield* world.advance(29_999)
      assert.isNull(world.call(call.execution_id).final_report_at)
      yield* world.advance(1)
      assert.isNotNull(world.call(call.execution_id).final_report_at)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("changes nothing where the provider refuses to hang up", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const { call } = yield* world.placed({ to_number: numberOf("hangupRefused") })
      yield* world.advance(6_000)
      const before = world.call(call.execution_id)
      assert.deepEqual(
        yield* Effect.flip(stopped(world, call.execution_id)),
        new StateConflict({ message: "The telephony provider refused to hang up this call." }),
      )
      assert.strictEqual(world.call(call.execution_id), before)
    }),
  )

  it.effect("names the status of one that has ended, also where it ended while the hang-up was under way", () =>
    Effect.gen(function* () {
      const ended = new StateConflict({ message: "This call already ended (status=completed)." })
      let hangups = 0
      const world: World = yield* startedWorld({
        interpose: (operation, effect) => {
          if (operation !== "telephony.hangup") return effect
          hangups += 1
          // The leg ends, and is reported to the last, before the carrier takes the hang-up.
          return Effect.andThen(whileHangingUp, effect)
        },
      })
      const whileHangingUp = Effect.suspend(() =>
        Effect.forEach(world.calls(), ({ execution_id, call_sid }) =>
          world.service(Engine).report({
            execution_id,
            call_sid,
            at: world.now,
            type: "final",
            end: {
              status: "completed",
              duration_seconds: 1,
              answered_by_voicemail: false,
              hangup_by: "customer",
              hangup_reason: "user_hangup",
              error: null,
            },
            facts: { recording_url: null, cost: null, media: null },
          }),
        ),
      )
      const { call } = yield* world.placed()
      yield* world.advance(6_000)
      for (const _ of ["under way", "over"]) {
        assert.deepEqual(yield* Effect.flip(stopped(world, call.execution_id)), ended)
      }
      assert.strictEqual(hangups, 1)
      assert.isNull(world.call(call.execution_id).stop)
    }),
  )

  it.effect("knows nothing of another organization's calls", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const { call } = yield* world.placed()
      const stranger = { ...caller, organization_id: "org_stranger" }
      const attempt = yield* world.run(
        Effect.flatMap(Calls, (calls) => Effect.exit(calls.stop(stranger, call.execution_id, null))),
      )
      assert.deepEqual(attempt, Exit.fail(new NotFound({ message: "Call not found." })))
    }),
  )
})

describe("reading calls", () => {
  it.effect("lists the executions of an agent that there is, and pages through all calls", () =>
    law(
      fc.array(fc.constantFrom<ScriptName>("ordinary", "busy", "unreachable", "recovered"), {
        minLength: 1,
        maxLength: 5,
      }),
      Effect.fnUntraced(function* (placed) {
        const world = yield* startedWorld()
        for (const script of placed) yield* world.place({ to_number: numberOf(script) })
        yield* world.advance(30_000)
        const page = { page: 1, page_size: 10 }
        yield* world.run(
          Effect.gen(function* () {
            const calls = yield* Calls
            const all = yield* calls.page(organizationId, {}, page)
            assert.strictEqual(all.total, placed.length)
            assert.deepStrictEqual(yield* calls.executionsOf(organizationId, agentId, {}, page), all)
            const none = yield* calls.executionsOf(organizationId, guardedAgent.agent_id, {}, page)
            assert.strictEqual(none.total, 0)
            const unknown = yield* Effect.exit(calls.executionsOf(organizationId, "agt_unknown", {}, page))
            assert.deepEqual(unknown, Exit.fail(new NotFound({ message: "Agent not found." })))
          }),
        )
      }, Effect.scoped),
      { numRuns: 10 },
    ),
  )
})

describe("a requester who hangs up", () => {
  it.effect("cannot tear a call in half that is being dialled", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld()
      const placing = yield* world.place({ to_number: numberOf("slow") })
      yield* world.advance(1_000)
      placing.interruptUnsafe()
      yield* world.advance(2_100)
      // The carrier's answer is written down before the first report of the leg could tell.
      assert.deepInclude(world.calls()[0], { status: "queued", dial: "accepted" })
      yield* world.advance(30_000)
      assert.strictEqual(world.calls()[0]?.status, "completed")
    }),
  )
})

describe("a dial whose storage is slow", () => {
  for (const delayMs of [8_000, 19_000, 25_000]) {
    it.effect(`by ${delayMs} ms names what was slow, and rings nobody`, () =>
      Effect.gen(function* () {
        let isSlow = true
        const world = yield* startedWorld({
          interpose: (operation, effect) =>
            Effect.tap(effect, () =>
              Effect.sync(() => {
                if (operation !== "store.admit" || !isSlow) return
                isSlow = false
                world.now += delayMs
              }),
            ),
        })
        const refusal = yield* refusalOf(world, {})
        assert.instanceOf(refusal, DependencyTimeout)
        assert.strictEqual(refusal.dependency, "call_storage")
        assert.deepStrictEqual(world.dials, [])
        assert.deepStrictEqual([...world.slots.members()], [])
        yield* world.advance(10 * 60_000)
        assert.deepStrictEqual(world.dials, [])
        for (const call of world.calls()) assert.notInclude(String(call.error), "telephony")
      }),
    )
  }
})

describe("a line that is lost before the call is dialled", () => {
  const losing = (times: number) => {
    let left = times
    return startedWorld({
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation !== "slots.hold" || left === 0) return effect
          left -= 1
          return Effect.succeed(false)
        }),
    })
  }

  it.effect("leaves no record of a direct dial, which is told that there is no line", () =>
    Effect.gen(function* () {
      const world = yield* losing(1)
      assert.instanceOf(yield* refusalOf(world, {}), LimitExceeded)
      assert.deepStrictEqual(world.calls(), [])
      assert.deepStrictEqual(world.dials, [])
      assert.deepStrictEqual(lifeOf(world), [])
      assert.deepStrictEqual([...world.slots.members()], [])
      assert.strictEqual(world.tables.calls.holding("organization", organizationId), 0)
      yield* world.advance(10 * 60_000)
      assert.deepStrictEqual(world.calls(), [])
    }),
  )

  it.effect("dials a direct call on the line that was counted where the slot store does not answer", () =>
    Effect.gen(function* () {
      let isAway = false
      const away = new DependencyUnavailable({ dependency: "slot_store" })
      const world = yield* startedWorld({
        interpose: (operation, effect) =>
          Effect.suspend(() => {
            if (operation === "slots.hold") isAway = true
            return isAway && operation.startsWith("slots.") ? Effect.fail(away) : effect
          }),
      })
      const { call } = yield* world.placed({})
      assert.lengthOf(world.dials, 1)
      assert.deepInclude(world.call(call.execution_id)?.slot, { fence: null })
      isAway = false
      yield* world.advance(6_000)
      const [member, ...others] = [...world.slots.members()]
      assert.deepInclude(member, { execution_id: call.execution_id, state: "held" })
      assert.lengthOf(others, 0)
      yield* world.advance(10 * 60_000)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  /** A world in which every line is lost, and the row of its call is written before its dial is taken back. */
  const writing = Effect.fnUntraced(function* (change: Partial<Call>) {
    let written = () => {}
    const world = yield* startedWorld({
      interpose: (operation, effect) =>
        Effect.suspend(() => {
          if (operation !== "slots.hold") return effect
          written()
          return Effect.succeed(false)
        }),
    })
    written = () => {
      for (const row of world.calls()) {
        world.write({ put: "call", row: { ...row, ...change, revision: row.revision + 1 } })
      }
    }
    return world
  })

  it.effect("leaves no record where its row was written meanwhile", () =>
    Effect.gen(function* () {
      const world = yield* writing({})
      assert.instanceOf(yield* refusalOf(world, {}), LimitExceeded)
      assert.deepStrictEqual(world.calls(), [])
      assert.deepStrictEqual(world.dials, [])
    }),
  )

  it.effect("leaves the record of a call that was given up meanwhile, and records the answer", () =>
    Effect.gen(function* () {
      const ended = { status: "failed", completed_at: epoch, final_report_at: epoch, due_at: null } as const
      const world = yield* writing(ended)
      assert.instanceOf(yield* refusalOf(world, {}), LimitExceeded)
      assert.deepStrictEqual(
        world.calls().map(({ status, unaudited }) => ({ status, unaudited })),
        [{ status: "failed", unaudited: undefined }],
      )
      assert.deepStrictEqual(world.dials, [])
    }),
  )

  it.effect("books a scheduled call anew, and it is dialled a minute later", () =>
    Effect.gen(function* () {
      const world = yield* losing(1)
      const { call } = yield* world.placed({ scheduled_at: epoch + 5 * 60_000 })
      yield* world.advance(5 * 60_000)
      assert.deepInclude(world.call(call.execution_id), {
        status: "rescheduled",
        scheduled_at: epoch + 6 * 60_000,
        dial: "none",
        slot: null,
      })
      yield* world.advance(2 * 60_000)
      assert.strictEqual(world.call(call.execution_id).status, "completed")
      assert.strictEqual(world.dials.length, 1)
    }),
  )
})

describe("a client that goes away while its dial waits for a line", () => {
  it.effect("leaves the line to others, and nobody is rung for it", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      yield* world.start()
      yield* world.placed({ to_number: numberOf("ordinary") })
      let leave = () => {}
      const whenGone = (listener: () => void) => {
        leave = listener
        return () => {}
      }
      const asking = yield* world.admit(
        Effect.flatMap(Calls, (calls) =>
          calls.place({ ...caller, whenGone }, request({ to_number: numberOf("busy") })),
        ),
      )
      const patient = yield* world.place({ to_number: numberOf("busy") })
      yield* world.advance(1_000)
      leave()
      yield* world.advance(0)
      assert.instanceOf(yield* Effect.flip(answerOf(asking)), LimitExceeded)
      const [first] = world.calls()
      assert(first !== undefined)
      yield* world.advance(60_000)
      assert.instanceOf(yield* Effect.flip(answerOf(patient)), LimitExceeded)
      assert.strictEqual(world.dials.length, 1)
      assert.deepStrictEqual([...world.slots.members()], [])
    }),
  )

  it.effect("gives back the line that it was given in the same moment", () =>
    Effect.gen(function* () {
      const world = worldOf({ ceiling: 1, calls: [] })
      yield* world.start()
      const placed = yield* world.placed({ to_number: numberOf("ordinary") })
      yield* world.advance(14_000)
      let leave = () => {}
      const whenGone = (listener: () => void) => {
        leave = listener
        return () => {}
      }
      const asking = yield* world.admit(
        Effect.flatMap(Calls, (calls) =>
          calls.place({ ...caller, whenGone }, request({ to_number: numberOf("busy") })),
        ),
      )
      yield* world.advance(0)
      const { slot } = world.call(placed.call.execution_id)
      const now = world.now
      world.slots.release(placed.call.execution_id, slot?.fence ?? 0, now)
      leave()
      yield* world.advance(0)
      assert.instanceOf(yield* Effect.flip(answerOf(asking)), LimitExceeded)
      assert.deepStrictEqual([...world.slots.members()], [])
      assert.strictEqual(world.dials.length, 1)
    }),
  )

  /** Rings nobody although a line is to be had, because the client leaves when `operation` has been done. */
  const leavingAfter = (operation: string, options: WorldOptions = {}) =>
    Effect.gen(function* () {
      let leave = () => {}
      const world = yield* startedWorld({
        ...options,
        interpose: (name, effect) => {
          const done = options.interpose?.(name, effect) ?? effect
          return name === operation ? Effect.ensuring(done, Effect.sync(leave)) : done
        },
      })
      const whenGone = (listener: () => void) => {
        leave = listener
        return () => {}
      }
      const asking = yield* world.admit(
        Effect.flatMap(Calls, (calls) => calls.place({ ...caller, whenGone }, request())),
      )
      yield* world.advance(0)
      assert.instanceOf(yield* Effect.flip(answerOf(asking)), LimitExceeded)
      yield* world.advance(60_000)
      assert.deepStrictEqual([world.dials, world.calls(), [...world.slots.members()]], [[], [], []])
    })

  const withoutSlots: WorldOptions = {
    interpose: (name, effect) => (name.startsWith("slots.") ? away : effect),
  }

  it.effect("is not dialled when it leaves while the line is given", () => leavingAfter("slots.acquire"))
  it.effect("is not dialled when it leaves while the call is stored", () => leavingAfter("store.admit"))
  it.effect("is not dialled without a slot store either", () => leavingAfter("store.admit", withoutSlots))

  it.effect("waits no longer without a slot store either", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld({
        ...withoutSlots,
        organization: { concurrency: { organization: 1, per_agent: null, enforced: true } },
      })
      yield* world.placed()
      let leave = () => {}
      const whenGone = (listener: () => void) => {
        leave = listener
        return () => {}
      }
      const asking = yield* world.admit(
        Effect.flatMap(Calls, (calls) => calls.place({ ...caller, whenGone }, request())),
      )
      yield* world.advance(1_000)
      assert.isUndefined(asking.pollUnsafe())
      leave()
      yield* world.advance(0)
      assert.instanceOf(yield* Effect.flip(answerOf(asking)), LimitExceeded)
      yield* world.advance(60_000)
      assert.strictEqual(world.dials.length, 1)
    }),
  )
})
