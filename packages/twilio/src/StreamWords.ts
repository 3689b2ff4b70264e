/** Twilio's codes of a stream that could not be opened, or that broke (www.twilio.com/docs/api/errors, 319xx). 31950 and 31951 are warnings. */
const failures = /\b(?:319[0-2]\d|31941)\b/

/** The same in words, for a text without a code: the titles of the pages of these errors. */
const failureNames =
  /connection (?:timeout|refused|broken pipe)|host unreachable|handshake error|protocol error|schema not supported|malformed url|invalid track/i

/**
 * The socket was closed from the host's side: that is how a host ends a talk, and how its endpoint breaks off, and nobody can tell the one from
 * the other.
 */
const closedByHost = /\b31921\b|close error/i

/**
 * What a stream's error says, as it comes in `StreamError`. `Failed`: nobody speaks with the callee any more. `Closed`: the host's own end of the
 * talk, for all that anybody knows. `Unclear`: a text that is not known, which is never the end of a call.
 */
export type StreamMeaning =
  | { readonly _tag: "Failed"; readonly code: string | null }
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Unclear" }

export const meaningOfStreamError = (text: string): StreamMeaning => {
  if (closedByHost.test(text)) return { _tag: "Closed" }
  const code = failures.exec(text)?.[0] ?? null
  return code !== null || failureNames.test(text) ? { _tag: "Failed", code } : { _tag: "Unclear" }
}

/** The same in words, for the call's `error`. */
export const streamFailed = (code: string | null): string =>
  `The stream to the voice failed${code === null ? "" : ` (Twilio's error ${code})`}.`
