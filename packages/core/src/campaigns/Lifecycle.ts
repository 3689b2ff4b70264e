import { Context, Effect, Layer } from "effect"
import type { Batch } from "../batches/rules/Batch.ts"
import { settlesBatch } from "../batches/rules/BatchErrand.ts"
import { Steps } from "../engine/Steps.ts"
import type { PortError } from "../Errors.ts"
import { completeCampaign } from "./steps/CompleteCampaign.ts"
import { expireCampaign } from "./steps/ExpireCampaign.ts"
import { mendCampaign } from "./steps/MendCampaign.ts"

interface LifecycleShape {
  /**
   * Moves a batch on by how far it has come, and then its campaign. Doing so again changes nothing. Where it fails it is done again for some minutes:
   * nothing else may happen to a batch of which nobody is left, while others of its campaign wait for days.
   */
  readonly settle: (batch: Pick<Batch, "batch_id" | "organization_id">) => Effect.Effect<void, PortError>
  /** Completes a campaign all of whose batches have finished. Doing so again changes nothing. */
  readonly complete: (campaignId: string) => Effect.Effect<void, PortError>
  /** Brings a campaign that has ended and batches of it that have not together again. Where all is well it changes nothing. */
  readonly mend: (campaignId: string) => Effect.Effect<void, PortError>
  /** Looks at a campaign whose end may have come; returns when to look again where it is still to come. */
  readonly wake: (campaignId: string) => Effect.Effect<number | null, PortError>
}

/** What happens to campaigns and batches by themselves (specification, "Campaign status"). */
export class Lifecycle extends Context.Service<Lifecycle, LifecycleShape>()("@carillon/core/campaigns/Lifecycle") {
  static readonly layer = Layer.effect(
    Lifecycle,
    Effect.gen(function* () {
      const steps = yield* Steps

      const mend = (campaign_id: string) => steps.take(mendCampaign, { organization_id: null, campaign_id })

      return Lifecycle.of({
        settle: (batch) => steps.errand(settlesBatch(batch)),
        complete: (campaign_id) => steps.take(completeCampaign, { organization_id: null, campaign_id }),
        mend,
        wake: (campaign_id) =>
          Effect.andThen(mend(campaign_id), steps.take(expireCampaign, { organization_id: null, campaign_id })),
      })
    }),
  )
}
