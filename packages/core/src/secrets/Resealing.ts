import { Context, Effect, Layer } from "effect"
import { type Change, unchanged, write } from "../engine/Commit.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { walkRows } from "../engine/Walk.ts"
import type { PortError } from "../Errors.ts"
import { limits } from "../Limits.ts"
import { AccountStore } from "../organizations/AccountStore.ts"
import type { Organization } from "../organizations/Organization.ts"
import { type Provider, shownValue } from "../providers/Provider.ts"
import { ProviderStore } from "../providers/ProviderStore.ts"
import type { Subscription } from "../webhooks/Subscription.ts"
import { SubscriptionStore } from "../webhooks/SubscriptionStore.ts"
import { headerPlace, organizationSecretPlace, providerValuePlace, subscriptionSecretPlace } from "./Kept.ts"
import { SecretKeeping } from "./SecretKeeping.ts"
import { type SecretPlace, Secrets } from "./Secrets.ts"

/** What a walk over all secrets came to. */
export interface Resealed {
  /** Secrets that there are. */
  readonly secrets: number
  /** Of them, those that were not as `Secrets` would write them now, and are. */
  readonly resealed: number
  /** Of them, those that do not open with any key of this process; they stay as they are. */
  readonly unreadable: number
}

const nothing: Resealed = { secrets: 0, resealed: 0, unreadable: 0 }

const together = (one: Resealed, other: Resealed): Resealed => ({
  secrets: one.secrets + other.secrets,
  resealed: one.resealed + other.resealed,
  unreadable: one.unreadable + other.unreadable,
})

/** A row with its secrets renewed, as a change, and what was found in it. */
interface Renewed {
  readonly change: Change
  readonly found: Resealed
}

interface ResealingShape {
  /**
   * Brings every secret under the first key, also what lies there as it is. It may be ended and begun again, and run beside processes that
   * work: a row that is there all the while is not missed, whatever goes and comes meanwhile. A row that comes meanwhile is sealed by who writes
   * it, so the keys are turned in every process first.
   */
  readonly walk: Effect.Effect<Resealed, PortError>
}

/** Brings all secrets of the installation under the first key, after the keys were changed or first given. */
export class Resealing extends Context.Service<Resealing, ResealingShape>()("@carillon/core/secrets/Resealing") {
  static readonly layer = Layer.effect(
    Resealing,
    Effect.gen(function* () {
      const secrets = yield* Secrets
      const keeping = yield* SecretKeeping
      const accounts = yield* AccountStore
      const subscriptions = yield* SubscriptionStore
      const providers = yield* ProviderStore
      const steps = yield* Steps

      const isThere = (sealed: string | null): sealed is string => sealed !== null && sealed !== ""

      /** A secret under the first key, if it can be read. */
      const renewed = Effect.fnUntraced(function* <A extends string | null>(sealed: A, place: SecretPlace) {
        if (!isThere(sealed) || secrets.isCurrent(sealed)) return sealed
        const open = yield* keeping
          .open({ sealed, place })
          .pipe(Effect.catchTag("SecretUnreadable", () => Effect.succeed(null)))
        return open === null ? sealed : yield* keeping.seal(open, place)
      })

      const foundIn = (before: ReadonlyArray<string | null>, after: ReadonlyArray<string | null>): Resealed => ({
        secrets: after.filter(isThere).length,
        resealed: after.filter((text, nth) => text !== before[nth]).length,
        unreadable: after.filter((text) => isThere(text) && !secrets.isCurrent(text)).length,
      })

      const ofOrganization = Effect.fnUntraced(function* (before: Organization): Effect.fn.Return<Renewed, PortError> {
        const webhook_secret = yield* renewed(before.webhook_secret, organizationSecretPlace(before))
        return {
          change: put("organization", before, { ...before, webhook_secret }),
          found: foundIn([before.webhook_secret], [webhook_secret]),
        }
      })

      const ofSubscription = Effect.fnUntraced(function* (before: Subscription): Effect.fn.Return<Renewed, PortError> {
        const secret = yield* renewed(before.secret, subscriptionSecretPlace(before))
        const headers = yield* Effect.forEach(before.headers, ([name, value]) =>
          Effect.map(renewed(value, headerPlace(before, name)), (text) => [name, text] as const),
        )
        const values = before.headers.map(([, value]) => value)
        const after = headers.map(([, value]) => value)
        return {
          change: put("subscription", before, { ...before, secret, headers }),
          found: foundIn([before.secret, ...values], [secret, ...after]),
        }
      })

      const ofProvider = Effect.fnUntraced(function* (before: Provider): Effect.fn.Return<Renewed, PortError> {
        const provider_value = yield* renewed(before.provider_value, providerValuePlace(before))
        const after = { ...before, provider_value, provider_value_preview: shownValue(before) }
        return {
          change: put("provider", before, after),
          found: foundIn([before.provider_value], [provider_value]),
        }
      })

      /** Renews one row as it is now; one that is gone meanwhile had nothing to renew. */
      const step = <Row>(
        organization_id: string,
        load: Effect.Effect<Row | null, PortError>,
        renew: (row: Row) => Effect.Effect<Renewed, PortError>,
      ) => {
        const view = Effect.flatMap(load, (row) => (row === null ? Effect.succeed(null) : renew(row)))
        const { run } = steps
        return Effect.map(
          run(view, (seen) => {
            if (seen === null) return unchanged(nothing)
            const { change, found } = seen
            return found.resealed === 0 ? unchanged(found) : write({ organization_id, changes: [change] }, found)
          }),
          ({ reply }) => reply,
        )
      }

      const organizationOf = Effect.fnUntraced(function* (
        id: string,
        note: (found: Resealed) => void,
      ): Effect.fn.Return<void, PortError> {
        const noted = (found: Effect.Effect<Resealed, PortError>) => Effect.map(found, note)
        yield* noted(step(id, accounts.organization(id), ofOrganization))
        yield* walkRows(
          (after, limit) => subscriptions.after(id, after, limit),
          ({ subscription_id }) => subscription_id,
          limits.resealRows,
          ({ subscription_id }) => noted(step(id, subscriptions.find(id, subscription_id), ofSubscription)),
        )
        yield* walkRows(
          (after, limit) => providers.after(id, after, limit),
          ({ provider_id }) => provider_id,
          limits.resealRows,
          ({ provider_name }) => noted(step(id, providers.find(id, provider_name), ofProvider)),
        )
      })

      return Resealing.of({
        walk: Effect.gen(function* () {
          let all = nothing
          const note = (found: Resealed) => {
            all = together(all, found)
          }
          yield* walkRows(
            accounts.organizations,
            ({ organization_id }) => organization_id,
            limits.organizationPage,
            ({ organization_id }) => organizationOf(organization_id, note),
          )
          return all
        }),
      })
    }),
  )
}
