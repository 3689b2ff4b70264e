import { Effect } from "effect"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { makeTriedLater } from "../engine/TriedLater.ts"
import { Wakeups } from "../engine/ports/Wakeups.ts"
import { Gate } from "../limits/Gate.ts"
import { CurrentOutages } from "../operating/Outages.ts"
import type { Desk } from "./Desk.ts"
import { LaneStore } from "./ports/LaneStore.ts"

/** Has the dispatcher look where a line was freed, or the carrier is there again. */
export const hearNews = Effect.fnUntraced(function* (desks: ReadonlyMap<string, Desk>, platformWaits: Set<string>) {
  const lanes = yield* LaneStore
  const gate = yield* Gate
  const wakeups = yield* Wakeups
  const activity = yield* Activity
  const clock = yield* DomainClock

  const look = (organization_id: string) =>
    wakeups.set({ kind: "dispatch", subject: organization_id, at: clock.now(), organization_id })

  const freed = Effect.fnUntraced(function* (organizationId: string) {
    if (yield* lanes.any(organizationId)) yield* look(organizationId)
    for (const waiting of platformWaits) {
      yield* look(waiting)
      platformWaits.delete(waiting)
    }
  })

  /** Organizations whose freed lines nobody could be told of. It may have been the last line that was taken: no other hint may follow. */
  const itself = (organizationId: string) => organizationId
  const tellLater = yield* makeTriedLater("dispatch:untold", { name: itself, organization: itself }, freed)
  gate.onFreed((organizationId) => Effect.catch(freed(organizationId), () => tellLater(organizationId)))

  /** Lanes that wait for a carrier that is there again do so no longer: their wait may be minutes. */
  const carrierIsBack = Effect.suspend(() =>
    Effect.forEach(
      [...desks].flatMap(([organizationId, desk]) => (desk.carrierIsBack(clock.now()) ? [organizationId] : [])),
      look,
      { discard: true },
    ),
  )
  const outages = yield* CurrentOutages
  outages?.whenBack(({ what }) =>
    what === "carrier" || what === "credentials"
      ? Effect.asVoid(activity.fork(Effect.ignore(carrierIsBack)))
      : Effect.void,
  )
})
