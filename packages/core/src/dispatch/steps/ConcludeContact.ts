import type { SeenCallee } from "../../callees/rules/SeenCallee.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { callChange } from "../../calls/steps/CallCommit.ts"
import { unfunded } from "../../calls/rules/DialOutcomes.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { afterCall, dialled } from "../../contacts/rules/ContactProgress.ts"
import { heirsFreed } from "../../calls/steps/CallCommit.ts"
import { put, write } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import type { ContactDial } from "../rules/ContactCall.ts"
import { asDialled } from "./DialContact.ts"
import type { Lack } from "../rules/Judged.ts"
import { underWay } from "../rules/UnderWay.ts"

interface Concluding extends ByEngine {
  /** As it was read; null where nobody has touched it. */
  readonly stored: Contact | null
  readonly dial: ContactDial
  readonly call: Call
  /** What it has lacked for the last time, or that the wallet cannot carry the call. */
  readonly because: Lack | "funds"
  /** Who waits for its number. */
  readonly heirs: ReadonlyArray<Contact>
  readonly callee: SeenCallee
}

const lacking: { readonly [because in Lack]: string } = {
  agent: "The agent was not active.",
  wallet: "The wallet could not carry the call.",
  caller_id: "No phone number to call from was registered to the organization any more.",
}

/** The last hold of a row counts as an attempt that ended in error, without anybody having been rung. */
const burned = (call: Call, error: string, now: number): Call => ({
  ...call,
  status: "error",
  error,
  dial: "refused",
  completed_at: now,
  final_report_at: now,
})

/** Ends an attempt on a contact without anybody having been rung. */
export const concludeContact = step({
  name: "contact.conclude",
  reads: ({ callee, dial }: Concluding) =>
    seen([...asDialled(dial), ...callee.expect], "its batch and its campaign; what is known of its number"),
  decide({ because, call, dial, heirs, stored }, _, { now }) {
    const ended = because === "funds" ? unfunded(call, now) : burned(call, lacking[because], now)
    const contact = dialled(dial.contact, call.execution_id)
    // A commit writes a row once, so the call is new and over at the same time, and so is the contact's attempt.
    const after = afterCall({ ...dial, contact }, call, ended, now) ?? contact
    const { changes, said } = callChange(null, ended)
    const begun = underWay(dial, now)
    return write(
      [
        ...changes,
        put("contact", stored, after),
        // It had its turn.
        ...heirsFreed(heirs, now),
        ...begun.changes,
      ],
      { ...said, wakeups: begun.wakeups, reply: undefined },
    )
  },
})
