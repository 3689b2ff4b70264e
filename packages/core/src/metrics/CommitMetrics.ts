import { Effect, Layer } from "effect"
import { CurrentCommitMeter } from "../engine/ports/CommitMeter.ts"
import { metrics } from "./rules/Catalogue.ts"
import { CurrentMeters } from "./ports/Meters.ts"

/** Counts what becomes of commits, where anything is measured. */
export const commitMeterLayer = Layer.effect(
  CurrentCommitMeter,
  Effect.map(CurrentMeters, (meters) =>
    meters === null
      ? null
      : {
          ended: (end) => meters.count(metrics.commits, [end]),
          again: (reason) => meters.count(metrics.commitRetries, [reason]),
        },
  ),
)
