import { Context, Effect, Layer } from "effect"
import { Ids } from "../engine/ports/Ids.ts"
import { Steps } from "../engine/Steps.ts"
import { InvalidField, type NotFound, type PortError, type StateConflict } from "../Errors.ts"
import type { ApiKey } from "../keys/rules/ApiKey.ts"
import { KeyMinter } from "../keys/ports/KeyMinter.ts"
import { keptText } from "../keys/rules/KeptText.ts"
import { takeKey } from "../keys/steps/RevokeKey.ts"
import type { ConcurrencyFigures } from "../limits/rules/ConcurrencyFigures.ts"
import { Gate } from "../limits/Gate.ts"
import { limits } from "../Limits.ts"
import { organizationSecretPlace } from "../secrets/rules/Kept.ts"
import { SecretKeeping } from "../secrets/ports/SecretKeeping.ts"
import type { Purge } from "../retention/rules/PurgeRow.ts"
import { AccountStore } from "./ports/AccountStore.ts"
import { changeOrganization, type OrganizationChanges } from "./steps/ChangeOrganization.ts"
import { giveKey } from "./steps/GiveKey.ts"
import { openOrganization } from "./steps/OpenOrganization.ts"
import type { NewOrganization } from "./rules/NewOrganization.ts"
import type { Organization } from "./rules/Organization.ts"
import { noSuchOrganization } from "./steps/OrganizationReads.ts"
import { keyNameFault, openingFault } from "./rules/TenantWords.ts"

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
  /** How far rows that were kept for their time were taken away; null where none ever were. */
  readonly purge: Purge | null
}

interface OrganizationsShape {
  /**
   * Opens an organization with its numbers and one key that holds every scope. Fails with `InvalidField` where a field is not what it must be, and with
   * `StateConflict` where another organization has one of the numbers, and `NumberOwnership` does not let them share it.
   */
  readonly open: (request: NewOrganization) => Effect.Effect<OpenedOrganization, StateConflict | PortError>
  /**
   * Changes name, plan, wallet, ceilings, secret or for how long rows are kept; ceilings take effect within a minute. What depends on how it stands is given as a
   * function of it, which may be asked more than once. Recorded in its audit trail with the names of what has changed; where nothing does, nothing is written.
   * Fails with `InvalidField` where a field is not what it must be.
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
      const gate = yield* Gate
      const steps = yield* Steps
      const ids = yield* Ids
      const minter = yield* KeyMinter
      const keeping = yield* SecretKeeping
      let nth = 0

      const open: OrganizationsShape["open"] = Effect.fnUntraced(function* (request) {
        const fault = openingFault(request)
        if (fault !== null) return yield* fault
        const organization_id = ids.mint("organization", request.name, nth++)
        const place = organizationSecretPlace({ organization_id })
        const webhook_secret = yield* keeping.seal(request.webhook_secret ?? null, place)
        const key = minter.mint(organization_id)
        const opened = { organization_id, request, webhook_secret, kept: keptText(key) }
        return { ...(yield* steps.take(openOrganization, opened)), key }
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
        const organization = yield* accounts.organization(organizationId)
        if (organization === null) return yield* noSuchOrganization
        const numbers = yield* accounts.numberCount(organizationId)
        const purge = yield* accounts.purge(organizationId)
        return { organization, numbers, lines: yield* gate.figures(organizationId), purge }
      })

      const give: OrganizationsShape["giveKey"] = Effect.fnUntraced(function* (organization_id, name) {
        const fault = keyNameFault({ name })
        if (fault !== null) return yield* fault
        const key = minter.mint(organization_id, "host", nth++)
        const record = yield* steps.take(giveKey, { organization_id, name, kept: keptText(key) })
        return { key, record }
      })

      return Organizations.of({
        open,
        change: (organization_id, changes) => steps.take(changeOrganization, { organization_id, changes }),
        list,
        show,
        giveKey: give,
        revokeKey: (organization_id, key_id) => steps.take(takeKey, { organization_id, key_id }),
      })
    }),
  )
}
