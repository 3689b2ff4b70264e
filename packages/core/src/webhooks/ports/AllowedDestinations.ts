import { Context } from "effect"

/**
 * What a host opens although the rules refuse it: `10.1.0.0/16`, `fd00::/8`, `hooks.local`, `127.0.0.1:8080`. A name opens whatever
 * it resolves to, with a port only there.
 */
export const AllowedDestinations = Context.Reference<ReadonlyArray<string>>(
  "@carillon/core/webhooks/AllowedDestinations",
  { defaultValue: () => [] },
)
