import { Context, Effect, Layer } from "effect"
import { write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { holdersOf } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { NotFound, type PortError } from "../Errors.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import { hashKey, keyIdOfHash, keyPreview } from "../keys/ApiKeyFormat.ts"
import { KeyMinter } from "../keys/KeyMinter.ts"
import { scopes } from "../keys/ScopePolicy.ts"
import { concurrencyDefaults } from "../limits/SlotLevels.ts"
import { newPhoneNumber } from "../numbers/PhoneNumber.ts"
import { AccountStore } from "./AccountStore.ts"
import type { ConcurrencySettings, Organization, Wallet } from "./Organization.ts"

/** What a host says of a new tenant; everything left out has the engine's default. Numbers are E.164 caller IDs. */
export interface NewOrganization {
  readonly name: string
  readonly plan?: string
  readonly wallet?: Wallet
  readonly concurrency?: Partial<ConcurrencySettings>
  readonly webhook_secret?: string
  readonly phone_numbers?: ReadonlyArray<string>
}

/** What a host may change of a tenant. */
export type OrganizationChanges = Partial<
  Pick<Organization, "name" | "plan" | "wallet" | "concurrency" | "webhook_secret">
>

/** A tenant with its first key, whose text is told here and never again. */
export interface OpenedOrganization {
  readonly organization: Organization
  readonly key: string
  readonly record: ApiKey
}

const noFunds: Wallet = { balance: 0, currency: "USD" }

/** The tenants, as their host opens and changes them: `/v2` itself has no route for it. */
export class Organizations extends Context.Service<
  Organizations,
  {
    /** Opens an organization with its numbers and one key that holds every scope. */
    readonly open: (request: NewOrganization) => Effect.Effect<OpenedOrganization, PortError>
    /** Changes plan, wallet, ceilings or secret; ceilings take effect within a minute. */
    readonly change: (
      organizationId: string,
      changes: OrganizationChanges,
    ) => Effect.Effect<Organization, NotFound | PortError>
  }
>()("@carillon/core/organizations/Organizations") {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const steps = yield* Steps
      const clock = yield* DomainClock
      const ids = yield* Ids
      const minter = yield* KeyMinter
      let nth = 0

      return Organizations.of({
        open: Effect.fnUntraced(function* (request) {
          const now = clock.now()
          const organization_id = ids.mint("organization", request.name, nth++)
          const plan = request.plan ?? "standard"
          const organization: Organization = {
            organization_id,
            revision: 1,
            name: request.name,
            plan,
            rate_limit_tier: plan,
            wallet: request.wallet ?? noFunds,
            concurrency: { ...concurrencyDefaults, ...request.concurrency },
            webhook_secret: request.webhook_secret ?? null,
            created_at: now,
          }
          const key = minter.mint(organization_id)
          const hash = hashKey(key)
          const record: ApiKey = {
            key_id: keyIdOfHash(hash),
            revision: 1,
            hash,
            key_preview: keyPreview(key),
            organization_id,
            developer: { id: ids.mint("developer", organization_id), name: request.name, email: "" },
            plan,
            rate_limit_tier: plan,
            token_type: "api_key",
            status: "active",
            description: "First key",
            scopes,
            scopes_source: "explicit",
            keys_write_enabled: false,
            created_at: now,
            revoked_at: null,
          }
          const numbers = (request.phone_numbers ?? []).map((phone_number) =>
            newPhoneNumber({
              phone_number_id: ids.mint("phoneNumber", organization_id, phone_number),
              organization_id,
              phone_number,
              created_at: now,
            }),
          )
          yield* steps.commit({
            organization_id,
            changes: [
              put("organization", null, organization),
              put("api_key", null, record),
              ...numbers.flatMap((row) => [
                put("phone_number", null, row),
                { put: "guard", guard: holdersOf(row.phone_number) } as const,
              ]),
            ],
          })
          return { organization, key, record }
        }),
        change: Effect.fnUntraced(function* (organizationId, changes) {
          const load = Effect.flatMap(accounts.organization(organizationId), (organization) =>
            organization === null
              ? Effect.fail(new NotFound({ message: "Organization not found." }))
              : Effect.succeed(organization),
          )
          const { reply } = yield* steps.run(load, (organization, now) => {
            const changed = put("organization", organization, { ...organization, ...changes })
            return write(
              {
                organization_id: organizationId,
                changes: [changed],
                // Contacts may have been waiting for funds or lines.
                wakeups: [{ set: { kind: "dispatch", subject: organizationId, at: now } }],
              },
              changed.row,
            )
          })
          return reply
        }),
      })
    }),
  )
}
