import type { Batch } from "../../batches/rules/Batch.ts"
import { isFinishedBatch } from "../../batches/rules/BatchStatus.ts"
import type { Callee, SuppressionScope } from "../../callees/rules/Callee.ts"
import { type Call, isBooked } from "../../calls/rules/Call.ts"
import { isTerminal } from "../../calls/rules/CallStatus.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"
import { hasEnded } from "../../campaigns/rules/CampaignStatus.ts"
import { type Contact, isWaiting } from "../../contacts/rules/Contact.ts"
import { limits } from "../../Limits.ts"
import { figure, type Tally } from "../../tallies/rules/Tally.ts"
import type { Delivery } from "../../webhooks/rules/Delivery.ts"

/** What breaks a law, and how, in words. */
export interface Fault {
  readonly law: string
  readonly detail: string
}

/** A moment at which rows are judged. Nobody is dialled while dialling is held. */
export interface Moment {
  readonly now: number
  readonly isHeld: boolean
}

const isOverdue = (due: number | null, { now }: Moment): boolean => due !== null && now - due > limits.overdueMs

/** A call ends, and what is due of it is looked at. */
export const callFault = (call: Call, moment: Moment): Fault | null => {
  const { due_at, execution_id, folded_into, processing, status } = call
  if (folded_into !== null) return null
  if (isOverdue(processing.due_at, moment)) {
    return { law: "a call's facts are not waited for beyond their time", detail: execution_id }
  }
  if (isTerminal(status)) return null
  const law = "a call that is under way is looked at in time"
  if (due_at === null) return { law, detail: `${execution_id} is ${status}, and nothing is due of it` }
  if (!isOverdue(due_at, moment) || (isBooked(call) && moment.isHeld)) return null
  return { law, detail: `${execution_id} is ${status}, and was due ${moment.now - due_at} ms ago` }
}

/** A contact is in a call only while the call is under way. `last` is its call as it was read before the contact. */
export const attemptFault = ({ contact_id, status }: Contact, last: Call | null): Fault | null => {
  if (status !== "in_progress" || (last !== null && !isTerminal(last.status))) return null
  const by = last === null ? "a call that is not there" : `${last.execution_id}, which is ${last.status}`
  return { law: "a contact's attempt ends with its call", detail: `${contact_id} is in progress by ${by}` }
}

/** Who waits for a time has one; who waits for a number has none. */
export const waitFault = ({ contact_id, eligible_at, status, waits_for_number }: Contact): Fault | null => {
  const hasTime = eligible_at !== null
  if (!isWaiting(status) || hasTime !== waits_for_number) return null
  const law = "who waits knows for what"
  return { law, detail: `${contact_id} is ${status} ${hasTime ? "for a number and a time" : "for nothing"}` }
}

/** Whether all contacts of a batch are over, by its tally. */
const isOver = (batch: Batch, tally: Tally): boolean =>
  figure(tally, "contact:completed") + figure(tally, "contact:failed") + figure(tally, "contact:skipped") ===
  batch.total_contacts

/** A batch is over with its contacts, and a campaign that has ended has none that is not. */
export const batchFault = (batch: Batch, campaign: Campaign | null, tally: Tally): Fault | null => {
  const { batch_id, status } = batch
  if (isFinishedBatch(status)) return null
  if (campaign !== null && hasEnded(campaign)) {
    const detail = `${campaign.campaign_id} is ${campaign.status}, its ${batch_id} is ${status}`
    return { law: "a campaign ends with its batches", detail }
  }
  const goesOn = status === "in_progress" && campaign?.status !== "paused"
  if (!goesOn || !isOver(batch, tally)) return null
  return { law: "a batch without work completes", detail: `${batch_id} is ${status}` }
}

/** A delivery is tried when its time has come. */
export const deliveryFault = ({ delivery_id, due_at, status }: Delivery, moment: Moment): Fault | null => {
  if (status === "delivered" || status === "failed" || !isOverdue(due_at, moment)) return null
  return {
    law: "a webhook is sent in time",
    detail: `${delivery_id} is ${status}, due for ${moment.now - (due_at ?? 0)} ms`,
  }
}

const scopeName = ({ agent_id, campaign_id }: SuppressionScope): string => `${agent_id ?? ""} ${campaign_id ?? ""}`

/** What is said of a number is said once for each scope, and for as many as a number may have. */
export const calleeFault = ({ suppressions }: Callee): Fault | null => {
  const law = "a number is suppressed once for a scope"
  const scopes = new Set(suppressions.map(scopeName))
  const ofBoth = suppressions.filter(({ agent_id, campaign_id }) => agent_id !== null && campaign_id !== null)
  // The number itself is nobody's to read in a report.
  if (scopes.size < suppressions.length) {
    return { law, detail: `a number has ${suppressions.length} suppressions for ${scopes.size} scopes` }
  }
  if (ofBoth.length > 0) return { law, detail: "a suppression is for an agent and for a campaign" }
  if (suppressions.length <= limits.suppressionsPerNumber) return null
  return { law, detail: `a number has ${suppressions.length} suppressions` }
}
