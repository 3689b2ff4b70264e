import { Effect } from "effect"
import type { PortError } from "../Errors.ts"
import type { Organization } from "./rules/Organization.ts"

/** What costs are told in where nobody can say otherwise (specification, "Payload"). */
export const usualCurrency = "USD"

/**
 * In which currency the cost of a call is told that has none yet. Neither an answer nor an event waits for an account that cannot be read: it is told as in
 * most accounts.
 */
export const currencyOf = (organization: Effect.Effect<Organization | null, PortError>): Effect.Effect<string> =>
  Effect.match(organization, {
    onSuccess: (found) => found?.wallet.currency ?? usualCurrency,
    onFailure: () => usualCurrency,
  })
