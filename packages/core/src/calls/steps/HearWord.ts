import type { Callee } from "../../callees/rules/Callee.ts"
import { counterOf } from "../../callees/steps/CalleeReads.ts"
import { meetsCallees } from "../../callees/rules/CalleeErrand.ts"
import { type Suppressible, suppressibleBy, suppressing } from "../../callees/steps/SuppressingEnd.ts"
import type { CallLimits } from "../../CallLimits.ts"
import { type ContactContext, isInAttempt, isLastHold } from "../../contacts/rules/ContactProgress.ts"
import { attemptWithHeirs } from "../../contacts/steps/ContactReads.ts"
import { debit, type Outcome, put, type RowChange, unchanged, write } from "../../engine/rules/Outcome.ts"
import { all, each, glance, type Reading, row } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import type { ByRow } from "../../engine/rules/By.ts"
import type { Organization } from "../../organizations/rules/Organization.ts"
import type { Asked, ReportReceipt } from "../../telephony/rules/Leg.ts"
import type { Call } from "../rules/Call.ts"
import { lastChange, lineBack } from "./CallCommit.ts"
import { survivingCall } from "./CallReads.ts"
import { applyAnswer, applyReport, type LegReport, type ReportOutcome } from "../rules/CallReports.ts"
import { withdrawal } from "./Withdrawal.ts"

/** What the carrier says of a call: by itself, or because it was asked at a time (epoch milliseconds). */
export type Word =
  | { readonly _tag: "Told"; readonly report: LegReport }
  | { readonly _tag: "Asked"; readonly answer: Asked; readonly at: number }

/** What a word may bring to a call: only then are the account and the contact asked, so that their absence holds up nothing else. */
interface Brings {
  readonly cost: boolean
  readonly facts: boolean
  readonly end: boolean
  /** That the dial was never made. */
  readonly nothing: boolean
}

const bringsOf = (word: Word): Brings => {
  if (word._tag === "Asked") return { cost: true, facts: true, end: true, nothing: word.answer._tag === "NeverDialled" }
  const { type } = word.report
  return {
    cost: type === "final" || type === "corrected",
    facts: type === "final" || type === "analysis",
    end: type === "ended" || type === "final",
    nothing: false,
  }
}

interface Hearing extends ByRow {
  readonly execution_id: string
  readonly word: Word
  readonly times: CallLimits
}

interface Heard {
  readonly call: Call
  /** Whose call it is, where its cost or its rules matter. */
  readonly organization: Organization | null
  readonly contact: ContactContext | null
  readonly callee: Callee | null
  readonly suppressible: Suppressible | null
}

const accountOf = ({ organization_id }: Call) =>
  glance(
    "earlier",
    "As if the call had ended before its organization was edited.",
    row("organization", organization_id),
  )

function* heard({ execution_id, word }: Hearing): Reading<Heard | null> {
  const call = yield* survivingCall(execution_id)
  if (call === null) return null
  const brings = bringsOf(word)
  const [[organization = null], [contact = null], [callee = null]] = yield* all(
    each(brings.cost || brings.facts ? [accountOf(call)] : []),
    each(brings.end ? [attemptWithHeirs(call)] : []),
    each(brings.nothing ? [counterOf(call)] : []),
  )
  const suppressible = brings.facts ? yield* suppressibleBy(call, organization) : null
  return { call, organization, contact, callee, suppressible }
}

/** What the word makes of the call. */
const ruled = ({ times, word }: Hearing, { call, organization }: Heard, now: number): ReportOutcome => {
  const currency = organization?.wallet.currency ?? "USD"
  if (word._tag === "Told") return applyReport(call, word.report, now, currency, times)
  // A report that came while the carrier was being asked has moved the time to look.
  return call.due_at === null || call.due_at > now
    ? { call, media: null, debit: 0 }
    : applyAnswer(call, word.answer, now, currency, times, word.at)
}

/** What came with the word beside the call: its transcript, and what it costs. */
const broughtBy = ({ call, debit: cost, media }: ReportOutcome): ReadonlyArray<RowChange> => [
  ...(media === null ? [] : [put("call_media", null, media)]),
  ...(cost > 0 ? [debit(call.organization_id, cost)] : []),
]

/** Whether the carrier's word shows that a contact's dial was never made, and the contact may be held for it as for a carrier that is away. */
const isTakenBack = (before: Call, after: Call, { contact }: ContactContext): boolean =>
  before.dial !== "refused" &&
  after.dial === "refused" &&
  isInAttempt(contact, before.execution_id) &&
  !isLastHold(contact)

/** A call before and after a word, null where its record was taken back. */
interface Changed {
  readonly before: Call
  readonly after: Call | null
}

/** What the carrier says of a call moves it; the last word frees its line. Of a call that nobody knows it is dropped, and what comes again does nothing. */
export const hearWord = step({
  name: "call.hear",
  whole: "Who has waited the longest is found among the first of each batch of a campaign.",
  // A carrier is often so fast that its word comes while what became of the dial is being written.
  awaits: ({ execution_id }: Hearing) => ({ kind: "call", id: execution_id }),
  reads: heard,
  decide(hearing, view, { now }): Outcome<Changed | Exclude<ReportReceipt, "applied">> {
    if (view === null) return unchanged("unknown_execution")
    const { call, callee, contact, suppressible } = view
    const outcome = ruled(hearing, view, now)
    if (outcome.call === call) return unchanged("repeated")
    // There are rules by which its end may suppress a number.
    const met = suppressible === null ? [] : [meetsCallees(call.organization_id)]
    if (contact !== null && isTakenBack(call, outcome.call, contact)) {
      const errands = [...met, ...lineBack(call, null)]
      const reply = { before: call, after: null }
      return write(withdrawal(call, contact, callee, "held", now), { by: call, errands, reply })
    }
    const { changes, said } = lastChange(call, outcome.call, contact, { changes: broughtBy(outcome) })
    return write([...changes, ...suppressing(suppressible, call, outcome.call, now)], {
      ...said,
      by: call,
      errands: [...met, ...said.errands],
      reply: { before: call, after: outcome.call },
    })
  },
})
