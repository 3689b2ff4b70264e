import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import type { Contact } from "./rules/Contact.ts"
import { ContactStore } from "./ports/ContactStore.ts"
import { freeHeirs, waitForCall } from "./steps/NumberTurns.ts"

interface ContactCallsShape {
  /**
   * Sets a contact aside until the call to its number is over. Nothing happens where there is no such call, or no longer, or the row of
   * the contact has changed: who looks again finds that it may be dialled.
   */
  readonly waitForNumber: (contact: Contact, toNumber: string) => Effect.Effect<void, PortError>
  /** Lets the next contacts of the lane that wait for a number be dialled where nobody is in a call with it. */
  readonly freeNumber: (laneId: string, toNumber: string) => Effect.Effect<void, PortError>
  /** The same for some of the numbers that contacts of the lane wait for. Once they no longer wait, others are found. */
  readonly freeWaiting: (laneId: string) => Effect.Effect<void, PortError>
}

/** Where calls meet the contacts for which they are made. */
export class ContactCalls extends Context.Service<ContactCalls, ContactCallsShape>()(
  "@carillon/core/contacts/ContactCalls",
) {
  static readonly layer = Layer.effect(
    ContactCalls,
    Effect.gen(function* () {
      const contacts = yield* ContactStore
      const steps = yield* Steps

      const freeNumber = (lane_id: string, to_number: string) =>
        steps.take(freeHeirs, { organization_id: null, lane_id, to_number })

      return ContactCalls.of({
        waitForNumber: (contact, to_number) =>
          steps.take(waitForCall, { organization_id: contact.organization_id, contact, to_number }),
        freeNumber,
        freeWaiting: Effect.fnUntraced(function* (laneId) {
          const waiting = yield* contacts.waitingIn(laneId, limits.numberHeirs)
          const numbers = new Set(waiting.map(({ entry }) => entry.to_number))
          yield* Effect.forEach(numbers, (toNumber) => freeNumber(laneId, toNumber), { discard: true })
        }),
      })
    }),
  )
}
