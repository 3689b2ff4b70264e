import { Context, Effect, Layer } from "effect"
import type { PortError } from "../Errors.ts"
import { inDevanagari } from "./Devanagari.ts"

/** Texts to be written in the script of another language. */
export interface TransliterationRequest {
  readonly texts: ReadonlyArray<string>
  readonly target_language_code: string
  /** Null: taken to be English. */
  readonly source_language_code: string | null
}

const devanagariLanguages: ReadonlySet<string> = new Set(["hi", "mr", "ne"])

const writesDevanagari = (languageCode: string): boolean =>
  devanagariLanguages.has(languageCode.toLowerCase().split(/[-_]/)[0] ?? "")

/** Writes names in another script. What it does not know how to write it gives back as it was. */
export class Transliterator extends Context.Service<
  Transliterator,
  {
    /** One text for each, in order. */
    readonly transliterate: (request: TransliterationRequest) => Effect.Effect<ReadonlyArray<string>, PortError>
  }
>()("@carillon/core/transliteration/Transliterator") {
  /**
   * Writes Latin names for languages that use Devanagari (`hi`, `mr`, `ne`, with or without a region). Texts for other languages stay
   * as they are: a host that needs them brings a service for it.
   */
  static readonly layer = Layer.succeed(Transliterator, {
    transliterate: ({ texts, target_language_code }) =>
      Effect.succeed(writesDevanagari(target_language_code) ? texts.map(inDevanagari) : texts),
  })
}
