import { Context, Effect } from "effect"
import type { PortError } from "../../Errors.ts"

/** An organization that wants to register a number. */
export interface NumberClaim {
  readonly organization_id: string
  /** E.164. */
  readonly phone_number: string
  /** The other organizations that have it registered now. */
  readonly holders: ReadonlyArray<string>
}

/** The host's word on numbers. */
export interface NumberOwner {
  readonly mayRegister: (claim: NumberClaim) => Effect.Effect<boolean, PortError>
}

/**
 * The host's word on who may call from a number: a customer can register any text of digits, and only the host knows which numbers its
 * carrier has given to whom. By default whoever registers a number first has it, and nobody else until it is given up.
 */
export const NumberOwnership = Context.Reference<NumberOwner>("@carillon/core/numbers/NumberOwnership", {
  defaultValue: () => ({ mayRegister: ({ holders }) => Effect.succeed(holders.length === 0) }),
})
