import type { SeenHours } from "../../callees/rules/SeenCallee.ts"
import { putOff } from "../../contacts/rules/ContactProgress.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { Capped } from "../rules/Judged.ts"

interface Resting extends ByEngine {
  readonly some: ReadonlyArray<Capped>
  /** With call caps, as they were read. */
  readonly hours: SeenHours
}

/** Sets contacts aside whose numbers were called as often as may be, until they may be called again. Whose dial is taken back meanwhile waits for nothing any more. */
export const restContacts = step({
  name: "contact.rest",
  reads: ({ hours, some }: Resting) =>
    seen(
      [...some.flatMap(({ callee }) => callee.expect), ...hours.expect],
      "what is known of their numbers; call caps",
    ),
  decide: ({ some }) =>
    write(
      some.map(({ dial, row, until }) => put("contact", row.contact, putOff(dial.contact, until))),
      { reply: undefined },
    ),
})
