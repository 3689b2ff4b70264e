import { Context, Effect, Layer } from "effect"
import type { PortError } from "../Errors.ts"
import type { Organization } from "./Organization.ts"

/** Decides whether the wallet carries one more call; hosts with an account system of their own replace it. */
export class Funds extends Context.Service<
  Funds,
  {
    readonly covers: (
      organization: Organization,
      /** `to_number` is null where it is asked whether the wallet carries anything at all. */
      call: { readonly to_number: string | null; readonly direct: boolean },
    ) => Effect.Effect<boolean, PortError>
  }
>()("@carillon/core/organizations/Funds") {
  /** A wallet carries a call while its balance is above zero. */
  static readonly layer = Layer.succeed(Funds, {
    covers: (organization) => Effect.succeed(organization.wallet.balance > 0),
  })
}
