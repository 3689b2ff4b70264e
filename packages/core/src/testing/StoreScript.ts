import * as fc from "fast-check"
import { batchStatuses } from "../batches/rules/BatchStatus.ts"
import { callStatuses } from "../calls/rules/CallStatus.ts"
import type { StoredContactStatus } from "../contacts/rules/Contact.ts"
import { campaignStatuses } from "../campaigns/rules/CampaignStatus.ts"

/** How many of each there are to be written and read; small, so that commands meet. */
export const cast = { organizations: 2, agents: 2, campaigns: 2, batches: 4, calls: 6, rows: 4, numbers: 3 } as const

/** Now and then a writer rests on a revision that is not the row's any more, or not yet. */
const skew = fc.constantFrom(0, 0, 0, 0, 0, 0, -1, 1)
const organization = fc.nat(cast.organizations - 1)
const agent = fc.nat(cast.agents - 1)
const campaign = fc.nat(cast.campaigns - 1)
const batch = fc.nat(cast.batches - 1)
const call = fc.nat(cast.calls - 1)
const thing = fc.nat(cast.numbers - 1)
const seconds = fc.nat(30)
const quarters = fc.nat(40).map((count) => count / 4)

const contactStatuses: ReadonlyArray<StoredContactStatus> = [
  "pending",
  "in_progress",
  "retry_scheduled",
  "retry_scheduled",
  "follow_up_scheduled",
  "completed",
]

const callChange = fc.record({
  put: fc.constant("call" as const),
  nth: call,
  skew,
  status: fc.constantFrom(...callStatuses),
  dial: fc.constantFrom("none" as const, "intended" as const, "accepted" as const, "refused" as const),
  from: fc.constantFrom(null, 0, 1),
  voicemail: fc.constantFrom(null, false, true),
  isFinal: fc.boolean(),
  due: fc.option(seconds),
  processing: fc.option(seconds),
  isFolded: fc.constantFrom(false, false, false, true),
})

const change = fc.oneof(
  { weight: 6, arbitrary: callChange },
  {
    weight: 5,
    arbitrary: fc.record({
      put: fc.constant("contact" as const),
      batch,
      nth: fc.nat(),
      skew,
      status: fc.constantFrom(...contactStatuses),
      eligible: fc.option(seconds),
      in_hours_only: fc.boolean(),
      waits_for_number: fc.constantFrom(false, false, true),
      holds: fc.nat(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      put: fc.constant("batch" as const),
      nth: batch,
      skew,
      status: fc.constantFrom(...batchStatuses),
    }),
  },
  fc.record({
    put: fc.constant("campaign" as const),
    nth: campaign,
    skew,
    status: fc.constantFrom(...campaignStatuses),
    ends: fc.boolean(),
  }),
  fc.record({ put: fc.constant("organization" as const), nth: organization, skew }),
  fc.record({ put: fc.constant("agent" as const), nth: agent, skew }),
  fc.record({ put: fc.constant("debit" as const), nth: organization, amount: quarters }),
  fc.record({ put: fc.constant("balance" as const), nth: organization, charged: quarters, to: quarters }),
  fc.record({ put: fc.constant("erased_call" as const), nth: call, skew }),
  fc.record({ put: fc.constant("phone_number" as const), nth: thing, text: fc.nat(1), skew }),
  fc.record({ put: fc.constant("provider" as const), nth: thing, name: fc.nat(1), skew }),
  fc.record({
    put: fc.constant("removal" as const),
    kind: fc.constantFrom("phone_number" as const, "provider" as const, "call" as const),
    nth: thing,
    skew,
  }),
  fc.record({ put: fc.constant("event" as const), nth: call, skew, isRouted: fc.boolean() }),
  fc.record({
    put: fc.constant("discard" as const),
    kind: fc.constantFrom("event" as const, "contact" as const),
    nth: call,
    batch,
  }),
  fc.record({ put: fc.constant("guard" as const), nth: campaign }),
  fc.record({
    put: fc.constant("tally" as const),
    batch,
    add: fc.dictionary(fc.constantFrom("dialled", "reached", "call:busy"), fc.integer({ min: -3, max: 3 })),
  }),
  fc.record({
    put: fc.constant("usage" as const),
    call,
    at: fc.constantFrom(0, 59_999, 60_000, 86_400_000),
    cost: quarters,
    statuses: fc.array(fc.tuple(fc.constantFrom(...callStatuses), fc.integer({ min: -2, max: 2 })), { maxLength: 3 }),
  }),
)

const kinds = ["call", "delivery", "slots"] as const

const wakeup = fc.record({ kind: fc.constantFrom(...kinds), subject: fc.nat(3), at: fc.option(seconds, { freq: 4 }) })

const commit = fc.record({
  do: fc.constant("commit" as const),
  /** Whose rows it writes; what others own is left out. */
  organization,
  changes: fc.array(change, { minLength: 1, maxLength: 6 }),
  expect: fc.option(fc.record({ nth: campaign, skew }), { freq: 2 }),
  guard: fc.option(fc.record({ nth: campaign, skew }), { freq: 2 }),
  /** The number of a call that nobody of its lane may be in a call with. */
  free: fc.option(call, { freq: 2 }),
  wakeups: fc.array(wakeup, { maxLength: 2 }),
  audits: fc.nat(2),
  /** Admits by count: the ceilings of organization and agent. */
  admits: fc.option(fc.record({ organization: fc.option(fc.nat(3)), agent: fc.option(fc.nat(2)) }), { freq: 2 }),
  isSentTwice: fc.constantFrom(false, false, false, true),
})

const pageRequest = fc.record({ page: fc.integer({ min: 1, max: 2 }), page_size: fc.integer({ min: 1, max: 4 }) })

const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 1 })

const command = fc.oneof(
  { weight: 14, arbitrary: commit },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("replace" as const), batch, row: fc.nat(4) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("fill" as const), batch, back: fc.nat(1), count: fc.nat(3) }) },
  fc.record({ do: fc.constant("discard" as const), batch }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("next" as const),
      batches: fc.uniqueArray(batch, { maxLength: 3 }),
      besides: fc.uniqueArray(fc.nat(3), { maxLength: 2 }),
      choice: fc.constantFrom("all" as const, "unheld" as const),
      later: seconds,
      in_hours: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("list calls" as const),
      organization,
      page: pageRequest,
      filter: fc.record({
        statuses: optional(fc.uniqueArray(fc.constantFrom(...callStatuses), { minLength: 1, maxLength: 8 })),
        voicemail: optional(fc.constant(true)),
        direction: optional(fc.constantFrom("inbound" as const, "outbound" as const)),
        agent: optional(agent),
        campaign: optional(campaign),
        batch: optional(batch),
        from: optional(fc.nat(1)),
        from_date: optional(fc.nat(2)),
        to_date: optional(fc.nat(2)),
      }),
    }),
  },
  fc.record({
    do: fc.constant("list the rest" as const),
    organization,
    page: pageRequest,
    status: optional(fc.constantFrom(...batchStatuses)),
    campaignStatus: optional(fc.constantFrom(...campaignStatuses)),
    agent: optional(agent),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("count" as const), organization, campaign, agent, batch }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("lanes" as const), organization }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("usage" as const),
      organization,
      agent: fc.option(agent),
      group: fc.constantFrom("day" as const, "agent" as const, "campaign" as const),
      to: fc.constantFrom(60_000, 120_000, 172_800_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wake" as const), wakeup }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      later: seconds,
      limit: fc.integer({ min: 1, max: 3 }),
      lease: seconds,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("end claim" as const), nth: fc.nat(), again: fc.option(seconds) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("page by id" as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
)

/** What is done to a store, one after the other. */
export const script = fc.array(command, { maxLength: 60, size: "max" })

export type Command = typeof command extends fc.Arbitrary<infer A> ? A : never
export type ChangeCommand = typeof change extends fc.Arbitrary<infer A> ? A : never
export type WakeupCommand = typeof wakeup extends fc.Arbitrary<infer A> ? A : never
export type CommitCommand = typeof commit extends fc.Arbitrary<infer A> ? A : never
