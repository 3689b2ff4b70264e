import { Context, Effect, Layer } from "effect"
import { Audit } from "../audit/Audit.ts"
import { unchanged, write } from "../engine/Commit.ts"
import { DomainClock } from "../engine/DomainClock.ts"
import { holdersOf } from "../engine/Guards.ts"
import { Ids } from "../engine/Ids.ts"
import { put } from "../engine/Put.ts"
import { Steps } from "../engine/Steps.ts"
import { InvalidField, NotFound, type PortError } from "../Errors.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import { hashKey, keyIdOfHash, keyPreview } from "../keys/ApiKeyFormat.ts"
import { KeyMinter } from "../keys/KeyMinter.ts"
import { KeyStore } from "../keys/KeyStore.ts"
import { scopes } from "../keys/ScopePolicy.ts"
import { type ConcurrencyFigures, Gate } from "../limits/Gate.ts"
import { concurrencyDefaults } from "../limits/SlotLevels.ts"
import { limits } from "../Limits.ts"
import { newPhoneNumber } from "../numbers/PhoneNumber.ts"
import { purgeWakeup } from "../retention/PurgeWakeup.ts"
import { organizationSecretPlace } from "../secrets/Kept.ts"
import { SecretKeeping } from "../secrets/SecretKeeping.ts"
import { AccountStore } from "./AccountStore.ts"
import type { ConcurrencySettings, Organization, Wallet } from "./Organization.ts"
import { retentionFault } from "./RetentionDays.ts"

/** What a host says of a new tenant; everything left out has the engine's default. Numbers are E.164 caller IDs. */
export interface NewOrganization {
  readonly name: string
  readonly plan?: string
  readonly wallet?: Wallet
  readonly concurrency?: Partial<ConcurrencySettings>
  readonly webhook_secret?: string
  /** For how many days calls and contacts are kept after their end (`limits.retentionDays`); for ever where it is left out. */
  readonly retention_days?: number | null
  readonly phone_numbers?: ReadonlyArray<string>
}

/** What a host may change of a tenant. */
export type OrganizationChanges = Partial<
  Pick<Organization, "name" | "plan" | "wallet" | "concurrency" | "webhook_secret" | "retention_days">
>

/** A key whose text is told here and never again. */
export interface GivenKey {
  readonly key: string
  readonly record: ApiKey
}

/** A tenant with its first key. */
export interface OpenedOrganization extends GivenKey {
  readonly organization: Organization
}

/** Some of the tenants, in the order of their ids. */
export interface OrganizationPage {
  readonly items: ReadonlyArray<Organization>
  /** The id after which the next page begins; null: there is none. */
  readonly next: string | null
}

/** A tenant as its host looks at it. */
export interface ShownOrganization {
  readonly organization: Organization
  /** Registered numbers. */
  readonly numbers: number
  /** Its ceilings as they bind, and the lines that are in use. */
  readonly lines: ConcurrencyFigures
}

/** Rows that were kept for their time are looked for at once where somebody says for how long. */
const lookedFor = (organizationId: string, days: number | null | undefined, now: number) =>
  days === undefined ? [] : [{ set: purgeWakeup(organizationId, now) }]

const noFunds: Wallet = { balance: 0, currency: "USD" }

const absent = new NotFound({ message: "Organization not found." })

interface OrganizationsShape {
  /** Opens an organization with its numbers and one key that holds every scope. */
  readonly open: (request: NewOrganization) => Effect.Effect<OpenedOrganization, PortError>
  /**
   * Changes plan, wallet, ceilings, secret or for how long rows are kept; ceilings take effect within a minute. What depends on how it stands is given as a function of
   * it, which may be asked more than once.
   */
  readonly change: (
    organizationId: string,
    changes: OrganizationChanges | ((organization: Organization) => OrganizationChanges),
  ) => Effect.Effect<Organization, NotFound | PortError>
  /** Up to `limit` organizations after that id, from the first on where it is null; 100 at most. */
  readonly list: (after: string | null, limit?: number) => Effect.Effect<OrganizationPage, PortError>
  readonly show: (organizationId: string) => Effect.Effect<ShownOrganization, NotFound | PortError>
  /** Gives an organization one more key that holds every scope: for one that has lost its keys. Recorded in its audit trail. */
  readonly giveKey: (organizationId: string, name: string) => Effect.Effect<GivenKey, NotFound | PortError>
  /** Revokes any of its keys, within a minute in every process; revoking it again changes nothing. Recorded in its audit trail. */
  readonly revokeKey: (organizationId: string, keyId: string) => Effect.Effect<ApiKey, NotFound | PortError>
}

/** The tenants, as their host opens, reads and changes them: `/v2` itself has no route for it. */
export class Organizations extends Context.Service<Organizations, OrganizationsShape>()(
  "@carillon/core/organizations/Organizations",
) {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const keys = yield* KeyStore
      const gate = yield* Gate
      const audit = yield* Audit
      const steps = yield* Steps
      const clock = yield* DomainClock
      const ids = yield* Ids
      const minter = yield* KeyMinter
      const keeping = yield* SecretKeeping
      let nth = 0

      const existing = (organizationId: string) =>
        Effect.flatMap(accounts.organization(organizationId), (organization) =>
          organization === null ? Effect.fail(absent) : Effect.succeed(organization),
        )

      /** A key of the host's making, which holds every scope. */
      const fullKey = (organization: Organization, key: string, name: string, description: string): ApiKey => {
        const { organization_id, plan, rate_limit_tier } = organization
        const hash = hashKey(key)
        return {
          key_id: keyIdOfHash(hash),
          revision: 1,
          hash,
          key_preview: keyPreview(key),
          organization_id,
          developer: { id: ids.mint("developer", organization_id), name, email: "" },
          plan,
          rate_limit_tier,
          token_type: "api_key",
          status: "active",
          description,
          scopes,
          scopes_source: "explicit",
          keys_write_enabled: false,
          created_at: clock.now(),
          revoked_at: null,
        }
      }

      const open: OrganizationsShape["open"] = Effect.fnUntraced(function* (request) {
        const fault = retentionFault(request.retention_days)
        if (fault !== null) return yield* fault
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
          webhook_secret: yield* keeping.seal(
            request.webhook_secret ?? null,
            organizationSecretPlace({ organization_id }),
          ),
          ...(request.retention_days === undefined ? {} : { retention_days: request.retention_days }),
          created_at: now,
        }
        const key = minter.mint(organization_id)
        const record = fullKey(organization, key, request.name, "First key")
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
          wakeups: lookedFor(organization_id, request.retention_days, now),
        })
        return { organization, key, record }
      })

      const change: OrganizationsShape["change"] = Effect.fnUntraced(function* (organizationId, changes) {
        const view = Effect.gen(function* () {
          const organization = yield* existing(organizationId)
          const wanted = typeof changes === "function" ? changes(organization) : changes
          const fault = retentionFault(wanted.retention_days)
          if (fault !== null) return yield* fault
          const { webhook_secret } = wanted
          // A secret that is handed back as it was read is sealed already.
          if (webhook_secret === undefined || webhook_secret === organization.webhook_secret) {
            return { organization, wanted }
          }
          const sealed = yield* keeping.seal(webhook_secret, organizationSecretPlace(organization))
          return { organization, wanted: { ...wanted, webhook_secret: sealed } }
        })
        const { reply } = yield* steps.run(view, ({ organization, wanted }, now) => {
          const changed = put("organization", organization, { ...organization, ...wanted })
          return write(
            {
              organization_id: organizationId,
              changes: [changed],
              // Contacts may have been waiting for funds or lines.
              wakeups: [
                { set: { kind: "dispatch", subject: organizationId, at: now } },
                ...lookedFor(organizationId, wanted.retention_days, now),
              ],
            },
            changed.row,
          )
        })
        return reply
      })

      const list: OrganizationsShape["list"] = Effect.fnUntraced(function* (after, limit = limits.organizationPage) {
        if (!Number.isInteger(limit) || limit < 1 || limit > limits.organizationPage) {
          return yield* new InvalidField({
            field: "limit",
            reason: `must be a whole number from 1 to ${limits.organizationPage}`,
          })
        }
        // One more than is shown tells whether there is another page.
        const found = yield* accounts.organizations(after, limit + 1)
        const items = found.slice(0, limit)
        return { items, next: found.length > limit ? (items.at(-1)?.organization_id ?? null) : null }
      })

      const show: OrganizationsShape["show"] = Effect.fnUntraced(function* (organizationId) {
        const organization = yield* existing(organizationId)
        const numbers = yield* accounts.numberCount(organizationId)
        return { organization, numbers, lines: yield* gate.figures(organizationId) }
      })

      const giveKey: OrganizationsShape["giveKey"] = Effect.fnUntraced(function* (organizationId, name) {
        const organization = yield* existing(organizationId)
        const key = minter.mint(organizationId, "host", nth++)
        const record = fullKey(organization, key, organization.name, name)
        const resource = { type: "api_key", id: record.key_id }
        const details = { scopes: [...scopes] }
        yield* steps.commit({
          organization_id: organizationId,
          changes: [put("api_key", null, record)],
          audit: [audit.bySystem(organizationId, { action: "api_key.create", resource, details })],
        })
        return { key, record }
      })

      const revokeKey: OrganizationsShape["revokeKey"] = Effect.fnUntraced(function* (organizationId, keyId) {
        const found = Effect.flatMap(keys.find(organizationId, keyId), (key) =>
          key === null ? Effect.fail(new NotFound({ message: "API key not found." })) : Effect.succeed(key),
        )
        const { reply } = yield* steps.run(found, (key, now) => {
          if (key.status === "inactive") return unchanged(key)
          const revoked = put("api_key", key, { ...key, status: "inactive", revoked_at: now })
          const resource = { type: "api_key", id: keyId }
          return write(
            {
              organization_id: organizationId,
              changes: [revoked],
              audit: [audit.bySystem(organizationId, { action: "api_key.revoke", resource })],
            },
            revoked.row,
          )
        })
        return reply
      })

      return Organizations.of({ open, change, list, show, giveKey, revokeKey })
    }),
  )
}
