import { Context, Effect, Layer } from "effect"
import { Steps } from "../engine/Steps.ts"
import { type EngineError, NotFound, type PortError } from "../Errors.ts"
import type { Caller } from "../keys/rules/Caller.ts"
import { writtenBreaker } from "./rules/Breaker.ts"
import { type BreakerRecord, breakerRecord } from "./rules/BreakerRecord.ts"
import type { BreakerSetting } from "./rules/BreakerSetting.ts"
import type { Campaign } from "./rules/Campaign.ts"
import { campaignOf } from "./steps/CampaignReads.ts"
import { removeBreaker, setBreaker } from "./steps/SetBreaker.ts"
import { closeBreaker, tripBreaker } from "./steps/TripBreaker.ts"

const noBreaker = new NotFound({ message: "This campaign has no breaker." })

interface BreakersShape {
  /** When a campaign pauses itself, and whether it has. Fails with NotFound where it never does. */
  readonly find: (organizationId: string, campaignId: string) => Effect.Effect<BreakerRecord, NotFound | PortError>
  /**
   * Replaces it. Calls that are dialled from then on count. Fails with Malformed without any threshold, InvalidField where more calls are needed than
   * are looked at, StateConflict of a campaign that cannot be edited.
   */
  readonly set: (
    caller: Caller,
    campaignId: string,
    setting: BreakerSetting,
  ) => Effect.Effect<BreakerRecord, EngineError>
  /** Takes it away; what it has paused stays so. Fails with NotFound where there is none. */
  readonly remove: (caller: Caller, campaignId: string) => Effect.Effect<void, EngineError>
  /** Looks whether a campaign pauses itself now, or goes on after it has; returns when to look again where that is still to come. */
  readonly wake: (campaignId: string) => Effect.Effect<number | null, PortError>
}

/** When campaigns pause themselves, as customers set it and as it comes about (docs/guides/campaign-breaker.md). */
export class Breakers extends Context.Service<Breakers, BreakersShape>()("@carillon/core/campaigns/Breakers") {
  static readonly layer = Layer.effect(
    Breakers,
    Effect.gen(function* () {
      const steps = yield* Steps

      const recordOf = (campaign: Campaign) => {
        const record = breakerRecord(campaign)
        return record === null ? Effect.fail(noBreaker) : Effect.succeed(record)
      }

      return Breakers.of({
        find: (organizationId, campaignId) =>
          Effect.flatMap(
            steps.look(() => campaignOf(organizationId, campaignId)),
            recordOf,
          ),
        set: Effect.fnUntraced(function* (caller, campaign_id, asked) {
          const setting = yield* Effect.fromResult(writtenBreaker(asked))
          const { campaign } = yield* steps.take(setBreaker, { caller, campaign_id, setting })
          return yield* recordOf(campaign)
        }),
        remove: Effect.fnUntraced(function* (caller, campaign_id) {
          if (!(yield* steps.take(removeBreaker, { caller, campaign_id }))) return yield* noBreaker
        }),
        wake: Effect.fnUntraced(function* (campaign_id) {
          yield* steps.take(tripBreaker, { organization_id: null, campaign_id })
          return yield* steps.take(closeBreaker, { organization_id: null, campaign_id })
        }),
      })
    }),
  )
}
