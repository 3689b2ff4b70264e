import { Context, Effect, Layer } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { wakeupKinds } from "../engine/rules/Wakeup.ts"
import type { PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { Reconciler } from "../limits/Reconciler.ts"
import { platformCeilingDefault, slotLevels } from "../limits/rules/SlotLevels.ts"
import { limits } from "../Limits.ts"
import { outlasting } from "../operating/Outlasting.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import { metrics } from "./rules/Catalogue.ts"
import { CurrentMeters, type Meters } from "./ports/Meters.ts"

interface SamplerShape {
  /** Asks the stores once for what is measured by asking. What they do not answer in time is not told of until they do. */
  readonly sample: Effect.Effect<void>
  /** Does so for ever, every `limits.sampleMs`; ends at once where nothing is measured. */
  readonly always: Effect.Effect<void>
}

const millisPerSecond = 1_000

/** The gauges whose truth is in the stores: what waits to be handled, lines against ceilings, a hold on dialling. */
export class Sampler extends Context.Service<Sampler, SamplerShape>()("@carillon/core/metrics/Sampler") {
  static readonly layer = Layer.effect(
    Sampler,
    Effect.gen(function* () {
      const meters = yield* CurrentMeters
      if (meters === null) return Sampler.of({ sample: Effect.void, always: Effect.void })
      const wakeups = yield* Wakeups
      const calls = yield* CallStore
      const accounts = yield* AccountStore
      const gate = yield* Gate
      const reconciler = yield* Reconciler
      const clock = yield* DomainClock

      /** Enters an answer, or takes back what was entered before. */
      const entered = <A>(
        ask: Effect.Effect<A, PortError>,
        enter: (meters: Meters, answer: A) => void,
        forget: (meters: Meters) => void,
      ) =>
        Effect.timeout(ask, limits.sampleAnswerMs).pipe(
          Effect.onError(() => Effect.sync(() => forget(meters))),
          Effect.match({ onSuccess: (answer) => enter(meters, answer), onFailure: () => undefined }),
        )

      const backlog = entered(
        Effect.suspend(() => wakeups.backlog(clock.now(), limits.sampledBacklog)),
        (to, found) => {
          const now = clock.now()
          for (const kind of wakeupKinds) {
            const standing = found.find((one) => one.kind === kind)
            to.set(metrics.backlogSize, [kind], standing?.due ?? 0)
            to.set(
              metrics.backlogAge,
              [kind],
              standing === undefined ? 0 : Math.max(0, now - standing.oldest) / millisPerSecond,
            )
          }
        },
        (to) => {
          for (const kind of wakeupKinds) {
            to.forget(metrics.backlogSize, [kind])
            to.forget(metrics.backlogAge, [kind])
          }
        },
      )

      const platform = entered(
        Effect.all([accounts.platform, calls.holding([{ level: "platform", key: "platform", ceiling: null }])]),
        (to, [settings, [used = 0]]) => {
          to.set(metrics.linesUsed, ["platform"], used)
          to.set(metrics.linesCeiling, ["platform"], settings?.concurrency ?? platformCeilingDefault)
          to.set(metrics.diallingHeld, [], settings?.hold === undefined ? 0 : 1)
        },
        (to) => {
          to.forget(metrics.linesUsed, ["platform"])
          to.forget(metrics.linesCeiling, ["platform"])
          to.forget(metrics.diallingHeld, [])
        },
      )

      const fullest = Effect.suspend(() => {
        const most = reconciler.most()
        for (const level of slotLevels) {
          const { used = null } = most.get(level) ?? {}
          if (level === "platform") continue
          if (used === null) meters.forget(metrics.linesUsed, [level])
          else meters.set(metrics.linesUsed, [level], used)
        }
        const organization = most.get("organization")?.organization_id
        const forget = (to: Meters) => to.forget(metrics.linesCeiling, ["organization"])
        if (organization === undefined) return Effect.sync(() => forget(meters))
        return entered(
          gate.lines(organization),
          (to, { limit }) => to.set(metrics.linesCeiling, ["organization"], limit),
          forget,
        )
      })

      const silent = Effect.sync(() => {
        const lines = reconciler.silent()
        if (lines === null) {
          meters.forget(metrics.linesSilent, [])
          meters.forget(metrics.linesSilentAge, [])
          return
        }
        meters.set(metrics.linesSilent, [], lines.calls)
        meters.set(metrics.linesSilentAge, [], lines.since === null ? 0 : (clock.now() - lines.since) / millisPerSecond)
      })

      const parts = [backlog, platform, fullest, silent]
      // Each by itself: what one cannot be asked for keeps nothing of the others.
      const always = parts.map((part) =>
        outlasting(
          "What asks the stores for what is measured",
          Effect.forever(Effect.andThen(part, Effect.sleep(limits.sampleMs))),
          limits.sampleMs,
        ),
      )
      return Sampler.of({
        sample: Effect.all(parts, { discard: true }),
        always: Effect.all(always, { concurrency: "unbounded", discard: true }),
      })
    }),
  )
}
