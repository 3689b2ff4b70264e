/** Which variables of a contact are written in another script (specification, `transliteration`). */
export interface TransliterationSettings {
  readonly enabled: boolean
  /** Names of columns or variables. */
  readonly fields: ReadonlyArray<string>
  readonly target_language_code: string | null
  /** Null: taken to be English. */
  readonly source_language_code: string | null
  /** Keeps the text as it was under `<field>_original`. */
  readonly keep_original: boolean
}

export const transliterationDefaults: TransliterationSettings = {
  enabled: false,
  fields: [],
  target_language_code: null,
  source_language_code: null,
  keep_original: false,
}
