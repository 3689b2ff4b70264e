export type { CallbackHandler } from "./Callbacks.ts"
export { makeLiveKit, type LiveKit } from "./LiveKit.ts"
export { type LiveKitOptions, type RecordedFile, type Recording, WrongSetting } from "./Settings.ts"
