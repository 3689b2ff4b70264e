import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { Callee } from "../rules/Callee.ts"
import type { HoursSetting } from "../rules/HoursRow.ts"

/** A callee in its place: the order in which rows came. Places are numbers above 0, which mean nothing in another store. */
export interface PlacedCallee {
  readonly place: number
  readonly callee: Callee
}

/** Some callees of an organization, and where those after them begin: a text that means nothing in another store. */
export interface KnownCallees {
  readonly callees: ReadonlyArray<Callee>
  /** Of the last of them; where there is none, the one that was asked after. */
  readonly last: string | null
}

/** Reads of what organizations know of the numbers that they call. */
export class CalleeStore extends Context.Service<
  CalleeStore,
  {
    readonly find: (organizationId: string, toNumber: string) => Effect.Effect<Callee | null, PortError>
    /** The callees of those numbers of which something is known, in no certain order. */
    readonly several: (
      organizationId: string,
      toNumbers: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<Callee>, PortError>
    /** Those with a suppression, whether it stands still or has ended, newest first, as their rows came. */
    readonly suppressed: (organizationId: string, page: PageRequest) => Effect.Effect<Page<Callee>, PortError>
    /** The same in the order in which their rows came, after a place, up to `limit`. */
    readonly oldest: (
      organizationId: string,
      after: number,
      limit: number,
    ) => Effect.Effect<ReadonlyArray<PlacedCallee>, PortError>
    /** All of whom something is known, and of whom nothing is any more, once each in an order of the store, after `last` of others, up to `limit`. */
    readonly known: (
      organizationId: string,
      after: string | null,
      limit: number,
    ) => Effect.Effect<KnownCallees, PortError>
    /** The callee hours of an organization; null where it never had some. */
    readonly hours: (organizationId: string) => Effect.Effect<HoursSetting | null, PortError>
  }
>()("@carillon/core/callees/CalleeStore") {}
