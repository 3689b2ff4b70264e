import { Effect } from "effect"
import type { Question } from "../../engine/steps/SetDescription.ts"
import type { SecretPlace } from "../rules/SecretPlace.ts"

/** A secret that is to lie in a row. */
interface Open {
  readonly text: string
  readonly place: SecretPlace
}

/** Secrets as they may lie in their rows. */
export const sealed: Question<ReadonlyArray<Open>, ReadonlyArray<string>> = {
  about: "whoever keeps secrets, to seal them",
  ask: ({ keeping }, all) => Effect.forEach(all, ({ place, text }) => keeping.seal(text, place)),
}
