import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { PhoneNumber } from "../../numbers/rules/PhoneNumber.ts"
import type { Purge } from "../../retention/rules/PurgeRow.ts"
import type { Organization, Platform } from "../rules/Organization.ts"

/** Reads of the account: the organization with its wallet and settings, its numbers, and the platform's settings. */
export class AccountStore extends Context.Service<
  AccountStore,
  {
    readonly organization: (organizationId: string) => Effect.Effect<Organization | null, PortError>
    /** Up to `limit` organizations in ascending order of their ids, after the given one. */
    readonly organizations: (
      after: string | null,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<Organization>, PortError>
    readonly platform: Effect.Effect<Platform | null, PortError>
    /** How far the organization's rows were purged; null where none ever were. */
    readonly purge: (organizationId: string) => Effect.Effect<Purge | null, PortError>
    /** The registered number with this text, or null. */
    readonly number: (organizationId: string, phoneNumber: string) => Effect.Effect<PhoneNumber | null, PortError>
    /** The texts of all registered numbers in the order of registration: there may be ten thousand, and many answers list them. */
    readonly numbers: (organizationId: string) => Effect.Effect<ReadonlyArray<string>, PortError>
    /** How many numbers are registered. */
    readonly numberCount: (organizationId: string) => Effect.Effect<number, PortError>
    /** Up to `limit` registered numbers in the order of registration, from the `first` on, which counts from 0. Every dial may ask. */
    readonly numbersFrom: (
      organizationId: string,
      first: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<PhoneNumber>, PortError>
  }
>()("@carillon/core/organizations/AccountStore") {}
