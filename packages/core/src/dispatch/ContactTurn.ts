import { Effect } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { ContactCalls } from "../contacts/ContactCalls.ts"
import { isLastHold } from "../contacts/rules/ContactProgress.ts"
import type { ContactRow } from "../contacts/rules/PlacedContact.ts"
import type { Conflict } from "../engine/ports/Store.ts"
import type { PortError } from "../Errors.ts"
import { Withheld } from "../operating/Withheld.ts"
import type { AgentTurns } from "./AgentTurns.ts"
import type { ContactDials } from "./ContactDials.ts"
import type { Desk } from "./Desk.ts"
import type { OpenLane } from "./rules/OpenLane.ts"
import type { Reload } from "./DeskPicture.ts"
import type { Fit, Judged } from "./rules/Judged.ts"
import type { Judge } from "./Judging.ts"
import { makeAlike, makeLeft } from "./LeftContacts.ts"

/** What became of the contact that was next in its lane. */
export type TurnEnd = "started" | "lane_blocked" | "lines_full" | "contact_set_aside"

/** The turn of one contact: what is to be said of it is written, or it is dialled. */
export const makeContactTurn = Effect.fnUntraced(function* (
  judge: Judge,
  dials: ContactDials,
  passOver: AgentTurns["passOver"],
  reload: Reload,
) {
  const contactCalls = yield* ContactCalls
  const withheld = yield* Withheld
  const alike = yield* makeAlike
  const left = yield* makeLeft

  /** So many contacts of the lane are set aside, and it is looked at anew. */
  const aside = (desk: Desk, { lane_id }: OpenLane, contacts: number) =>
    Effect.map(reload(desk, lane_id), () => {
      desk.setAside(lane_id, contacts)
      return "contact_set_aside" as const
    })

  /** One that lacks something waits for it, or its attempt ends. */
  const lacks = Effect.fnUntraced(function* (
    desk: Desk,
    lane: OpenLane,
    judged: Extract<Judged, { _tag: "Held" | "Unfunded" }>,
  ) {
    if (judged._tag === "Unfunded") {
      yield* left.conclude(judged, judged.call, "funds")
      return "wallet"
    }
    const { because, call, dial } = judged
    if (call !== null && isLastHold(dial.contact)) yield* left.conclude(judged, call, because)
    else yield* left.hold(desk, lane, judged)
    return because
  })

  const dialled = Effect.fnUntraced(function* (
    desk: Desk,
    lane: OpenLane,
    batch: Batch,
    fit: Fit,
  ): Effect.fn.Return<TurnEnd, Conflict | PortError> {
    const begun = yield* Effect.uninterruptible(
      Effect.tap(dials.begin(lane, fit), (each) =>
        each._tag === "Begun" ? dials.start(desk, lane, fit, each) : Effect.void,
      ),
    )
    if (begun._tag === "Full") return yield* dials.enterFull(desk, lane, fit, begun)
    if (begun._tag === "Stale") {
      yield* reload(desk, lane.lane_id)
      return "contact_set_aside"
    }
    yield* dials.moveOn(desk, lane, batch)
    return "started"
  })

  const decided = Effect.fnUntraced(function* (
    desk: Desk,
    lane: OpenLane,
    row: ContactRow,
    batch: Batch,
  ): Effect.fn.Return<TurnEnd, Conflict | PortError> {
    const judged = yield* judge(desk, lane, row, batch, 0)
    const { dial } = judged
    switch (judged._tag) {
      case "NotNow":
        yield* left.leave(judged)
        return yield* aside(desk, lane, 1)
      case "Suppressed": {
        const barred = [judged, ...(row.contact === null ? yield* alike.barredAfter(lane, row, batch) : [])]
        yield* left.skip(batch, barred)
        return yield* aside(desk, lane, barred.length)
      }
      case "OutOfHours":
        return yield* aside(desk, lane, yield* left.closeOff(lane, judged, batch))
      case "Capped":
        return yield* aside(desk, lane, yield* left.rest(lane, judged, batch))
      case "NumberLive":
        yield* contactCalls.waitForNumber(dial.contact, row.entry.to_number)
        return yield* aside(desk, lane, 1)
      case "Held":
      case "Unfunded":
        yield* withheld.note(batch.organization_id, "contact", yield* lacks(desk, lane, judged))
        return yield* aside(desk, lane, 1)
      case "AgentFull":
        return yield* passOver(desk, lane, dial, row.contact, judged.agent_id)
      case "Fit":
        return yield* dialled(desk, lane, batch, judged)
    }
  })

  /** Decides over a contact and writes it. Where something has changed meanwhile nothing is written, and its lane is looked at anew. */
  return (desk: Desk, lane: OpenLane, row: ContactRow, batch: Batch) =>
    Effect.catchTag(decided(desk, lane, row, batch), "Conflict", () =>
      Effect.as(reload(desk, lane.lane_id), "contact_set_aside" as const),
    )
})
