import { Effect } from "effect"
import type { EngineError } from "../Errors.ts"
import { nothingMade, type Recalled } from "./rules/Recalled.ts"

/** What was looked for and stands as soon as it is there. */
export const foundOrNothing = <Made>(
  looking: Effect.Effect<Made, EngineError>,
): Effect.Effect<Recalled<Made>, EngineError> =>
  looking.pipe(
    Effect.map((made): Recalled<Made> => ({ _tag: "Made", made })),
    Effect.catchTag("NotFound", () => Effect.succeed(nothingMade)),
  )
