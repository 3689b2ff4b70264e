import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import { batchStatuses, isFinishedBatch } from "../batches/BatchStatus.ts"
import { BatchStore } from "../batches/BatchStore.ts"
import type { CallStatus } from "../calls/CallStatus.ts"
import { CallStore } from "../calls/CallStore.ts"
import { CampaignStore } from "../campaigns/CampaignStore.ts"
import { type Change, type Decision, unchanged, write } from "../engine/Commit.ts"
import { callersFrom, holdersOf } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, NotFound, type PortError, StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/Caller.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { NumberOwnership } from "./NumberOwnership.ts"
import { NumberStore } from "./NumberStore.ts"
import { newPhoneNumber, type PhoneNumber } from "./PhoneNumber.ts"

/** What its owner says of a number. */
export interface NumberDetails {
  readonly label?: string | null | undefined
  readonly country?: string | null | undefined
}

/** A number with what is known of it elsewhere. */
export interface NumberStanding {
  readonly number: PhoneNumber
  readonly inbound_agent_id: string | null
  readonly calls_in_progress: number
}

interface NumbersShape {
  /** Registers a number; one that is registered already, or that the host says is not the organization's (`NumberOwnership`), is refused. */
  readonly register: (
    caller: Caller,
    phoneNumber: string,
    details: NumberDetails,
  ) => Effect.Effect<NumberStanding, EngineError>
  readonly find: (organizationId: string, phoneNumberId: string) => Effect.Effect<NumberStanding, EngineError>
  /** Newest first. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<NumberStanding>, PortError>
  readonly change: (
    caller: Caller,
    phoneNumberId: string,
    details: NumberDetails,
  ) => Effect.Effect<NumberStanding, EngineError>
  /** Gives a number up, its inbound binding with it; refused while a campaign, a batch or a booked call that may still dial names it. */
  readonly release: (caller: Caller, phoneNumberId: string) => Effect.Effect<void, EngineError>
}

const stillCalledFrom = new StateConflict({
  message: "A campaign, a batch or a booked call that may still dial calls from this phone number.",
})

/** Campaigns that may still dial without being taken up again. */
const openCampaigns = ["created", "active", "paused"] as const

const openBatches = batchStatuses.filter((status) => !isFinishedBatch(status))

const bookedStatuses: ReadonlySet<CallStatus> = new Set<CallStatus>(["scheduled", "rescheduled"])

const firstOnly: PageRequest = { page: 1, page_size: 1 }

const notFound = new NotFound({ message: "Phone number not found." })

/** Why a number is not registered. */
const refusals = {
  registered: "This phone number is already registered.",
  unavailable: "This phone number is not available to this organization.",
  many: `This organization has ${limits.numbersPerOrganization} phone numbers and can register no more.`,
} as const

/** The numbers of organizations (decisions.md, "Other resources"). */
export class Numbers extends Context.Service<Numbers, NumbersShape>()("@carillon/core/numbers/Numbers") {
  static readonly layer = Layer.effect(
    Numbers,
    Effect.gen(function* () {
      const store = yield* NumberStore
      const ownership = yield* NumberOwnership
      const campaigns = yield* CampaignStore
      const batches = yield* BatchStore
      const calls = yield* CallStore
      const steps = yield* Steps
      const audit = yield* Audit
      const ids = yield* Ids
      let nth = 0

      const row = (organizationId: string, phoneNumberId: string) =>
        Effect.flatMap(store.find(organizationId, phoneNumberId), (number) =>
          number === null ? Effect.fail(notFound) : Effect.succeed(number),
        )

      const standings = Effect.fnUntraced(function* (organizationId: string, numbers: ReadonlyArray<PhoneNumber>) {
        const live = yield* store.live(
          organizationId,
          numbers.map(({ phone_number }) => phone_number),
        )
        return yield* Effect.forEach(numbers, (number, index) =>
          Effect.map(store.bindingOf(organizationId, number.phone_number_id), (binding): NumberStanding => ({
            number,
            inbound_agent_id: binding?.inbound_agent_id ?? null,
            calls_in_progress: live[index] ?? 0,
          })),
        )
      })

      const standing = Effect.fnUntraced(function* (number: PhoneNumber) {
        const [found] = yield* standings(number.organization_id, [number])
        return found ?? (yield* notFound)
      })

      /** Whether anything that may still dial names the number. What names none goes on with the others. */
      const isCalledFrom = Effect.fnUntraced(function* (organizationId: string, from_number: string) {
        const booked = yield* calls.page(organizationId, { statuses: bookedStatuses, from_number }, firstOnly)
        if (booked.total > 0) return true
        if (yield* campaigns.callsFrom(organizationId, from_number, openCampaigns)) return true
        return yield* batches.callsFrom(organizationId, from_number, openBatches)
      })

      const entry = (caller: Caller, action: string, id: string) =>
        audit.allowed(caller, { action, resource: { type: "phone_number", id } })

      /** Why the number cannot be registered, or null; and that it stays so, because nobody else may register it meanwhile. */
      const availability = Effect.fnUntraced(function* (organization_id: string, phone_number: string) {
        const expect = yield* steps.standing(holdersOf(phone_number))
        const all = yield* store.holders(phone_number)
        const holders = all.filter((holder) => holder !== organization_id)
        if (holders.length < all.length) return { expect, refusal: refusals.registered }
        const { total } = yield* store.page(organization_id, firstOnly)
        if (total >= limits.numbersPerOrganization) return { expect, refusal: refusals.many }
        const may = yield* ownership.mayRegister({ organization_id, phone_number, holders })
        return { expect, refusal: may ? null : refusals.unavailable }
      })

      return Numbers.of({
        register: Effect.fnUntraced(function* (caller, phone_number, { country = null, label = null }) {
          const { organization_id } = caller
          // Looked at first: what fails to be read must not refuse what is written.
          const [calls_in_progress = 0] = yield* store.live(organization_id, [phone_number])
          const view = availability(organization_id, phone_number)
          const { reply } = yield* steps.run(view, ({ expect, refusal }, now): Decision<PhoneNumber | string> => {
            if (refusal !== null) return unchanged(refusal)
            const number = newPhoneNumber({
              phone_number_id: ids.mint("phoneNumber", organization_id, "registered", nth++),
              organization_id,
              phone_number,
              label,
              country,
              created_at: now,
            })
            return write(
              {
                organization_id,
                expect,
                changes: [put("phone_number", null, number), { put: "guard", guard: holdersOf(phone_number) }],
                audit: [entry(caller, "phone_number.create", number.phone_number_id)],
              },
              number,
            )
          })
          if (typeof reply === "string") return yield* new StateConflict({ message: reply })
          return { number: reply, inbound_agent_id: null, calls_in_progress }
        }),
        find: (organizationId, phoneNumberId) => Effect.flatMap(row(organizationId, phoneNumberId), standing),
        page: Effect.fnUntraced(function* (organizationId, page) {
          const { items, total } = yield* store.page(organizationId, page)
          return { items: yield* standings(organizationId, items), total }
        }),
        change: Effect.fnUntraced(function* (caller, phoneNumberId, { country, label }) {
          if (country === undefined && label === undefined) {
            return yield* new Malformed({ message: "The request body has no field to change." })
          }
          const { organization_id } = caller
          const before = yield* Effect.flatMap(row(organization_id, phoneNumberId), standing)
          const { reply } = yield* steps.run(row(organization_id, phoneNumberId), (number, now) => {
            const changed = put("phone_number", number, {
              ...number,
              label: label === undefined ? number.label : label,
              country: country === undefined ? number.country : country,
              updated_at: now,
            })
            return write(
              {
                organization_id,
                changes: [changed],
                audit: [entry(caller, "phone_number.update", phoneNumberId)],
              },
              changed.row,
            )
          })
          return { ...before, number: reply }
        }),
        release: Effect.fnUntraced(function* (caller, phoneNumberId) {
          const { organization_id } = caller
          const view = Effect.gen(function* () {
            const expect = yield* steps.standing(callersFrom(phoneNumberId))
            const number = yield* row(organization_id, phoneNumberId)
            if (yield* isCalledFrom(organization_id, number.phone_number)) return yield* stillCalledFrom
            return { number, expect, binding: yield* store.bindingOf(organization_id, phoneNumberId) }
          })
          yield* steps.run(view, ({ binding, expect, number }) => {
            const removal = (kind: "phone_number" | "inbound_agent", id: string, revision: number): Change => ({
              put: "removal",
              organization_id,
              kind,
              id,
              revision,
            })
            const changes = [removal("phone_number", phoneNumberId, number.revision)]
            if (binding !== null) changes.push(removal("inbound_agent", binding.inbound_agent_id, binding.revision))
            return write(
              { organization_id, expect, changes, audit: [entry(caller, "phone_number.delete", phoneNumberId)] },
              undefined,
            )
          })
        }),
      })
    }),
  )
}
