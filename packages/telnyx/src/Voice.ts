import { bounds } from "./Bounds.ts"
import type { Deed } from "./State.ts"

/** Names and values that reach the host's own endpoint with the call. */
export type VoiceParameters = Readonly<Record<string, string>>

/** A WebSocket of the host's that hears and speaks raw audio (Telnyx's media streaming). */
export interface StreamVoice {
  readonly type: "stream"
  /** `wss:`. The execution id and the parameters are added to its query. */
  readonly url: string
  readonly parameters?: VoiceParameters
  /** What the endpoint speaks in. Default: `PCMU`, as RTP payloads. */
  readonly codec?: "PCMU" | "PCMA" | "G722" | "OPUS" | "AMR-WB" | "L16"
  /** Sent to the endpoint when Telnyx connects; Telnyx takes up to 4,000 characters. */
  readonly authToken?: string
}

/** A WebSocket of the host's that reads and writes text, while Telnyx listens and speaks (its Conversation Relay). */
export interface RelayVoice {
  readonly type: "relay"
  readonly url: string
  readonly parameters?: VoiceParameters
  /** Fields of `conversation_relay_config` as Telnyx names them, such as `greeting`, `language` and `voice`. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>
}

/** An AI assistant of Telnyx's, which speaks by itself. */
export interface AssistantVoice {
  readonly type: "assistant"
  /** Its id at Telnyx. */
  readonly id: string
  /** Replace what is set at Telnyx. */
  readonly instructions?: string
  readonly greeting?: string
  /** Its dynamic variables; the execution id is among them. */
  readonly parameters?: VoiceParameters
}

/** A SIP address that answers in the agent's stead: the call is transferred there once the callee has answered. */
export interface SipVoice {
  readonly type: "sip"
  /** `sip:` or `sips:`, without spaces. */
  readonly address: string
}

/** A WAV or MP3 file that is played before the call is hung up: enough to hear a first call, with nothing of the host's behind it. */
export interface AudioVoice {
  readonly type: "audio"
  /** `https:`. */
  readonly url: string
}

/** Who speaks with the callee. Whoever is the host's own is told the execution id. */
export type Voice = StreamVoice | RelayVoice | AssistantVoice | SipVoice | AudioVoice

/** A mistake in what the host's `voice` answered; it names no value. */
export class WrongVoice extends Error {}

/** The fields of a dial that say who speaks, in Telnyx's names. */
export interface SpokenFields {
  readonly stream_url?: string
  readonly stream_track?: "inbound_track"
  readonly stream_bidirectional_mode?: "rtp"
  readonly stream_bidirectional_codec?: NonNullable<StreamVoice["codec"]>
  readonly stream_auth_token?: string
  readonly conversation_relay_config?: {
    readonly [attribute: string]: string | number | boolean | VoiceParameters
    readonly url: string
    readonly custom_parameters: VoiceParameters
  }
  readonly assistant?: {
    readonly id: string
    readonly instructions?: string
    readonly greeting?: string
    readonly dynamic_variables: VoiceParameters
  }
  readonly audio_url?: string
}

/** What a voice asks of Telnyx: fields of the dial, and what is to be done after the answer. */
export interface Spoken {
  readonly fields: SpokenFields
  readonly deed: Deed | null
}

const socket = (text: string): URL => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "wss:" && url.protocol !== "ws:") || url.hash !== "") {
    throw new WrongVoice("The voice's url must be a wss: address.")
  }
  return url
}

const streamUrl = (voice: StreamVoice, executionId: string): string => {
  const url = socket(voice.url)
  for (const [name, value] of Object.entries({ ...voice.parameters, execution_id: executionId })) {
    url.searchParams.set(name, value)
  }
  return url.href
}

const attributeName = /^[a-z][a-z0-9_]{0,63}$/

const fieldsOf = (voice: Voice, executionId: string): SpokenFields => {
  switch (voice.type) {
    case "stream":
      return {
        stream_url: streamUrl(voice, executionId),
        stream_track: "inbound_track",
        stream_bidirectional_mode: "rtp",
        stream_bidirectional_codec: voice.codec ?? "PCMU",
        ...(voice.authToken === undefined ? {} : { stream_auth_token: voice.authToken }),
      }
    case "relay": {
      const attributes = voice.attributes ?? {}
      if (!Object.keys(attributes).every((name) => attributeName.test(name))) {
        throw new WrongVoice("The voice's attributes must have names such as dtmf_detection.")
      }
      const custom_parameters = { ...voice.parameters, execution_id: executionId }
      return { conversation_relay_config: { ...attributes, url: socket(voice.url).href, custom_parameters } }
    }
    case "assistant":
      return {
        assistant: {
          id: voice.id,
          ...(voice.instructions === undefined ? {} : { instructions: voice.instructions }),
          ...(voice.greeting === undefined ? {} : { greeting: voice.greeting }),
          dynamic_variables: { ...voice.parameters, execution_id: executionId },
        },
      }
    case "audio":
      if (URL.parse(voice.url)?.protocol !== "https:")
        throw new WrongVoice("The voice's url must be an https: address.")
      return { audio_url: voice.url }
    case "sip":
      return {}
  }
}

const deedOf = (voice: Voice): Deed | null => {
  if (voice.type === "audio") return { type: "hang_up_after_audio" }
  if (voice.type !== "sip") return null
  if (!/^sips?:[!-~]+$/.test(voice.address) || voice.address.length > bounds.stateCharacters / 2) {
    throw new WrongVoice("The voice's address must be a sip: or sips: address.")
  }
  return { type: "transfer", address: voice.address }
}

/** What connects the callee with the voice. Throws `WrongVoice` where it would not be what Telnyx takes. */
export const spokenBy = (voice: Voice, executionId: string): Spoken => {
  const fields = fieldsOf(voice, executionId)
  if (JSON.stringify(fields).length > bounds.voiceCharacters) {
    throw new WrongVoice(`What the voice is told must fit into ${bounds.voiceCharacters} characters.`)
  }
  return { fields, deed: deedOf(voice) }
}
