import type { SeenHours } from "../callees/SeenCallee.ts"
import { putOff } from "../contacts/ContactProgress.ts"
import { put, write } from "../engine/Outcome.ts"
import { seen } from "../engine/Reading.ts"
import { step } from "../engine/Step.ts"
import type { ByEngine } from "../engine/By.ts"
import type { Capped } from "./Judged.ts"

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
