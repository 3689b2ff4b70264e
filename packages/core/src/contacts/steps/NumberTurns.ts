import { laneOf } from "../../batches/rules/Batch.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { heirsFreed } from "../../calls/steps/CallCommit.ts"
import type { LaneNumber } from "../../engine/rules/Commit.ts"
import { put, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, glance, list, row } from "../../engine/steps/Reading.ts"
import type { ListDescription } from "../../engine/steps/SetDescription.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine, ByRow } from "../../engine/rules/By.ts"
import type { Contact } from "../rules/Contact.ts"
import { waitingForNumber } from "../rules/ContactProgress.ts"
import { heirsTo } from "./ContactReads.ts"

/** The call of a lane to a number that holds a line. */
const callTo: ListDescription<LaneNumber, Call | null> = {
  members: "the call of a lane to a number",
  read: ({ calls }, { lane_id, to_number }) => calls.onNumber(lane_id, to_number),
}

/** A contact as it was looked at, and the number that somebody is in a call with. */
interface Waiting extends ByEngine {
  readonly contact: Contact
  readonly to_number: string
}

/**
 * Sets a contact aside until the call to its number is over. It writes the row of that call, as it is: the end of the call does, too, so neither can
 * overlook the other. Nothing happens where there is no such call, or no longer, or the contact has changed.
 */
export const waitForCall = step({
  name: "contact.wait",
  reads: ({ contact, to_number }: Waiting) =>
    all(
      glance(
        "again",
        "A call that is found is written, and who finds none looks again.",
        list(callTo, { lane_id: laneOf(contact), to_number }),
      ),
      row("contact", contact.contact_id),
    ),
  decide({ contact }, [call, stored], { now }) {
    if (call === null || (stored?.revision ?? 0) !== contact.revision) return unchanged(undefined)
    const changes = [put("contact", stored, waitingForNumber(contact, now)), put("call", call, call)]
    return write(changes, { reply: undefined })
  },
})

/** Lets the next contacts of a lane that wait for a number be dialled where nobody is in a call with it. */
export const freeHeirs = step({
  name: "contact.free",
  whole: "Who has waited the longest is found among the first of each batch of a campaign.",
  reads: ({ lane_id, to_number }: ByRow & LaneNumber) =>
    glance(
      "again",
      "Before a dial it is looked again whether the number is free, and who is freed is written.",
      all(list(callTo, { lane_id, to_number }), list(heirsTo, { lane_id, to_number })),
    ),
  decide(_, [call, heirs], { now }) {
    const [first] = heirs
    if (call !== null || first === undefined) return unchanged(undefined)
    return write(heirsFreed(heirs, now), { by: first, reply: undefined })
  },
})
