import { Context, Effect, Layer } from "effect"
import type { PortError } from "../../Errors.ts"
import { isSpent } from "../rules/Balance.ts"
import type { Organization } from "../rules/Organization.ts"

/** Decides what the wallet carries; hosts with an account system of their own replace it. */
export class Funds extends Context.Service<
  Funds,
  {
    /** Whether the wallet carries anything at all. While it does not, contacts are held, and dialled once it does again. */
    readonly open: (organization: Organization) => Effect.Effect<boolean, PortError>
    /** Whether a wallet that carries anything carries this very call. A contact whose call it does not carry ends `balance-low`. */
    readonly covers: (
      organization: Organization,
      call: { readonly to_number: string; readonly direct: boolean },
    ) => Effect.Effect<boolean, PortError>
  }
>()("@carillon/core/organizations/Funds") {
  /** A wallet carries any call until it is spent (`isSpent`). */
  static readonly layer = Layer.succeed(Funds, {
    open: ({ wallet }) => Effect.succeed(!isSpent(wallet)),
    covers: () => Effect.succeed(true),
  })
}
