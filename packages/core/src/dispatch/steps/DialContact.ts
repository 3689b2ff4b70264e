import type { Agent } from "../../agents/rules/Agent.ts"
import { agentAsRead } from "../../agents/rules/AgentAsRead.ts"
import type { SeenCallee, SeenHours } from "../../callees/rules/SeenCallee.ts"
import { countingDial } from "../../callees/steps/CountedDials.ts"
import { dialsCall, type Lined } from "../../calls/rules/DialErrand.ts"
import { callChange } from "../../calls/steps/CallCommit.ts"
import type { Contact } from "../../contacts/rules/Contact.ts"
import { dialled } from "../../contacts/rules/ContactProgress.ts"
import type { Expectation } from "../../engine/rules/Commit.ts"
import { asks, put, type RowChange } from "../../engine/rules/Outcome.ts"
import { seen } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByEngine } from "../../engine/rules/By.ts"
import { stillRegistered } from "../../numbers/steps/CallerIds.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import type { ContactDial } from "../rules/ContactCall.ts"
import { batchAsRead, campaignAsRead, type DialledFor, isBegun, underWay } from "../rules/UnderWay.ts"

interface Dialling extends ByEngine, Lined {
  /** As it was read; null where nobody has touched it. */
  readonly stored: Contact | null
  readonly dial: ContactDial
  readonly lane_id: string
  /** From when on it may not ring any more (epoch milliseconds). */
  readonly until: number
  /** How far the cursor of the lane's caller IDs moves. */
  readonly advance: number
  readonly number: PhoneNumber | null
  /** Who makes the call, and for whom. */
  readonly agents: ReadonlyArray<Agent>
  /** The experiment that chose who makes it, as it was read. */
  readonly routing: ReadonlyArray<Expectation>
  readonly callee: SeenCallee
  readonly hours: SeenHours
}

/** The batch and campaign that a dial rests on; the first one writes them. */
export const asDialled = ({ batch, campaign }: DialledFor): ReadonlyArray<Expectation> => [
  ...(isBegun(campaign) ? campaignAsRead(campaign) : []),
  ...(batch.started_at === null ? [] : [batchAsRead(batch)]),
]

/** Claims a contact with its call, which is dialled then. The dialler writes it with the line that it has for it. */
export const dialContact = step({
  name: "contact.dial",
  reads: ({ agents, callee, dial, hours, lane_id, number, placed: { to_number }, routing }: Dialling) =>
    seen(
      [
        ...asDialled(dial),
        // Another process may have begun a call to the number.
        { free: { lane_id, to_number } },
        ...routing,
        ...callee.expect,
        ...hours.expect,
        ...agents.map(agentAsRead),
        ...(number === null ? [] : [stillRegistered(number)]),
      ],
      "its batch and its campaign; its number, free in its lane; the experiment that routes it; what is known of its number; the hours of callees; both agents; its caller ID",
    ),
  decide(dialling, _, { now }) {
    const { advance, callee, dial, hours, lane_id, placed, stored } = dialling
    const { call, changes, said } = callChange(null, placed)
    const begun = underWay(dial, now)
    const moved: ReadonlyArray<RowChange> =
      advance === 0 ? [] : [{ put: "tally", subject: lane_id, add: { phone_number_index: advance } }]
    return asks(
      dialsCall({ ...dialling, placed: call, before: null }),
      [
        ...changes,
        put("contact", stored, dialled(dial.contact, placed.execution_id)),
        ...begun.changes,
        ...countingDial(hours.setting?.caps, callee.callee, placed),
        ...moved,
      ],
      { ...said, wakeups: begun.wakeups },
    )
  },
})
