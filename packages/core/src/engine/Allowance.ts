import { Effect } from "effect"
import { type Dependency, DependencyTimeout } from "../Errors.ts"
import type { Activity } from "./Activity.ts"
import type { DomainClock } from "./ports/DomainClock.ts"
import type { Parking } from "./Parking.ts"

/** Bounds effects by domain time. */
export type Allowance = <A, E>(ms: number, effect: Effect.Effect<A, E>) => Effect.Effect<A, E | DependencyTimeout>

/** How long a use of a dependency may take in all, however its port behaves; what takes longer is interrupted and fails (1502). */
export const allowance = (
  dependency: Dependency,
  services: {
    readonly activity: Activity["Service"]
    readonly clock: DomainClock["Service"]
    readonly parking: Parking["Service"]
  },
): Allowance => {
  const { activity, clock, parking } = services
  let nth = 0
  return (ms, effect) =>
    Effect.suspend(() => {
      const ticket = parking.park(`allowance:${dependency}:${nth++}`, clock.now() + ms)
      const lapse = Effect.andThen(ticket.wait, Effect.fail(new DependencyTimeout({ dependency })))
      // The wait is tracked with the race and not by itself, so that what follows a lapse counts as open too.
      return activity.track(Effect.ensuring(Effect.raceFirst(effect, lapse), ticket.cancel))
    })
}
