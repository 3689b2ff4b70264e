import { pageRequest, paginate, toWireKey, toWireMintedKey, toWireRevokedKey } from "@carillon/api"
import { Keys } from "@carillon/core"
import { Effect } from "effect"
import type { HandlersOf } from "../Handler.ts"
import { rowsOf } from "../PageText.ts"

/** Minting, listing and revoking API keys. */
export const keyHandlers = Effect.gen(function* () {
  const keys = yield* Keys

  const handlers: HandlersOf<"keys"> = {
    "keys.list": Effect.fnUntraced(function* ({ caller, query }) {
      const request = pageRequest(query)
      const { items, total } = yield* keys.page(caller.organization_id, request)
      const data = rowsOf(items, (key) => toWireKey(key, caller.key.key_id))
      return { status: 200, body: { data, pagination: paginate(request, total) } }
    }),
    "keys.mint": ({ caller, payload }) =>
      Effect.map(keys.mint(caller, payload), (minted) => ({ status: 201, body: toWireMintedKey(minted) })),
    "keys.revoke": ({ caller, params }) =>
      Effect.map(keys.revoke(caller, params.key_id), (key) => ({ status: 200, body: toWireRevokedKey(key) })),
  }
  return handlers
})
