import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import { type Expectation, unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import {
  DependencyUnavailable,
  type EngineError,
  Forbidden,
  InvalidField,
  KeyInactive,
  NotFound,
  type PortError,
  StateConflict,
} from "../Errors.ts"
import { TimedCache } from "../limits/TimedCache.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { ApiKey } from "./ApiKey.ts"
import { hashKey, keyIdOfHash, keyPreview } from "./ApiKeyFormat.ts"
import type { Caller } from "./Caller.ts"
import { KeyMinter } from "./KeyMinter.ts"
import { KeyStore } from "./KeyStore.ts"
import { mint as decideMint, scopes } from "./ScopePolicy.ts"

/** The body of `POST /v2/api-keys`. */
export interface MintKey {
  readonly name: string
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly grant_api_keys_write?: boolean | undefined
}

interface KeysShape {
  /**
   * The key behind a bearer credential, or null when the store has none. Cached for 60 s; a cached key is served for up to an
   * hour while the store is away.
   */
  readonly authenticate: (key: string) => Effect.Effect<ApiKey | null, PortError>
  /** The keys of an organization, newest first, revoked ones included. */
  readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<ApiKey>, PortError>
  /** Mints a key; its text is returned here and never again. */
  readonly mint: (
    caller: Caller,
    request: MintKey,
  ) => Effect.Effect<{ readonly key: string; readonly record: ApiKey }, EngineError>
  /** Revokes a key, live at once in this process; revoking it again changes nothing. */
  readonly revoke: (caller: Caller, keyId: string) => Effect.Effect<ApiKey, EngineError>
}

/** API keys: authentication, minting and revoking (specification, "Identity and keys"). The scope rules are in `ScopePolicy.ts`. */
export class Keys extends Context.Service<Keys, KeysShape>()("@carillon/core/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const store = yield* KeyStore
      const steps = yield* Steps
      const clock = yield* DomainClock
      const minter = yield* KeyMinter
      const audit = yield* Audit
      const cache = new TimedCache<ApiKey>(limits.cachedKeys, limits.cacheMs)
      let nth = 0

      /** What the store said last; an answer that was read before a revocation and comes after it changes nothing. */
      const remember = (hash: string, key: ApiKey | null, now: number) => {
        if (key === null) cache.delete(hash)
        else if (key.revision >= (cache.get(hash, now)?.revision ?? 0)) cache.set(hash, key, now)
      }

      const authenticate: KeysShape["authenticate"] = Effect.fnUntraced(function* (key) {
        const hash = hashKey(key)
        const now = clock.now()
        const fresh = cache.get(hash, now)
        if (fresh !== undefined) return fresh
        const found = yield* store.findByHash(hash).pipe(
          Effect.tap((key) => Effect.sync(() => remember(hash, key, now))),
          Effect.catch(() => {
            const stale = cache.get(hash, now, limits.staleKeyMs)
            return stale === undefined ? Effect.fail(authenticationAway) : Effect.succeed(stale)
          }),
        )
        return found
      })

      /** The caller's own key as it stands: one that is revoked or gone gets no further here, though a process may still have it cached. */
      const holder = Effect.fnUntraced(function* ({ key, organization_id }: Caller) {
        const own = yield* store.find(organization_id, key.key_id)
        if (own === null || own.status === "inactive") return yield* new KeyInactive()
        return { kind: "api_key", id: key.key_id, revision: own.revision } satisfies Expectation
      })

      const mint: KeysShape["mint"] = Effect.fnUntraced(function* (caller, request) {
        const decision = decideMint(caller.key, {
          scopes: request.scopes,
          grant_api_keys_write: request.grant_api_keys_write ?? false,
        })
        if (!decision.ok) {
          switch (decision.reason) {
            case "unknown_scope":
              return yield* new InvalidField({ field: "scopes", reason: `valid values are ${scopes.join(", ")}` })
            case "grant_required":
              return yield* new InvalidField({
                field: "grant_api_keys_write",
                reason: "must be true to give the new key keys:write",
              })
            case "not_held":
              return yield* new Forbidden({
                message: `This API key cannot grant scopes that it does not hold: ${decision.missing.join(", ")}.`,
              })
          }
        }
        const now = clock.now()
        const key = minter.mint(caller.organization_id, caller.key.key_id, nth++)
        const hash = hashKey(key)
        const record: ApiKey = {
          key_id: keyIdOfHash(hash),
          revision: 1,
          hash,
          key_preview: keyPreview(key),
          organization_id: caller.organization_id,
          developer: caller.key.developer,
          plan: caller.key.plan,
          rate_limit_tier: caller.key.rate_limit_tier,
          token_type: caller.key.token_type,
          status: "active",
          description: request.name,
          scopes: decision.scopes,
          scopes_source: decision.scopes_source,
          keys_write_enabled: false,
          created_at: now,
          revoked_at: null,
        }
        yield* steps.run(holder(caller), (own) =>
          write(
            {
              organization_id: caller.organization_id,
              expect: [own],
              changes: [put("api_key", null, record)],
              audit: [
                audit.allowed(caller, {
                  action: "api_key.create",
                  resource: { type: "api_key", id: record.key_id },
                  details: { scopes: [...decision.scopes] },
                }),
              ],
            },
            undefined,
          ),
        )
        return { key, record }
      })

      const revoke: KeysShape["revoke"] = Effect.fnUntraced(function* (caller, keyId) {
        if (keyId === caller.key.key_id) {
          return yield* new StateConflict({ message: "You cannot revoke the key you are authenticating with." })
        }
        const found = Effect.flatMap(store.find(caller.organization_id, keyId), (key) =>
          key === null ? Effect.fail(new NotFound({ message: "API key not found." })) : Effect.succeed(key),
        )
        const { reply } = yield* steps.run(Effect.zip(holder(caller), found), ([own, key], now) => {
          if (key.status === "inactive") return unchanged(key)
          const revoked = put("api_key", key, { ...key, status: "inactive", revoked_at: now })
          return write(
            {
              organization_id: caller.organization_id,
              expect: [own],
              changes: [revoked],
              audit: [audit.allowed(caller, { action: "api_key.revoke", resource: { type: "api_key", id: keyId } })],
            },
            revoked.row,
          )
        })
        remember(reply.hash, reply, clock.now())
        return reply
      })

      return Keys.of({ authenticate, page: store.page, mint, revoke })
    }),
  )
}

/** On the way in, whatever ails the key store is the authentication service being away (specification, "Rejection order"). */
const authenticationAway = new DependencyUnavailable({ dependency: "authentication_service" })
