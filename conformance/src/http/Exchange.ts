/** One request and what came back, with secrets already removed: fit for a report. */
export interface Exchange {
  /** When the request left, ISO-8601 UTC of the machine that runs the suite. */
  readonly at: string
  readonly durationMs: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  /** Null when no answer came. */
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
  /** Why no answer came. */
  readonly failure?: string
}

/** Longest body that an exchange keeps. */
export const bodyExcerptChars = 4_000

/** The text cut to what an exchange keeps, saying how much is left out. */
export const excerpt = (text: string): string =>
  text.length <= bodyExcerptChars
    ? text
    : `${text.slice(0, bodyExcerptChars)}… (${text.length - bodyExcerptChars} more characters)`
