import { StateConflict } from "@carillon/core"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { Grounds } from "../../src/engine/steps/Grounds.ts"
import { draftOf } from "../../src/engine/steps/Drafting.ts"
import { holdersOf, importOf } from "../../src/engine/rules/Guards.ts"
import { carry, joinSet, put } from "../../src/engine/rules/Outcome.ts"
import { raised } from "../../src/engine/rules/Put.ts"
import { type ArrivingPiece, importPiece, writtenPieces } from "../../src/portable/steps/ImportPiece.ts"
import { set } from "../../src/engine/steps/Reading.ts"
import {
  sampleAudit,
  sampleBatch,
  sampleCampaign,
  sampleOrganization,
  samplePhoneNumber,
  sampleSubscription,
} from "../../src/testing/Samples.ts"
import { momentAt, readOn, sourcesOn } from "../StepInPieces.ts"

const organization_id = "org_one"
const now = 5_000_000
const at = momentAt(now)
const number = samplePhoneNumber(organization_id, "+14155550100")
const guard = importOf(organization_id, "sum")

const piece = (parts: Partial<ArrivingPiece> = {}): ArrivingPiece => ({
  organization_id,
  sha256: "sum",
  nth: 1,
  isLast: false,
  lines: [],
  retention_days: null,
  ...parts,
})

describe("a piece of an import", () => {
  it("rests on the pieces before it, and on who has its numbers", () => {
    const lines = [{ kind: "phone_number" as const, row: number }]
    const { expected, view } = Result.getOrThrow(readOn(sourcesOn(), importPiece.reads(piece({ lines }))))
    assert.deepStrictEqual(expected, [
      { guard: holdersOf(number.phone_number), version: 0 },
      { guard, version: 1 },
    ])
    assert.isNull(view)
  })

  it("is refused whose number the host does not let the organization have", () => {
    const elsewhere = { ...number, organization_id: "org_two", phone_number_id: "pn_elsewhere" }
    const lines = [{ kind: "phone_number" as const, row: number }]
    assert.deepStrictEqual(
      readOn(sourcesOn({ put: "phone_number", row: elsewhere }), importPiece.reads(piece({ lines }))),
      Result.fail(
        new StateConflict({
          message: `The phone number ${number.phone_number_id} is not available to this organization here.`,
        }),
      ),
    )
  })

  it("raises the guard of its numbers, and of no other set that a row joins", () => {
    const campaign = sampleCampaign(organization_id)
    const batch = sampleBatch(organization_id, { campaign_id: campaign.campaign_id })
    const lines = [
      { kind: "phone_number" as const, row: number },
      { kind: "batch" as const, row: batch },
    ]
    const { changes } = importPiece.decide(piece({ lines }), null, at)
    assert.deepStrictEqual(changes, [
      joinSet(guard),
      carry("phone_number", null, number),
      joinSet(holdersOf(number.phone_number)),
      carry("batch", null, batch),
    ])
    const written = draftOf(organization_id, changes ?? [], new Grounds(), now).changes
    assert.deepStrictEqual(
      written.flatMap((change) => (change.put === "guard" ? [change.guard] : [])),
      [guard, holdersOf(number.phone_number)],
    )
  })

  it("lets a campaign wait until all of its batches are there", () => {
    const campaign = sampleCampaign(organization_id, { status: "active", revision: 4 })
    const waiting = { ...campaign, status: "paused" as const }
    const lines = [
      { kind: "campaign" as const, row: campaign },
      { kind: "running" as const, row: campaign },
    ]
    const { changes } = importPiece.decide(piece({ lines }), null, at)
    assert.deepStrictEqual(changes?.slice(1), [
      carry("campaign", null, waiting),
      carry("campaign", raised(null, waiting), campaign),
    ])
  })

  it("lets a subscription keep its revision, which its deliveries name", () => {
    const row = sampleSubscription(organization_id, null, { revision: 6, disabled_after: 4 })
    const { changes } = importPiece.decide(piece({ lines: [{ kind: "subscription", row }] }), null, at)
    const written = draftOf(organization_id, changes ?? [], new Grounds(), now).changes
    assert.deepStrictEqual(written.at(-1), { put: "subscription", row, from: 0 })
  })

  it("keeps records of the audit trail as they stood, and says at the end that all of it is there", () => {
    const entry = sampleAudit(organization_id, { created_at: now - 1_000 })
    const record = {
      ...entry,
      sequence: 1,
      prev_hash: "",
      hash: "",
      created_at: new Date(entry.created_at).toISOString(),
    }
    const lines = [{ kind: "audit" as const, row: record }]
    const { audit, kept, wakeups } = importPiece.decide(piece({ lines, isLast: true }), null, at)
    assert.deepStrictEqual(kept, [entry])
    assert.deepStrictEqual(audit, [
      { resource: { type: "organization", id: organization_id }, details: { sha256: "sum" } },
    ])
    assert.deepStrictEqual(wakeups, [{ set: { kind: "dispatch", subject: organization_id, at: now } }])
  })

  it("lets go at the end what was kept for its time, unless somebody has decided here", () => {
    const last = piece({ isLast: true, retention_days: 30 })
    const here = sampleOrganization(organization_id)
    assert.deepStrictEqual(
      importPiece.decide(last, here, at).changes?.at(-1),
      put("organization", here, { ...here, retention_days: 30 }),
    )
    for (const decided of [null, { ...here, retention_days: 7 }]) {
      assert.deepStrictEqual(importPiece.decide(last, decided, at).changes, [joinSet(guard)])
    }
  })
})

it("an import that broke off goes on behind the pieces that it has written", () => {
  const { expected, view } = Result.getOrThrow(
    readOn(sourcesOn(), set(writtenPieces, { organization_id, sha256: "sum" })),
  )
  assert.deepStrictEqual({ expected, view }, { expected: [{ guard, version: 0 }], view: 0 })
})
