import { toWireIdentity, toWireScopes } from "@carillon/api"
import { DependencyUnavailable, Gate, RateLimiter } from "@carillon/core"
import { AccountStore } from "@carillon/core/ports"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"

/** Who is calling, and what the key may do. */
export const identityHandlers = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const limiter = yield* RateLimiter
  const gate = yield* Gate

  const handlers: HandlersOf<"identity"> = {
    "identity.me": Effect.fnUntraced(function* ({ caller }) {
      const organization = yield* accounts.organization(caller.organization_id)
      if (organization === null) return yield* new DependencyUnavailable({ dependency: "account_service" })
      const rates = yield* limiter.figures(caller.organization_id, caller.key.plan)
      const concurrency = yield* gate.figures(caller.organization_id)
      return { status: 200, body: toWireIdentity(caller, organization, rates, concurrency) }
    }),
    "identity.scopes": ({ caller }) => Effect.succeed({ status: 200, body: toWireScopes(caller) }),
  }
  return handlers
})
