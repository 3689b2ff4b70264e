import { put, write } from "../../engine/rules/Outcome.ts"
import { type Reading, refuse } from "../../engine/steps/Reading.ts"
import { step } from "../../engine/steps/Step.ts"
import { Forbidden, InvalidField, type KeyInactive } from "../../Errors.ts"
import type { ByCaller } from "../rules/Caller.ts"
import { holder } from "./Holder.ts"
import { mint, type MintDecision, scopes } from "../rules/ScopePolicy.ts"
import type { KeptText } from "../rules/KeptText.ts"

/** The body of `POST /v2/api-keys`. */
export interface MintKey {
  readonly name: string
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly grant_api_keys_write?: boolean | undefined
}

type Granted = Extract<MintDecision, { readonly ok: true }>

/** Why a key is not made. */
const refusalOf = (decision: Exclude<MintDecision, Granted>): InvalidField | Forbidden => {
  switch (decision.reason) {
    case "unknown_scope":
      return new InvalidField({ field: "scopes", reason: `valid values are ${scopes.join(", ")}` })
    case "grant_required":
      return new InvalidField({ field: "grant_api_keys_write", reason: "must be true to give the new key keys:write" })
    case "not_held":
      return new Forbidden({
        message: `This API key cannot grant scopes that it does not hold: ${decision.missing.join(", ")}.`,
        missing: decision.missing,
      })
  }
}

/** A caller makes another key of its organization. The key's text stays with whoever takes the step. */
export const mintKey = step({
  name: "api_key.create",
  *reads({
    caller,
    request,
  }: ByCaller & { readonly request: MintKey; readonly kept: KeptText }): Reading<
    Granted,
    InvalidField | Forbidden | KeyInactive
  > {
    const decision = mint(caller.key, {
      scopes: request.scopes,
      grant_api_keys_write: request.grant_api_keys_write ?? false,
    })
    if (!decision.ok) return yield* refuse(refusalOf(decision))
    yield* holder(caller)
    return decision
  },
  decide({ caller, kept, request }, granted, { now }) {
    const { developer, plan, rate_limit_tier, token_type } = caller.key
    const change = put("api_key", null, {
      key_id: kept.key_id,
      revision: 1,
      hash: kept.hash,
      key_preview: kept.key_preview,
      organization_id: caller.organization_id,
      developer,
      plan,
      rate_limit_tier,
      token_type,
      status: "active",
      description: request.name,
      scopes: granted.scopes,
      scopes_source: granted.scopes_source,
      keys_write_enabled: false,
      created_at: now,
      revoked_at: null,
    })
    const resource = { type: "api_key", id: kept.key_id }
    return write([change], { audit: [{ resource, details: { scopes: [...granted.scopes] } }], reply: change.row })
  },
})
