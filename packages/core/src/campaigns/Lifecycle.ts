import { Context, Effect, Layer } from "effect"
import { settleBatch } from "../batches/SettleBatch.ts"
import { Steps } from "../engine/Steps.ts"
import { makeTriedLater } from "../engine/TriedLater.ts"
import type { PortError } from "../Errors.ts"
import { completeCampaign } from "./CompleteCampaign.ts"
import { expireCampaign } from "./ExpireCampaign.ts"
import { mendCampaign } from "./MendCampaign.ts"

interface LifecycleShape {
  /**
   * Moves a batch on by how far it has come, and then its campaign. Doing so again changes nothing. Where it fails it is done again for some minutes:
   * nothing else may happen to a batch of which nobody is left, while others of its campaign wait for days.
   */
  readonly settle: (batchId: string) => Effect.Effect<void, PortError>
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

      const mend = Effect.fnUntraced(function* (campaign_id: string) {
        const mended = yield* steps.take(mendCampaign, { organization_id: null, campaign_id })
        if (mended !== null)
          yield* Effect.logWarning("A campaign had ended and some of its batches had not.", campaign_id, mended)
      })

      const settle = Effect.fnUntraced(function* (batch_id: string) {
        const broken = yield* steps.take(settleBatch, { organization_id: null, batch_id })
        if (broken !== null) yield* mend(broken)
      })

      /** Batches that could not be moved on. A process that starts looks at all. */
      const settleLater = yield* makeTriedLater("batches:unsettled", settle)

      return Lifecycle.of({
        settle: (batch_id) => Effect.tapError(settle(batch_id), () => settleLater(batch_id)),
        complete: (campaign_id) => steps.take(completeCampaign, { organization_id: null, campaign_id }),
        mend,
        wake: (campaign_id) =>
          Effect.andThen(mend(campaign_id), steps.take(expireCampaign, { organization_id: null, campaign_id })),
      })
    }),
  )
}
