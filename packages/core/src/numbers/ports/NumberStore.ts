import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { InboundAgent } from "../../inbound/rules/InboundAgent.ts"
import type { Page, PageRequest } from "../../Pagination.ts"
import type { PhoneNumber } from "../rules/PhoneNumber.ts"

/** Reads of numbers by their ids and of the agents that answer them. Lists are newest first. */
export class NumberStore extends Context.Service<
  NumberStore,
  {
    readonly find: (organizationId: string, phoneNumberId: string) => Effect.Effect<PhoneNumber | null, PortError>
    readonly page: (organizationId: string, page: PageRequest) => Effect.Effect<Page<PhoneNumber>, PortError>
    /** The organizations that have each of the numbers registered, in any order; one list for each, of at most `limits.heldNumbersAtOnce`. */
    readonly holders: (
      phoneNumbers: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, PortError>
    /** How many calls are live on each of the numbers, dialled from it or arriving at it; one count for each. */
    readonly live: (
      organizationId: string,
      phoneNumbers: ReadonlyArray<string>,
    ) => Effect.Effect<ReadonlyArray<number>, PortError>
    readonly binding: (organizationId: string, inboundAgentId: string) => Effect.Effect<InboundAgent | null, PortError>
    /** The binding of a number, or null. */
    readonly bindingOf: (organizationId: string, phoneNumberId: string) => Effect.Effect<InboundAgent | null, PortError>
    readonly bindings: (organizationId: string, page: PageRequest) => Effect.Effect<Page<InboundAgent>, PortError>
  }
>()("@carillon/core/numbers/NumberStore") {}
