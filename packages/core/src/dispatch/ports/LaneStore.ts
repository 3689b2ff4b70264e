import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"

/**
 * Which lanes have changed. A lane is what has one fair share: a campaign, or a batch without one. A dispatcher keeps its picture of
 * an organization by asking for what has changed since it last looked, so a dispatch costs the same however many lanes there are.
 */
export class LaneStore extends Context.Service<
  LaneStore,
  {
    /**
     * The lanes whose campaign, batches, contacts or held lines changed after the given sequence number (0: all); a change of the
     * organization's row or of one of its agents concerns all of its lanes.
     */
    readonly changed: (
      organizationId: string,
      since: number,
    ) => Effect.Effect<{ readonly sequence: number; readonly lanes: ReadonlyArray<string> }, PortError>
    /** Whether the organization has a lane at all: without one a freed line concerns no dispatcher. */
    readonly any: (organizationId: string) => Effect.Effect<boolean, PortError>
    /** Organizations with lanes, in pages after the given id. */
    readonly organizations: (after: string | null, limit: number) => Effect.Effect<ReadonlyArray<string>, PortError>
  }
>()("@carillon/core/dispatch/LaneStore") {}
