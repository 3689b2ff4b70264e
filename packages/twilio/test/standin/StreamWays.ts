/**
 * What Twilio's pages leave open of a `<Connect><Stream>`. A host has to do with either way of each, and a test tries both.
 */
export interface StreamWays {
  /** What `StreamError` says; https://www.twilio.com/docs/voice/twiml/stream#statuscallback: "a detailed error message". */
  readonly error_is: "words" | "code" | "both"
  /** `StreamError` where there was no error: the same table has it, "if an error has occurred". */
  readonly no_error_is: "left out" | "empty"
  /** A stream that ended with an error is told as stopped behind it. The page: "Whenever a Stream is started or stopped". */
  readonly stops_after_error: boolean
  /**
   * As what a stream is told whose socket the host closed. https://www.twilio.com/docs/api/errors/31921 is an error, and has the host's own
   * wish among its causes; to close is also how a host stops a stream.
   */
  readonly closed_is: "stream-error" | "stream-stopped"
  /**
   * What a call does whose stream could not be opened, or broke. https://www.twilio.com/docs/voice/twiml/connect: "<Connect> will finish and
   * Twilio will move on"; but https://www.twilio.com/docs/voice/twiml/stream: "only after your server closes the WebSocket connection".
   */
  readonly call_then: "goes on" | "ends"
  /** Whether the stream of a call that ends is told as stopped before the call is told as over. */
  readonly stopped_is_told: "before the end" | "after the end"
}

export const standardWays: StreamWays = {
  error_is: "words",
  no_error_is: "left out",
  stops_after_error: false,
  closed_is: "stream-error",
  call_then: "goes on",
  stopped_is_told: "before the end",
}

/** Each way by itself, and all that are not standard at once. */
export const otherWays: ReadonlyArray<Partial<StreamWays>> = [
  { error_is: "code" },
  { error_is: "both" },
  { no_error_is: "empty" },
  { stops_after_error: true },
  { closed_is: "stream-stopped" },
  { call_then: "ends" },
  { stopped_is_told: "after the end" },
  {
    error_is: "code",
    no_error_is: "empty",
    stops_after_error: true,
    closed_is: "stream-stopped",
    call_then: "ends",
    stopped_is_told: "after the end",
  },
]

/** The titles of the errors of streams: https://www.twilio.com/docs/api/errors/31901, and so on. */
const titles: ReadonlyMap<number, string> = new Map([
  [31901, "Stream - WebSocket - Connection Timeout"],
  [31902, "Stream - WebSocket - Connection Refused"],
  [31903, "Stream - WebSocket - Connection Broken Pipe"],
  [31904, "Stream - WebSocket - Host Unreachable"],
  [31910, "Stream - WebSocket - SSL Protocol Error"],
  [31920, "Stream - WebSocket - Handshake Error"],
  [31921, "Stream - WebSocket - Close Error"],
  [31922, "Stream - WebSocket - URL Schema Not Supported"],
  [31923, "Stream - WebSocket - Malformed URL"],
  [31924, "Stream - Websocket - Protocol Error"],
  [31941, "Stream - Invalid Track configuration"],
  [31950, "Stream - Protocol - Malformed Message"],
  [31951, "Stream - Protocol - Invalid Message"],
])

export const streamErrors: ReadonlyArray<number> = [...titles.keys()]

/**
 * What an error does to its stream, by the pages of the errors: 31903 is of a stream that is "active", 31921 of one whose socket the host
 * closed, 31924 of one that was spoken over; 31950 and 31951 are warnings, "sent once per stream". All others are of the opening.
 */
type StreamHarm = "unopened" | "closed" | "broken" | "none"

export const harmOf = (code: number): StreamHarm => {
  switch (code) {
    case 31921:
      return "closed"
    case 31903:
    case 31924:
      return "broken"
    case 31950:
    case 31951:
      return "none"
    default:
      return "unopened"
  }
}

/** What `StreamError` says of an error. */
export const errorText = (code: number, ways: StreamWays): string => {
  const title = titles.get(code) ?? "Stream"
  switch (ways.error_is) {
    case "words":
      return title
    case "code":
      return String(code)
    case "both":
      return `${code}: ${title}`
  }
}
