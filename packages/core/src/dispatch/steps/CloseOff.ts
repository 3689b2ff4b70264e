import type { SeenHours } from "../../callees/rules/SeenCallee.ts"
import { markOfAgent } from "../../callees/rules/Marks.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { outOfHours } from "../../contacts/rules/ContactProgress.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { agentOfDial } from "../rules/ContactCall.ts"
import type { OutOfHours } from "../rules/Judged.ts"
import { type LaneEntries, openMarks } from "../rules/OpenMarks.ts"

interface Closing extends ByEngine {
  readonly some: ReadonlyArray<OutOfHours>
  /** The hours that bind the calls of their lane, as they were read. */
  readonly hours: SeenHours
  readonly entries: LaneEntries
}

/** The contact as it waits for its callee's hours. Where they are open for others with its mark it came all the same, and would come again at once: then for those of its agent. */
const waitingForHours = (entries: LaneEntries, { dial, mark, row }: OutOfHours, now: number): Contact => {
  const own = markOfAgent(mark, agentOfDial(dial))
  const before = row.contact?.hours_of
  const isOthers = (before === mark || before === own) && openMarks(entries, [mark], now).open.length > 0
  return outOfHours(dial.contact, isOthers ? own : mark, now)
}

/**
 * Sets contacts aside whose callees may not be called at this hour. Whoever changes the hours makes them due anew, and may not be overlooked by who was
 * judged before.
 */
export const closeOff = step({
  name: "contact.close_off",
  reads: ({ hours }: Closing) => seen(hours.expect, "the hours of callees"),
  decide: ({ entries, some }, _, { now }) =>
    write(
      some.map((one) => put("contact", one.row.contact, waitingForHours(entries, one, now))),
      { reply: undefined },
    ),
})
