import { Context, Effect, Layer } from "effect"
import { nextTurn } from "../../engine/ports/Pacing.ts"
import type { PortError } from "../../Errors.ts"
import { inDevanagari } from "../rules/Devanagari.ts"

/** From which language into the script of which other. */
export interface TransliterationLanguages {
  readonly target_language_code: string
  /** Null: taken to be English. */
  readonly source_language_code: string | null
}

/** Texts to be written in the script of another language. */
export interface TransliterationRequest extends TransliterationLanguages {
  readonly texts: ReadonlyArray<string>
}

const devanagariLanguages: ReadonlySet<string> = new Set(["hi", "mr", "ne"])

/** The language of a code with or without a region. */
const languageOf = (code: string): string => code.toLowerCase().split(/[-_]/)[0] ?? ""

/** Characters that are written before others get their turn; a letter takes longer than to read or to store it. */
const turnCharacters = 16 * 1024

const writtenInTurns = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const written: Array<string> = []
  let characters = 0
  for (const text of texts) {
    characters += text.length
    if (characters > turnCharacters) {
      yield* nextTurn
      characters = text.length
    }
    written.push(inDevanagari(text))
  }
  return written
})

/** Writes names in another script. */
export class Transliterator extends Context.Service<
  Transliterator,
  {
    /** Which of the two languages it does not know, or null: a campaign that names one is refused. */
    readonly unknown: (
      languages: TransliterationLanguages,
    ) => Effect.Effect<keyof TransliterationLanguages | null, PortError>
    /** One text for each, in order. What it does not know how to write it gives back as it was. */
    readonly transliterate: (request: TransliterationRequest) => Effect.Effect<ReadonlyArray<string>, PortError>
  }
>()("@carillon/core/transliteration/Transliterator") {
  /**
   * Writes English names for languages that use Devanagari (`hi`, `mr`, `ne`, with or without a region). A host that needs other
   * languages brings a service for it.
   */
  static readonly layer = Layer.succeed(Transliterator, {
    unknown: ({ source_language_code, target_language_code }) =>
      Effect.succeed(
        !devanagariLanguages.has(languageOf(target_language_code))
          ? "target_language_code"
          : languageOf(source_language_code ?? "en") === "en"
            ? null
            : "source_language_code",
      ),
    transliterate: ({ texts, target_language_code }) =>
      devanagariLanguages.has(languageOf(target_language_code)) ? writtenInTurns(texts) : Effect.succeed(texts),
  })
}
