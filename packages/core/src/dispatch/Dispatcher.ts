import { Context, Effect, Layer } from "effect"
import { CallStore } from "../calls/ports/CallStore.ts"
import { ContactStore } from "../contacts/ports/ContactStore.ts"
import { Activity } from "../engine/Activity.ts"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import type { PortError } from "../Errors.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { Dialling } from "../telephony/Dialling.ts"
import { makeAgentTurns } from "./AgentTurns.ts"
import { isFirstDial, makeContactDials } from "./ContactDials.ts"
import { makeContactTurn } from "./ContactTurn.ts"
import { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import { makePicture, turnsOf } from "./DeskPicture.ts"
import { makeDialInARow } from "./DialInARow.ts"
import type { Beside, FairShareVerdict } from "./rules/FairShare.ts"
import { hearNews } from "./FreedNews.ts"
import { makeJudge } from "./Judging.ts"
import { least } from "./rules/Lane.ts"

interface DispatcherShape {
  /**
   * Starts every call of the organization's contacts for which there is a line, as long as it may go on; returns when to look again, or
   * null. Only who has claimed the organization's dispatch may run it.
   */
  readonly run: (organizationId: string, mayGoOn: () => boolean) => Effect.Effect<number | null, PortError>
  /** How fair share stands to one more call of the lane now. */
  readonly verdict: (organizationId: string, laneId: string) => Effect.Effect<FairShareVerdict, PortError>
  /** What takes lines of the organization beside the lane now. */
  readonly beside: (organizationId: string, laneId: string) => Effect.Effect<Beside, PortError>
}

/** Each choice of a caller ID rests on the call before. */
const isLeastLoaded = ({ campaign }: OpenLane): boolean => campaign?.phone_number_strategy === "least_loaded"

/**
 * The only one that takes turns among an organization's campaigns (decisions.md, "Fair share, exactly"). It runs when something has
 * happened: a line was freed, a contact came due, a window opened, a campaign changed. It never scans.
 */
export class Dispatcher extends Context.Service<Dispatcher, DispatcherShape>()("@carillon/core/dispatch/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const calls = yield* CallStore
      const gate = yield* Gate
      const dialling = yield* Dialling
      const activity = yield* Activity
      const clock = yield* DomainClock
      const desks = new Map<string, Desk>()
      /** Organizations that could not have a line because the platform had none: any line that is freed is for them. */
      const platformWaits = new Set<string>()
      yield* hearNews(desks, platformWaits)
      const { refresh, reload } = yield* makePicture
      const { passedIn, passOver, reroute } = yield* makeAgentTurns(reload)
      const judge = yield* makeJudge
      const dials = yield* makeContactDials(platformWaits, reload, passOver)
      const dial = yield* makeContactTurn(judge, dials, passOver, reload)
      const dialInARow = yield* makeDialInARow(judge, dials, reload)

      const deskOf = (organizationId: string): Desk => {
        const known = desks.get(organizationId)
        if (known !== undefined) return known
        const desk = new Desk()
        desks.set(organizationId, desk)
        return desk
      }

      /** Gives lines to whose turn it is: one, or as many of `most` as the only lane that waits can have. Returns how many contacts that took. */
      const give = Effect.fnUntraced(function* (organizationId: string, desk: Desk, most: number) {
        const turn = desk.next()
        const lane = turn === null ? undefined : desk.lanes.get(turn.id)
        if (turn === null || lane === undefined) return null
        const { batchIds, moment } = turnsOf(lane, clock.now())
        const passed = yield* passedIn(desk, organizationId, lane)
        const tried = desk.waits.triesUnheld(lane.lane_id)
          ? yield* contacts.next(batchIds, moment, passed, "unheld")
          : null
        const row = tried ?? (yield* contacts.next(batchIds, moment, passed, "all"))
        if (row === null && passed.length > 0) {
          desk.agents.waitFor(lane, [...new Set(passed.map(({ agent_id }) => agent_id))])
          return 1
        }
        const batch = row === null ? undefined : lane.batches.get(row.batch_id)
        if (row === null || batch === undefined) {
          yield* reload(desk, lane.lane_id)
          return 1
        }
        const inARow = Math.min(most, limits.dispatchTogether, desk.inARow(lane))
        const isPlain = row.contact === null && !isFirstDial(lane, batch) && !isLeastLoaded(lane)
        if (inARow > 1 && isPlain && tried === null) {
          const { taken, isFull } = yield* dialInARow(desk, lane, row, batch, inARow)
          if (isFull) return null
          if (taken > 0) return taken
        }
        const step = yield* dial(desk, lane, row, batch)
        if (step === "started") turn.take()
        return step === "lines_full" ? null : 1
      })

      /** Where contacts wait for a line, when to look whether a ceiling was raised or a lost line found meanwhile: nobody else would say so. */
      const lookAgain = (desk: Desk): number | null => {
        if (!desk.waiting && !desk.isBlocking) {
          desk.lookAgainAt = Infinity
          return null
        }
        const now = clock.now()
        if (desk.lookAgainAt <= now || desk.lookAgainAt === Infinity) desk.lookAgainAt = now + limits.dispatchLookMs
        return desk.lookAgainAt
      }

      const round = Effect.fnUntraced(function* (organizationId: string, desk: Desk, mayGoOn: () => boolean) {
        platformWaits.delete(organizationId)
        if (clock.now() >= desk.lookAgainAt) yield* gate.lapse
        yield* refresh(organizationId, desk)
        if (clock.now() >= desk.lookAgainAt) {
          desk.unblock()
          yield* reroute(desk, organizationId)
        }
        for (const { agent_id, max } of desk.agents.full) {
          const [used = 0] = yield* calls.holding([{ level: "agent", key: agent_id, ceiling: null }])
          if (used < max || clock.now() >= desk.lookAgainAt) desk.agents.unblock(agent_id)
        }
        let left: number = limits.dispatchBurst
        while (left > 0 && mayGoOn()) {
          const given = yield* give(organizationId, desk, left)
          if (given === null) break
          left -= given
        }
        // Whoever has it now says so.
        if (!mayGoOn()) return clock.now()
        yield* gate.want(organizationId, desk.waiting)
        if (left === 0) return clock.now()
        const platformLook = platformWaits.has(organizationId) ? clock.now() + limits.platformLookMs : null
        return least(desk.due.peek()?.at ?? null, lookAgain(desk), platformLook)
      })

      /** Reads from the picture of the organization as it is now. */
      const seen = <A>(organizationId: string, read: (desk: Desk) => A) => {
        const desk = deskOf(organizationId)
        return activity.inTurn(
          desk.turn,
          Effect.map(refresh(organizationId, desk), () => read(desk)),
        )
      }

      return Dispatcher.of({
        run: (organizationId, mayGoOn) =>
          Effect.flatMap(dialling.standing, (hold) => {
            if (hold !== null) return Effect.succeed(clock.now() + limits.heldLookMs)
            const desk = deskOf(organizationId)
            return activity.inTurn(desk.turn, round(organizationId, desk, mayGoOn))
          }),
        verdict: (organizationId, laneId) => seen(organizationId, (desk) => desk.verdict(laneId)),
        beside: (organizationId, laneId) => seen(organizationId, (desk) => desk.beside(laneId)),
      })
    }),
  )
}
