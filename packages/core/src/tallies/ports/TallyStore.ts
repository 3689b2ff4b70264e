import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"
import type { Tally } from "../rules/Tally.ts"

/** Reads of what is counted. Tallies are changed by commits only; a subject without one has an empty tally. */
export class TallyStore extends Context.Service<
  TallyStore,
  {
    /** The tally of a campaign or a batch, by its id. */
    readonly read: (subject: string) => Effect.Effect<Tally, PortError>
  }
>()("@carillon/core/tallies/TallyStore") {}
