import { limits } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { settlesBatch } from "../../src/batches/rules/BatchErrand.ts"
import { agentAsRead } from "../../src/agents/rules/AgentAsRead.ts"
import { calleeAsRead } from "../../src/callees/Callees.ts"
import { dialsCall } from "../../src/calls/rules/DialErrand.ts"
import { callChange } from "../../src/calls/steps/CallCommit.ts"
import { unfunded } from "../../src/calls/rules/DialOutcomes.ts"
import {
  crowded,
  dialled,
  held,
  notFollowedUp,
  numberFree,
  passedOver,
  putOff,
  putOffForDay,
  skipped,
  untouched,
} from "../../src/contacts/rules/ContactProgress.ts"
import { contactId } from "../../src/contacts/rules/Contact.ts"
import { readBefore } from "../../src/engine/steps/Grounds.ts"
import { put, write } from "../../src/engine/rules/Outcome.ts"
import type { Reading } from "../../src/engine/steps/Reading.ts"
import { closeOff } from "../../src/dispatch/steps/CloseOff.ts"
import { concludeContact } from "../../src/dispatch/steps/ConcludeContact.ts"
import { callOf } from "../../src/dispatch/rules/ContactCall.ts"
import { dialContact } from "../../src/dispatch/steps/DialContact.ts"
import { holdContact } from "../../src/dispatch/steps/HoldContact.ts"
import { leaveContact } from "../../src/dispatch/steps/LeaveContact.ts"
import { entriesOf } from "../../src/dispatch/rules/OpenMarks.ts"
import { crowdOut, passOverContact } from "../../src/dispatch/steps/PassOverContact.ts"
import { restContacts } from "../../src/dispatch/steps/RestContacts.ts"
import { skipContacts } from "../../src/dispatch/steps/SkipContacts.ts"
import { stillRegistered } from "../../src/numbers/steps/CallerIds.ts"
import {
  sampleAgent,
  sampleBatch,
  sampleCallee,
  sampleCampaign,
  sampleCaps,
  sampleHours,
  samplePhoneNumber,
} from "../../src/testing/Samples.ts"
import { momentAt } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const to_number = "+14155550100"
const agent = sampleAgent(organization_id, { revision: 2 })
const campaign = sampleCampaign(organization_id, { status: "active", revision: 3 })
const batch = sampleBatch(organization_id, {
  campaign_id: campaign.campaign_id,
  revision: 5,
  started_at: 1,
  agent_id: agent.agent_id,
})
const contact = untouched(batch, contactId(batch.batch_id, 1), 1)
const stored = null
const entry = { to_number, variables: {} }
const dial = { contact, entry, batch, campaign }
const row = { batch_id: batch.batch_id, row: 1, entry, contact: null }
const call = callOf(dial, "exec_one", agent, null, now)
const callee = calleeAsRead({ organization_id, to_number }, sampleCallee(organization_id, { to_number, revision: 7 }))
const hours = {
  setting: sampleHours(organization_id, { revision: 4 }),
  expect: [{ kind: "callee_hours" as const, id: organization_id, revision: 4 }],
}
const heir = { ...untouched(batch, contactId(batch.batch_id, 2), 2), revision: 1, waits_since: 1 }

const batchRead = { kind: "batch", id: batch.batch_id, revision: 5 } as const
const campaignRead = { kind: "campaign", id: campaign.campaign_id, revision: 3 } as const

/** What a proposal expects of what was read before, whatever it writes. */
const expectedBy = (reading: Reading<unknown>) => readBefore(reading)[1].expected(new Set())

describe("a contact that is not dialled now", () => {
  it("is held, as long as nothing more is known of its number", () => {
    const asked = { organization_id, stored, contact, because: "wallet" as const, callee }
    const change = put("contact", stored, held(contact, "wallet", now))
    assert.deepStrictEqual(expectedBy(holdContact.reads(asked)), callee.expect)
    const { answer, changes } = holdContact.decide(asked, undefined, at)
    assert.deepStrictEqual(changes, [change])
    assert.deepNestedInclude(answer, { success: change.row })
  })

  it("is passed over, or crowded out for a while", () => {
    const asked = { organization_id, stored, contact }
    assert.deepStrictEqual(passOverContact.decide(asked, [], at).changes, [
      put("contact", stored, passedOver(contact, now)),
    ])
    assert.deepStrictEqual(crowdOut.decide(asked, [], at).changes, [
      put("contact", stored, crowded(contact, now + limits.crowdedMs)),
    ])
  })

  it("is put off, or over; then whoever waits for its number has the turn", () => {
    const later = { organization_id, stored, dial, at: now + 1, heirs: [] }
    assert.deepStrictEqual(expectedBy(leaveContact.reads(later)), [batchRead, campaignRead])
    assert.deepStrictEqual(
      leaveContact.decide(later, undefined, at),
      write([put("contact", stored, putOffForDay(contact, now + 1))], { reply: undefined }),
    )
    const over = [put("contact", stored, notFollowedUp(contact)), put("contact", heir, numberFree(heir, now))]
    assert.deepStrictEqual(
      leaveContact.decide({ ...later, at: null, heirs: [heir] }, undefined, at),
      write(over, { errands: [settlesBatch(batch)], reply: undefined }),
    )
  })

  it("is skipped, and its batch may be done", () => {
    const some = [{ _tag: "Suppressed" as const, dial, row }]
    const over = [put("contact", stored, skipped(contact, "suppressed")), put("contact", heir, numberFree(heir, now))]
    assert.deepStrictEqual(
      skipContacts.decide({ organization_id, batch, some, heirs: [[heir]] }, [], at),
      write(over, { errands: [settlesBatch(batch)], reply: undefined }),
    )
  })

  it("waits for the hours of its callee, as long as they stand", () => {
    const some = [{ _tag: "OutOfHours" as const, dial, row, mark: "a mark" }]
    const asked = { organization_id, some, hours, entries: entriesOf(null, campaign, [batch]) }
    assert.deepStrictEqual(expectedBy(closeOff.reads(asked)), hours.expect)
    const [change] = closeOff.decide(asked, undefined, at).changes ?? []
    assert.isTrue(change?.put === "contact" && change.row.hours_of === "a mark")
  })

  it("rests, as long as call caps and what is known of its number stand", () => {
    const some = [{ _tag: "Capped" as const, dial, row, until: now + 1, callee }]
    const asked = { organization_id, some, hours }
    assert.deepStrictEqual(expectedBy(restContacts.reads(asked)), [...callee.expect, ...hours.expect])
    assert.deepStrictEqual(restContacts.decide(asked, undefined, at).changes, [
      put("contact", stored, putOff(contact, now + 1)),
    ])
  })
})

describe("an attempt that ends without anybody having been rung", () => {
  const asked = { organization_id, stored, dial, call, because: "funds" as const, heirs: [heir], callee }

  it("rests on its batch, its campaign and its callee, and gives its turn away", () => {
    assert.deepStrictEqual(expectedBy(concludeContact.reads(asked)), [campaignRead, batchRead, ...callee.expect])
    const { changes, kept } = concludeContact.decide(asked, undefined, at)
    const ended = callChange(null, unfunded(call, now))
    assert.deepStrictEqual(changes?.slice(0, 1), ended.changes)
    assert.deepStrictEqual(changes?.at(-1), put("contact", heir, numberFree(heir, now)))
    assert.deepStrictEqual(kept, ended.said.kept)
  })

  it("says what was lacking", () => {
    const [written] = concludeContact.decide({ ...asked, because: "agent" }, undefined, at).changes ?? []
    assert.isTrue(
      written?.put === "call" && written.row.status === "error" && written.row.error === "The agent was not active.",
    )
  })
})

describe("a dial", () => {
  const number = samplePhoneNumber(organization_id, "+14155550199")
  const asked = {
    organization_id,
    stored,
    dial,
    lane_id: campaign.campaign_id,
    placed: call,
    reserved: { fence: 7, until: now + 1_000 },
    due_at: now - 5,
    until: now + 9,
    advance: 2,
    number,
    agents: [agent],
    routing: [],
    callee,
    hours,
  }

  it("rests on all that it was judged by, and on its number being free in its lane", () => {
    assert.deepStrictEqual(expectedBy(dialContact.reads(asked)), [
      campaignRead,
      batchRead,
      { free: { lane_id: campaign.campaign_id, to_number } },
      ...callee.expect,
      ...hours.expect,
      agentAsRead(agent),
      stillRegistered(number),
    ])
  })

  it("claims its contact, and moves the cursor of its lane", () => {
    assert.deepStrictEqual(dialContact.decide(asked, undefined, at).changes, [
      ...callChange(null, call).changes,
      put("contact", stored, dialled(contact, call.execution_id)),
      { put: "tally", subject: campaign.campaign_id, add: { phone_number_index: 2 } },
    ])
  })

  it("is made once it is written, on its line and in its hours", () => {
    const { placed, ...dialling } = asked
    const written = callChange(null, placed).call
    const { answer } = dialContact.decide(asked, undefined, at)
    assert.isTrue("errand" in answer)
    if ("errand" in answer) {
      assert.deepStrictEqual(answer.errand, dialsCall({ ...dialling, placed: written, before: null }))
    }
  })

  it("is counted at its number while call caps stand", () => {
    const capped = { ...hours, setting: { ...hours.setting, caps: sampleCaps } }
    const written = dialContact.decide({ ...asked, hours: capped }, undefined, at).changes ?? []
    assert.isTrue(written.some((change) => change.put === "callee" && change.before === callee.callee))
  })

  it("writes its batch and its campaign where it is their first, and expects neither beside", () => {
    const first = {
      ...asked,
      dial: { ...dial, batch: { ...batch, started_at: null }, campaign: { ...campaign, status: "created" as const } },
    }
    const expected = expectedBy(dialContact.reads(first))
    assert.isTrue(expected.every((each) => !("kind" in each) || (each.kind !== "batch" && each.kind !== "campaign")))
    const written = dialContact.decide(first, undefined, at).changes ?? []
    assert.isTrue(written.some((change) => change.put === "batch" && change.row.started_at === now))
    assert.isTrue(written.some((change) => change.put === "campaign" && change.row.status === "active"))
  })
})
