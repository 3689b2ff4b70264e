export {
  type CallbackHandler as WebhookHandler,
  type EndedLeg,
  type HostFacts,
  type Price,
  WrongSetting,
} from "@carillon/core/carrier"
export { refusals as telnyxRefusals } from "./Refusals.ts"
export type { TelnyxOptions } from "./Settings.ts"
export { makeTelnyx, type Telnyx } from "./Telnyx.ts"
export type { AssistantVoice, AudioVoice, RelayVoice, SipVoice, StreamVoice, Voice, VoiceParameters } from "./Voice.ts"
