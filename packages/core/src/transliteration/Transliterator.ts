import { Context, type Effect } from "effect"
import type { PortError } from "../Errors.ts"

/** Texts to be written in the script of another language. */
export interface TransliterationRequest {
  readonly texts: ReadonlyArray<string>
  readonly target_language_code: string
  /** Null: taken to be English. */
  readonly source_language_code: string | null
}

/** Writes names in another script. What it does not know how to write it gives back as it was. */
export class Transliterator extends Context.Service<
  Transliterator,
  {
    /** One text for each, in order. */
    readonly transliterate: (request: TransliterationRequest) => Effect.Effect<ReadonlyArray<string>, PortError>
  }
>()("@carillon/core/transliteration/Transliterator") {}
