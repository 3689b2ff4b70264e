import { Context, Effect, Layer } from "effect"
import { Pieces } from "../engine/Pieces.ts"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, Malformed, type NotFound, type PortError, type StateConflict } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { type By, organizationOf } from "../engine/rules/By.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import { changeNumber, type NumberDetails } from "./steps/ChangeNumber.ts"
import { noSuchNumber, numberOf } from "./steps/NumberReads.ts"
import { NumberStore } from "./ports/NumberStore.ts"
import type { PhoneNumber } from "./rules/PhoneNumber.ts"
import { registerNumber } from "./steps/RegisterNumber.ts"
import { releaseNumber } from "./steps/ReleaseNumber.ts"

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
  /**
   * The host gives an organization, which must be there, a number. It is not asked whether it may be had (`NumberOwnership`); one that an
   * organization has is refused.
   */
  readonly assign: (
    organizationId: string,
    phoneNumber: string,
  ) => Effect.Effect<PhoneNumber, StateConflict | PortError>
  /** The host takes a number of an organization away, as `release` gives it up and under the same conditions. */
  readonly take: (
    organizationId: string,
    phoneNumberId: string,
  ) => Effect.Effect<void, NotFound | StateConflict | PortError>
}

/** The numbers of organizations (decisions.md, "Other resources"). */
export class Numbers extends Context.Service<Numbers, NumbersShape>()("@carillon/core/numbers/Numbers") {
  static readonly layer = Layer.effect(
    Numbers,
    Effect.gen(function* () {
      const store = yield* NumberStore
      const steps = yield* Steps
      const pieces = yield* Pieces

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

      const find = Effect.fnUntraced(function* (organizationId: string, phoneNumberId: string) {
        const number = yield* steps.look(() => numberOf(organizationId, phoneNumberId))
        const [found] = yield* standings(organizationId, [number])
        return found ?? (yield* noSuchNumber)
      })

      /** What names the number is looked for, and its booked calls are counted. */
      const released = (input: By & { readonly phone_number_id: string }) =>
        pieces.piece(organizationOf(input), steps.take(releaseNumber, input))

      return Numbers.of({
        register: Effect.fnUntraced(function* (caller, phone_number, { country = null, label = null }) {
          // Looked at first: what fails to be read must not refuse what is written.
          const [calls_in_progress = 0] = yield* store.live(caller.organization_id, [phone_number])
          const number = yield* steps.take(registerNumber, { caller, phone_number, country, label })
          return { number, inbound_agent_id: null, calls_in_progress }
        }),
        find,
        page: Effect.fnUntraced(function* (organizationId, page) {
          const { items, total } = yield* store.page(organizationId, page)
          return { items: yield* standings(organizationId, items), total }
        }),
        change: Effect.fnUntraced(function* (caller, phone_number_id, details) {
          if (details.country === undefined && details.label === undefined) {
            return yield* new Malformed({ message: "The request body has no field to change." })
          }
          const before = yield* find(caller.organization_id, phone_number_id)
          const number = yield* steps.take(changeNumber, { caller, phone_number_id, details })
          return { ...before, number }
        }),
        release: (caller, phone_number_id) => released({ caller, phone_number_id }),
        assign: (organization_id, phone_number) =>
          steps.take(registerNumber, { organization_id, phone_number, country: null, label: null }),
        take: (organization_id, phone_number_id) => released({ organization_id, phone_number_id }),
      })
    }),
  )
}
