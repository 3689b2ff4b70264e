import { bounds } from "./Bounds.ts"

/** Names and values that reach the host's own endpoint with the call. */
export type VoiceParameters = Readonly<Record<string, string>>

/** A WebSocket of the host's that hears and speaks raw audio (`<Connect><Stream>`). */
export interface StreamVoice {
  readonly type: "stream"
  /** `wss:` and without a query: Twilio sends none. */
  readonly url: string
  /** Each has fewer than 500 characters, its name counted in: Twilio takes no more. */
  readonly parameters?: VoiceParameters
}

/** A WebSocket of the host's that reads and writes text, while Twilio listens and speaks (`<Connect><ConversationRelay>`). */
export interface RelayVoice {
  readonly type: "relay"
  readonly url: string
  readonly parameters?: VoiceParameters
  /** Attributes of `<ConversationRelay>` as Twilio names them, such as `welcomeGreeting`, `language` and `voice`. */
  readonly attributes?: Readonly<Record<string, string>>
}

/** A SIP address that answers in the agent's stead (`<Dial><Sip>`). */
export interface SipVoice {
  readonly type: "sip"
  /** `sip:` or `sips:`, with its own parameters if it has any. */
  readonly address: string
  readonly username?: string
  readonly password?: string
}

/** A sentence that Twilio says before it hangs up (`<Say>`): enough to hear a first call, with nothing of the host's behind it. */
export interface SayVoice {
  readonly type: "say"
  readonly text: string
}

/** Who speaks with the callee. Whoever is the host's own is told the execution id. */
export type Voice = StreamVoice | RelayVoice | SipVoice | SayVoice

/** What XML 1.0 cannot carry in any way of writing it. */
const notXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

const written = (text: string, escaped: RegExp): string =>
  text.replace(notXml, "").replace(escaped, (character) => escapes[character] ?? `&#${character.charCodeAt(0)};`)

const content = (text: string): string => written(text, /[&<>]/g)

/** In an attribute, line breaks and tabs are read as spaces unless they are written as references. */
const attribute = (text: string): string => written(text, /[&<"\t\n\r]/g)

const attributes = (of: Readonly<Record<string, string>>): string =>
  Object.entries(of)
    .map(([name, value]) => ` ${name}="${attribute(value)}"`)
    .join("")

const element = (name: string, of: Readonly<Record<string, string>>, inside: string): string =>
  inside === "" ? `<${name}${attributes(of)}/>` : `<${name}${attributes(of)}>${inside}</${name}>`

const attributeName = /^[a-z][A-Za-z0-9]{0,63}$/

const parametersOf = (executionId: string, parameters: VoiceParameters = {}): string =>
  Object.entries({ ...parameters, execution_id: executionId })
    .map(([name, value]) => element("Parameter", { name, value }, ""))
    .join("")

/** A mistake in what the host's `voice` answered; it names no value. */
export class WrongVoice extends Error {}

/** https://www.twilio.com/docs/voice/twiml/stream#custom-parameters; for `<ConversationRelay>` no page names a bound. */
const streamParametersOf = (executionId: string, parameters: VoiceParameters = {}): string => {
  const isLong = ([name, value]: readonly [string, string]) => name.length + value.length > bounds.parameterCharacters
  if (Object.entries({ ...parameters, execution_id: executionId }).some(isLong)) {
    throw new WrongVoice(`A stream's parameter must fit into ${bounds.parameterCharacters} characters with its name.`)
  }
  return parametersOf(executionId, parameters)
}

const socket = (url: string): string => {
  if (!/^wss:\/\/[^\s?#]+$/.test(url)) throw new WrongVoice("The voice's url must be a wss: address without a query.")
  return url
}

const sipAddress = (address: string, executionId: string): string => {
  if (!/^sips?:[^\s<>"]+$/.test(address)) throw new WrongVoice("The voice's address must be a sip: or sips: address.")
  const header = `X-Execution-Id=${encodeURIComponent(executionId)}`
  return `${address}${address.includes("?") ? "&" : "?"}${header}`
}

const verbs = (voice: Voice, executionId: string, streamStatus: string): string => {
  switch (voice.type) {
    case "stream":
      return element(
        "Connect",
        {},
        element(
          "Stream",
          { url: socket(voice.url), statusCallback: streamStatus, statusCallbackMethod: "POST" },
          streamParametersOf(executionId, voice.parameters),
        ),
      )
    case "relay": {
      const of = voice.attributes ?? {}
      if (!Object.keys(of).every((name) => attributeName.test(name))) {
        throw new WrongVoice("The voice's attributes must have names such as welcomeGreeting.")
      }
      const relay = { ...of, url: socket(voice.url) }
      return element("Connect", {}, element("ConversationRelay", relay, parametersOf(executionId, voice.parameters)))
    }
    case "say":
      return element("Say", {}, content(voice.text))
    case "sip": {
      const credentials = {
        ...(voice.username === undefined ? {} : { username: voice.username }),
        ...(voice.password === undefined ? {} : { password: voice.password }),
      }
      return element("Dial", {}, element("Sip", credentials, content(sipAddress(voice.address, executionId))))
    }
  }
}

/** The TwiML that connects the callee with the voice. A stream's own status is told at `streamStatus`. Throws `WrongVoice` where it would not be what Twilio takes. */
export const twimlOf = (voice: Voice, executionId: string, streamStatus: string): string => {
  const twiml = `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs(voice, executionId, streamStatus)}</Response>`
  if (twiml.length > bounds.twimlCharacters) {
    throw new WrongVoice(`What the voice is told must fit into ${bounds.twimlCharacters} characters of TwiML.`)
  }
  return twiml
}
