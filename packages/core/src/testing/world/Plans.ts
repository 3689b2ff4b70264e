import { Engine } from "../../Engine.ts"
import type { Agent } from "../../agents/rules/Agent.ts"
import type { DialCommand } from "../../telephony/rules/Dial.ts"
import { Effect, type Scope } from "effect"
import * as fc from "fast-check"
import type { Script } from "./Carrier.ts"
import { agent, agentId, epoch, ordinary, World, type WorldOptions } from "./World.ts"

const busy = { status: "busy", duration_seconds: null, hangup_by: null, hangup_reason: "dial_busy" } as const

/** What may happen to a dial, by name. */
export const scripts = {
  ordinary,
  busy: {
    end: busy,
    reports: [
      [300, "initiated"],
      [1_000, "ringing"],
      [3_000, "ended"],
      [3_500, "final"],
    ],
  },
  voicemail: { ...ordinary, end: { status: "no-answer", answered_by_voicemail: true, hangup_by: "agent" } },
  slow: {
    acknowledgementMs: 3_000,
    reports: [
      [3_300, "initiated"],
      [4_000, "ringing"],
      [9_000, "answered"],
      [20_000, "ended"],
      [21_000, "final"],
    ],
  },
  fasterThanItsAnswer: { ...ordinary, acknowledgementMs: 2_000 },
  unconfirmedAndLive: { ...ordinary, acknowledgementMs: 3_600_000 },
  unconfirmedAndSilent: {
    acknowledgementMs: 3_600_000,
    reports: [
      [5_000, "ringing"],
      [9_000, "answered"],
      [90_000, "ended"],
      [91_000, "final"],
    ],
    unreported: ["ringing", "answered", "ended", "final"],
  },
  unconfirmedAndNone: { acknowledgementMs: 3_600_000 },
  silentFromRinging: {
    reports: [
      [300, "initiated"],
      [1_000, "ringing"],
      [6_000, "answered"],
      [40_000, "ended"],
      [41_000, "final"],
    ],
    unreported: ["answered", "ended", "final"],
  },
  silentFromAnswer: {
    reports: [
      [1_000, "ringing"],
      [5_000, "answered"],
      [700_000, "ended"],
      [701_000, "final"],
    ],
    unreported: ["ended", "final"],
  },
  withoutFinal: {
    reports: [
      [1_000, "ringing"],
      [5_000, "answered"],
      [15_000, "ended"],
      [16_000, "final"],
    ],
    unreported: ["final"],
  },
  doubled: { reports: [...ordinary.reports, ...ordinary.reports, [30_000, "corrected"], [31_000, "corrected"]] },
  disordered: {
    reports: [
      [300, "answered"],
      [1_000, "initiated"],
      [5_000, "final"],
      [6_000, "ended"],
      [7_000, "ringing"],
    ],
  },
  recovered: {
    reports: [
      [300, "initiated"],
      [1_000, "ringing"],
      [5_000, "answered"],
      [7_000, "recovered"],
      [15_000, "ended"],
      [17_000, "final"],
      [18_000, "analysis"],
    ],
  },
  hangupRefused: { ...ordinary, hangup: "Refused" },
  unreachable: { outcome: { _tag: "Refused", kind: "unreachable" } },
  throttled: { outcome: { _tag: "Refused", kind: "throttled", retryAfterSeconds: 3 } },
  invalidDestination: { outcome: { _tag: "Refused", kind: "invalid_destination" } },
  unconfirmedAndNever: { acknowledgementMs: 3_600_000, asked: { _tag: "NeverDialled" } },
} as const satisfies Readonly<Record<string, Script>>

export type ScriptName = keyof typeof scripts

const names = Object.keys(scripts).filter((name): name is ScriptName => name in scripts)

const prefix = "+155555500"

/** The number whose dials follow a script. */
export const numberOf = (name: ScriptName): string => prefix + String(names.indexOf(name)).padStart(2, "0")

export const scriptOf = ({ to_number }: DialCommand): Script =>
  scripts[names[Number(to_number.slice(prefix.length))] ?? "ordinary"]

export const guardedAgent: Agent = {
  ...agent,
  agent_id: "agt_guarded",
  calling_guard: { enabled: true, timezone: "UTC", start: "10:00", end: "10:30", days: [] },
}

/** A call that somebody will place, and perhaps stop. Times are milliseconds after the beginning and after the placing. */
interface PlannedCall {
  readonly at: number
  readonly script: ScriptName
  readonly agent: string
  readonly scheduledAfter: number | null
  readonly stopAfter: number | null
}

export interface Plan {
  readonly calls: ReadonlyArray<PlannedCall>
  readonly ceiling: number
}

export const plans: fc.Arbitrary<Plan> = fc.record({
  ceiling: fc.integer({ min: 1, max: 4 }),
  calls: fc.array(
    fc.record({
      at: fc.nat(40_000),
      script: fc.constantFrom(...names),
      agent: fc.constantFrom(agentId, agentId, guardedAgent.agent_id),
      scheduledAfter: fc.option(fc.integer({ min: 120_000, max: 150_000 })),
      stopAfter: fc.option(fc.nat(200_000)),
    }),
    { minLength: 1, maxLength: 10 },
  ),
})

/** When whatever was planned is over: the windows have opened and every silent leg has been asked about. */
const horizonMs = 4 * 3_600_000

export const worldOf = (plan: Plan, options: Partial<WorldOptions> = {}): World =>
  new World({
    script: scriptOf,
    organization: { concurrency: { organization: plan.ceiling, per_agent: null, enforced: true } },
    rows: [{ put: "agent", row: guardedAgent }],
    ...options,
  })

/** Starts another engine on the world's rows after the last one died. */
export const restart = (world: World): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    yield* world.start()
    yield* world.admit(Effect.flatMap(Engine, (engine) => engine.rebuildWakeups))
    yield* world.settle()
  })

/** Lets a plan happen, and whatever else is to happen at a moment; an engine that dies on the way is replaced. */
export const play = (
  world: World,
  plan: Plan,
  look: () => void,
  besides: ReadonlyArray<readonly [at: number, happens: Effect.Effect<void>]> = [],
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const advanceTo = Effect.fnUntraced(function* (at: number) {
      do {
        if (world.isDown) yield* restart(world)
        yield* world.advance(epoch + at - world.now, look)
      } while (world.isDown)
    })
    const timeline: Array<readonly [at: number, happens: Effect.Effect<unknown>]> = [...besides]
    for (const [nth, call] of plan.calls.entries()) {
      const { at, script, agent: agent_id, scheduledAfter, stopAfter } = call
      const scheduled_at = scheduledAfter === null ? null : epoch + at + scheduledAfter
      const placing = world.place({ agent_id, to_number: numberOf(script), scheduled_at, variables: { nth } })
      timeline.push([at, placing])
      if (stopAfter === null) continue
      const stopping = Effect.suspend((): Effect.Effect<unknown> => {
        const placed = world.calls().find((row) => row.variables["nth"] === nth)
        return placed === undefined ? Effect.void : world.stop(placed.execution_id)
      })
      timeline.push([at + stopAfter, stopping])
    }
    for (const [at, happens] of timeline.toSorted((a, b) => a[0] - b[0])) {
      yield* advanceTo(at)
      yield* happens
    }
    yield* advanceTo(horizonMs)
  })
