import { Context, type Effect } from "effect"
import type { PortError } from "../../Errors.ts"

/** The one place for uploads that each organization has, over all processes. Times are epoch milliseconds of domain time. */
export class UploadPlaces extends Context.Service<
  UploadPlaces,
  {
    /** Takes the place unless another holder has it; one that was not given back is free again after `until`. */
    readonly take: (
      organizationId: string,
      holder: string,
      times: { readonly now: number; readonly until: number },
    ) => Effect.Effect<boolean, PortError>
    /** Gives the place back, if it is still this holder's. */
    readonly release: (organizationId: string, holder: string) => Effect.Effect<void, PortError>
  }
>()("@carillon/core/knowledge/UploadPlaces") {}
