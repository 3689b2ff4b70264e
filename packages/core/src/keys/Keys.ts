import { Context, Effect, Layer } from "effect"
import { DomainClock } from "../engine/ports/DomainClock.ts"
import { CurrentParty } from "../engine/ports/Party.ts"
import { Steps } from "../engine/Steps.ts"
import { DependencyUnavailable, type EngineError, type PortError } from "../Errors.ts"
import { TimedCache } from "../limits/rules/TimedCache.ts"
import { limits } from "../Limits.ts"
import type { Page, PageRequest } from "../Pagination.ts"
import type { ApiKey } from "./rules/ApiKey.ts"
import { hashKey } from "./rules/ApiKeyFormat.ts"
import type { Caller } from "./rules/Caller.ts"
import { KeyMinter } from "./ports/KeyMinter.ts"
import { KeyStore } from "./ports/KeyStore.ts"
import { type MintKey, mintKey } from "./steps/MintKey.ts"
import { keptText } from "./rules/KeptText.ts"
import { revokeKey } from "./steps/RevokeKey.ts"

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
        // Strangers are one party, behind whom nobody waits whose key was known.
        const party = cache.get(hash, now, limits.staleKeyMs)?.organization_id ?? ""
        const found = yield* store.findByHash(hash).pipe(
          Effect.provideService(CurrentParty, party),
          Effect.tap((key) => Effect.sync(() => remember(hash, key, now))),
          Effect.catch(() => {
            const stale = cache.get(hash, now, limits.staleKeyMs)
            return stale === undefined ? Effect.fail(authenticationAway) : Effect.succeed(stale)
          }),
        )
        return found
      })

      const mint: KeysShape["mint"] = Effect.fnUntraced(function* (caller, request) {
        const key = minter.mint(caller.organization_id, caller.key.key_id, nth++)
        const record = yield* steps.take(mintKey, { caller, request, kept: keptText(key) })
        return { key, record }
      })

      const revoke: KeysShape["revoke"] = Effect.fnUntraced(function* (caller, key_id) {
        const key = yield* steps.take(revokeKey, { caller, key_id })
        remember(key.hash, key, clock.now())
        return key
      })

      return Keys.of({ authenticate, page: store.page, mint, revoke })
    }),
  )
}

/** On the way in, whatever ails the key store is the authentication service being away (specification, "Rejection order"). */
const authenticationAway = new DependencyUnavailable({ dependency: "authentication_service" })
