import { Clock, Context, Effect, Layer } from "effect"

/**
 * Domain time in epoch milliseconds: everything durable and every wait that a customer can observe is measured by it.
 * Effect's own `Clock` stays real, because drivers and socket guards run on it.
 */
export class DomainClock extends Context.Service<DomainClock, { readonly now: () => number }>()(
  "@carillon/core/engine/DomainClock",
) {
  /** Domain time that is wall time, but stands still where that is set back: what was found due must stay due. */
  static readonly layer = Layer.effect(
    DomainClock,
    Effect.map(Clock.Clock, (clock) => {
      let latest = -Infinity
      return DomainClock.of({
        now: () => {
          latest = Math.max(latest, clock.currentTimeMillisUnsafe())
          return latest
        },
      })
    }),
  )
}
