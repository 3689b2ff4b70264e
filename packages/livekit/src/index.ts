export { type CallbackHandler, WrongSetting } from "@carillon/core/carrier"
export { makeLiveKit, type LiveKit } from "./LiveKit.ts"
export { type LiveKitOptions, type RecordedFile, type Recording } from "./Settings.ts"
