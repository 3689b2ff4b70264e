import { type Element, NotXml, readXml } from "./Xml.ts"

/** What a call was told to do. */
export interface Twiml {
  /** The text as it came. */
  readonly text: string
  readonly verbs: ReadonlyArray<Element>
}

export type TwimlReading =
  | { readonly _tag: "Read"; readonly twiml: Twiml; readonly warnings: ReadonlyArray<string> }
  /** https://www.twilio.com/docs/api/errors/12100: the call ends. */
  | { readonly _tag: "Unreadable"; readonly why: string }

/** https://www.twilio.com/docs/api/errors/11750: a document may have 64 KiB. */
export const longestTwimlBytes = 65_536

/** Types that a document of TwiML may be sent as. */
const xmlTypes = ["text/xml", "application/xml", "text/html"]

export const isXmlType = (contentType: string): boolean => xmlTypes.some((type) => contentType.startsWith(type))

const speech = ["break", "emphasis", "lang", "p", "phoneme", "prosody", "s", "say-as", "sub", "w"]

/** The verbs of voice and what may stand in each: https://www.twilio.com/docs/voice/twiml, and the page of each verb. */
const inside: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  [
    "Response",
    [
      "Connect",
      "Dial",
      "Enqueue",
      "Gather",
      "Hangup",
      "Leave",
      "Pause",
      "Pay",
      "Play",
      "Record",
      "Redirect",
      "Refer",
      "Reject",
      "Say",
      "Start",
      "Stop",
    ],
  ],
  ["Connect", ["Conversation", "ConversationRelay", "Room", "Stream", "VirtualAgent"]],
  ["Start", ["Recording", "Siprec", "Stream", "Transcription"]],
  ["Stop", ["Recording", "Siprec", "Stream", "Transcription"]],
  ["Dial", ["Application", "Client", "Conference", "Number", "Queue", "Sim", "Sip", "WhatsApp"]],
  ["Gather", ["Pause", "Play", "Say"]],
  ["Refer", ["Sip"]],
  ["Enqueue", ["Task"]],
  ["Pay", ["Parameter", "Prompt"]],
  ["Prompt", ["Pause", "Play", "Say"]],
  ["Stream", ["Parameter"]],
  ["Siprec", ["Parameter"]],
  ["Transcription", ["Config", "CustomParameter"]],
  ["ConversationRelay", ["Language", "Parameter"]],
  ["VirtualAgent", ["Config", "Parameter"]],
  ["Client", ["Identity", "Parameter"]],
  ["Application", ["ApplicationSid", "Parameter"]],
  ["Say", speech],
  ...speech.map((tag) => [tag, speech] as const),
])

/** Nouns that must say where they lead, over `wss:` alone: https://www.twilio.com/docs/voice/twiml/stream, …/connect/conversationrelay. */
const socketNouns = new Set(["Stream", "ConversationRelay"])
const tooLongAParameter = 500

const lengthOf = ({ attributes }: Element): number =>
  (attributes.get("name") ?? "").length + (attributes.get("value") ?? "").length

/** A stream that is stopped is named. */
const stops = new Set(["Stop"])

const isSocket = (url: string | undefined): boolean =>
  url !== undefined && URL.canParse(url) && new URL(url).protocol === "wss:"

/**
 * https://www.twilio.com/docs/voice/twiml/stream: its `url` "does not support query string parameters", and a parameter's name and value "must
 * be under 500 characters" together.
 */
const streamWarnings = ({ attributes, children }: Element): ReadonlyArray<string> => {
  const url = attributes.get("url") ?? ""
  const long = children.filter((parameter) => lengthOf(parameter) >= tooLongAParameter)
  return [
    ...(url.includes("?") ? ["<Stream> with a query in its url"] : []),
    ...long.map(() => `<Parameter> of ${tooLongAParameter} characters or more`),
  ]
}

const warningsOf = (element: Element, parent: string): ReadonlyArray<string> => {
  const own: Array<string> = []
  if (parent !== "" && !inside.get(parent)?.includes(element.name)) own.push(`<${element.name}> in <${parent}>`)
  if (socketNouns.has(element.name) && !stops.has(parent) && !isSocket(element.attributes.get("url"))) {
    own.push(`<${element.name}> without a wss: url`)
  }
  if (element.name === "Stream") own.push(...streamWarnings(element))
  if (element.name === "Parameter" && !(element.attributes.has("name") && element.attributes.has("value"))) {
    own.push("<Parameter> without a name and a value")
  }
  return [...own, ...element.children.flatMap((child) => warningsOf(child, element.name))]
}

/** Reads what a host answered. What is no TwiML is unreadable; what Twilio would skip (12200) is warned of. */
export const readTwiml = (text: string): TwimlReading => {
  if (Buffer.byteLength(text) > longestTwimlBytes) return { _tag: "Unreadable", why: "longer than 64 KiB" }
  try {
    const root = readXml(text)
    if (root.name !== "Response") return { _tag: "Unreadable", why: `<${root.name}> is no <Response>` }
    return { _tag: "Read", twiml: { text, verbs: root.children }, warnings: warningsOf(root, "") }
  } catch (error) {
    if (error instanceof NotXml) return { _tag: "Unreadable", why: error.message }
    throw error
  }
}
