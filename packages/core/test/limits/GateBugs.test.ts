import { assert, describe, it } from "@effect/vitest"
import { limits } from "@carillon/core"
import { holdsLine } from "@carillon/core/ports"
import { MemorySlots } from "@carillon/core/memory"
import { Effect, Exit } from "effect"
import { assertOver, laws } from "../../src/testing/world/Laws.ts"
import { numberOf, restart, type ScriptName, scriptOf, worldOf } from "../../src/testing/world/Plans.ts"
import { agent, answerOf, away, World, type WorldOptions } from "../../src/testing/world/World.ts"

/** Time within which whatever a crash left behind is put right: the reservation lapses, then two ticks. */
const repairMs = limits.reservationMs + 2 * limits.reconcileMs

const startedWorld = Effect.fnUntraced(function* (ceiling: number, options: Partial<WorldOptions> = {}) {
  const world = worldOf({ ceiling, calls: [] }, options)
  yield* world.start()
  return world
})

const dial = (world: World, script: ScriptName) => world.place({ to_number: numberOf(script) })

const membersOf = (world: World) => [...world.slots.members()].map((member) => member.execution_id)

/** What other dispatchers got wrong, each by the number under which its users reported it. */
describe("bugs that others had", () => {
  it.effect("Hatchet #4494: a line that is lost between two writes does not stay lost, wherever the engine dies", () =>
    Effect.gen(function* () {
      let deaths = 0
      for (let use = 0; ; use++) {
        for (const happens of [false, true]) {
          let uses = 0
          const slots = new MemorySlots.SlotTable()
          const world: World = worldOf(
            { ceiling: 1, calls: [] },
            {
              slots,
              interpose: (_, effect) => {
                if (uses++ !== use) return effect
                const end = Effect.andThen(
                  Effect.sync(() => world.kill()),
                  Effect.never,
                )
                return happens ? Effect.andThen(effect, end) : end
              },
            },
          )
          yield* world.start()
          const look = laws(world, 1)
          yield* dial(world, "ordinary")
          yield* world.advance(30_000, look)
          if (!world.isDown) {
            assert.isAbove(deaths, 30)
            return
          }
          deaths += 1
          yield* restart(world)
          yield* world.advance(repairMs, look)
          const held = world
            .calls()
            .filter(holdsLine)
            .map((call) => call.execution_id)
          assert.deepStrictEqual(membersOf(world), held, `after a death at use ${use}`)
          yield* world.advance(600_000, look)
          assertOver(world)
        }
      }
    }).pipe(Effect.scoped),
  )

  it.effect("Hatchet #4778: capacity is counted, whichever of the calls ends first", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(2)
      const look = laws(world, 2)
      yield* dial(world, "silentFromAnswer")
      for (let nth = 0; nth < 5; nth++) {
        const placing = yield* dial(world, "busy")
        yield* world.advance(1, look)
        yield* answerOf(placing)
        assert.strictEqual(world.carrier.live().length, 2)
        yield* world.advance(4_000, look)
        assert.strictEqual(world.carrier.live().length, 1)
      }
    }),
  )

  it.effect("Inngest #4766: a line never expires under a call that may be live, however long nothing is heard", () =>
    Effect.gen(function* () {
      let isMute = true
      const world = yield* startedWorld(1, {
        script: (command) => ({ ...scriptOf(command), asked: { _tag: isMute ? "NoAnswer" : "Unknown" } }),
      })
      const look = laws(world, 1)
      yield* dial(world, "silentFromRinging")
      yield* world.advance(12 * 3_600_000, look)
      const refused = yield* dial(world, "ordinary")
      yield* world.advance(limits.directDialWaitMs, look)
      assert(Exit.isFailure(yield* Effect.exit(answerOf(refused))))
      assert.strictEqual(world.dials.length, 1)
      // Only the carrier's word that it knows no such leg frees the line.
      isMute = false
      yield* world.advance(limits.questionBackoffMaxMs, look)
      assertOver(world)
    }),
  )

  it.effect(
    "BullMQ #3929, Trigger.dev #4540: a release that is lost wedges nothing for longer than it takes to send it again",
    () =>
      Effect.gen(function* () {
        let lost = 0
        const world = yield* startedWorld(1, {
          interpose: (operation, effect) => {
            if (operation !== "slots.release" || lost > 0) return effect
            lost += 1
            return away
          },
        })
        const look = laws(world, 1)
        yield* dial(world, "busy")
        while (lost === 0) yield* world.advance(100, look)
        assert.strictEqual(membersOf(world).length, 1)
        yield* world.advance(limits.releaseRetryMs, look)
        assert.deepStrictEqual(membersOf(world), [])
        yield* world.placed({ to_number: numberOf("ordinary") })
        assert.strictEqual(world.dials.length, 2)
      }),
  )

  it.effect("Prefect #21794: what the slot store holds too much or too little is put right by the rows", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(3)
      const look = laws(world, 3)
      const { call } = yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const [member] = [...world.slots.members()]
      assert(member !== undefined)
      world.slots.release(member.execution_id, member.fence, world.now)
      world.slots.restore({ ...member, execution_id: "exec_never_written", fence: 77 })
      yield* world.advance(limits.reconcileMs)
      assert.sameMembers(membersOf(world), [call.execution_id, "exec_never_written"])
      yield* world.advance(limits.reconcileMs)
      assert.deepStrictEqual([...world.slots.members()], [{ ...member, state: "held", reserved_until: 0 }])
      look()
    }),
  )

  it.effect("Clowder, Runfusion: the reconciler never takes a line from a holder that is newer than what it saw", () =>
    Effect.gen(function* () {
      const world = yield* startedWorld(3)
      yield* world.placed({ to_number: numberOf("silentFromAnswer") })
      const [member] = [...world.slots.members()]
      assert(member !== undefined)
      const stray = { ...member, execution_id: "exec_never_written" }
      world.slots.restore({ ...stray, fence: 77 })
      yield* world.advance(limits.reconcileMs)
      // Seen once under another fence: that is another holder.
      world.slots.release(stray.execution_id, 77, world.now)
      world.slots.restore({ ...stray, fence: 78 })
      yield* world.advance(limits.reconcileMs)
      assert.include(membersOf(world), stray.execution_id)
      yield* world.advance(limits.reconcileMs)
      assert.notInclude(membersOf(world), stray.execution_id)
    }),
  )

  for (const isAway of [false, true]) {
    it.effect(
      `LangWatch #4209: dials that their agent blocks starve nobody behind them${isAway ? ", without a slot store too" : ""}`,
      () =>
        Effect.gen(function* () {
          const agents = ["agt_a", "agt_b", "agt_c"].map((agent_id) => ({ ...agent, agent_id }))
          const world = new World({
            script: scriptOf,
            organization: { concurrency: { organization: 2, per_agent: 1, enforced: true } },
            rows: agents.map((row) => ({ put: "agent" as const, row })),
            interpose: (operation, effect) => (isAway && operation.startsWith("slots.") ? away : effect),
          })
          yield* world.start()
          const place = (agent_id: string, script: ScriptName) => world.place({ agent_id, to_number: numberOf(script) })
          yield* place("agt_a", "silentFromAnswer")
          yield* world.advance(0)
          yield* place("agt_b", "busy")
          yield* world.advance(0)
          for (let nth = 0; nth < 4; nth++) yield* place("agt_a", "ordinary")
          yield* world.advance(0)
          const last = yield* place("agt_c", "ordinary")
          yield* world.advance(3_500)
          assert.strictEqual((yield* answerOf(last))._tag, "Queued")
          assert.deepStrictEqual(
            world.dials.map((command) => command.agent_id),
            ["agt_a", "agt_b", "agt_c"],
          )
        }),
    )
  }

  it.effect("Hatchet #4804: after a restart no dial waits for lines that only waiting dials hold", () =>
    Effect.gen(function* () {
      const slots = new MemorySlots.SlotTable()
      const world = yield* startedWorld(1, { slots, interpose: (_, effect) => effect })
      yield* dial(world, "busy")
      yield* world.advance(0)
      for (let nth = 0; nth < 3; nth++) yield* dial(world, "ordinary")
      yield* world.advance(100)
      // Three dials stand in line, and the engine that would serve them is gone.
      world.kill()
      yield* restart(world)
      yield* world.advance(repairMs + 3_500)
      yield* world.placed({ to_number: numberOf("ordinary") })
      assert.strictEqual(world.dials.length, 2)
      yield* world.advance(30_000)
      assertOver(world)
    }),
  )
})
