import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { Conflict } from "../engine/ports/Store.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { type Callee, calleeId, calleeOf } from "./rules/Callee.ts"
import { CalleeStore } from "./ports/CalleeStore.ts"
import type { HoursSetting } from "./rules/HoursRow.ts"
import { zonesAtHand } from "./ZonesAtHand.ts"
import type { SeenCallee, SeenHours } from "./rules/SeenCallee.ts"

/** A number that is about to be called. */
type Called = Pick<Callee, "organization_id" | "to_number">

/** The callee of a number as it was read, null for none. */
export const calleeAsRead = ({ organization_id, to_number }: Called, callee: Callee | null): SeenCallee => ({
  callee,
  expect: [{ kind: "callee", id: calleeId(organization_id, to_number), revision: callee?.revision ?? 0 }],
})

export interface CalleesShape {
  /** The callee as it stands; nothing is read, and it is taken that there is none, while none of its organization was met. */
  readonly look: (called: Called) => Effect.Effect<SeenCallee, PortError>
  /** The same of several numbers of an organization, by number; those are left out of which nothing is known. */
  readonly several: (
    organizationId: string,
    toNumbers: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, Callee>, PortError>
  /** The same, read whatever was met: for what becomes of a call that is not dialled. */
  readonly sure: (called: Called) => Effect.Effect<SeenCallee, PortError>
  /** The callee as it stands, read whatever was met: for what is not in a dial's commit. */
  readonly read: (called: Called) => Effect.Effect<Callee | null, PortError>
  /** The callee hours as they stand; nothing is read, and it is taken that there are none, while none of the organization were met. */
  readonly hours: (organizationId: string) => Effect.Effect<SeenHours, PortError>
  /** The same, read whatever was met. Openings will be looked for from an instant on: now, where none is given. */
  readonly sureHours: (organizationId: string, from?: number) => Effect.Effect<SeenHours, PortError>
  /** Remembers that an organization has callees. */
  readonly met: (organizationId: string) => void
  /** Remembers what a dial was refused for, if it was its callee. */
  readonly refused: (conflict: Conflict) => void
}

/**
 * What a dial sees of whom it calls. Its commit has the last word: so a process that has not met a callee of an organization looks for none
 * before it. It may forget which it has met; then it is refused once more.
 */
export class Callees extends Context.Service<Callees, CalleesShape>()("@carillon/core/callees/Callees") {
  static readonly layer = Layer.effect(
    Callees,
    Effect.gen(function* () {
      const store = yield* CalleeStore
      const clock = yield* DomainClock
      const known = new Set<string>()
      const haveHours = new Set<string>()
      /** What was read last of organizations: while its revision is the same it is the same value, by which others remember what follows from it. */
      const settings = new Map<string, HoursSetting>()

      const met = (organizationId: string): void => {
        if (known.size >= limits.cachedOrganizations) known.clear()
        known.add(organizationId)
      }

      const metHours = (organizationId: string): void => {
        if (haveHours.size >= limits.cachedOrganizations) haveHours.clear()
        haveHours.add(organizationId)
      }

      const hoursSeen = (organizationId: string, setting: HoursSetting | null): SeenHours => ({
        setting,
        expect: [{ kind: "callee_hours", id: organizationId, revision: setting?.revision ?? 0 }],
      })

      const sureHours: CalleesShape["sureHours"] = Effect.fnUntraced(function* (organizationId, from = clock.now()) {
        const found = yield* store.hours(organizationId)
        if (found === null) return hoursSeen(organizationId, null)
        yield* zonesAtHand(from)
        metHours(organizationId)
        const before = settings.get(organizationId)
        if (before?.revision === found.revision) return hoursSeen(organizationId, before)
        if (settings.size >= limits.cachedOrganizations) settings.clear()
        settings.set(organizationId, found)
        return hoursSeen(organizationId, found)
      })

      const read: CalleesShape["read"] = ({ organization_id, to_number }) => store.find(organization_id, to_number)

      const sure: CalleesShape["sure"] = (called) =>
        Effect.map(read(called), (callee) => {
          if (callee !== null) met(called.organization_id)
          return calleeAsRead(called, callee)
        })

      return Callees.of({
        look: (called) =>
          Effect.suspend(() =>
            known.has(called.organization_id) ? sure(called) : Effect.succeed(calleeAsRead(called, null)),
          ),
        several: (organizationId, toNumbers) =>
          Effect.suspend(() =>
            known.has(organizationId) ? store.several(organizationId, toNumbers) : Effect.succeed([]),
          ).pipe(Effect.map((found) => new Map(found.map((callee) => [callee.to_number, callee])))),
        sure,
        read,
        hours: (organizationId) =>
          Effect.suspend(() =>
            haveHours.has(organizationId) ? sureHours(organizationId) : Effect.succeed(hoursSeen(organizationId, null)),
          ),
        sureHours,
        met,
        refused: ({ id, kind }) => {
          if (kind === "callee") met(calleeOf(id).organization_id)
          if (kind === "callee_hours") metHours(id)
        },
      })
    }),
  )
}
