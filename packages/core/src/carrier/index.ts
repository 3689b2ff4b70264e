/** The parts that carriers are made of: what an adapter to a vendor with an HTTP API needs beside the vendor's own words. */
export { type Answer, ask, type Asking, readAs, type Sign, tellingOf, wasNeverSent } from "./Asking.ts"
export { bytesOf, readBounded } from "./Bytes.ts"
export type { ReadsBody, UntakenBody } from "./CallbackBodies.ts"
export { answerOfKept, type CallbackHandler, callbackHandler, type CallbackRoutes, kept } from "./Callbacks.ts"
export type { CallbackStatus } from "./CallbackStatus.ts"
export { Desk, mistaken, openDesk, rowOf, type RunsWork } from "./Desk.ts"
export { notSent, type Prepared, prepared } from "./Dialling.ts"
export {
  type AsksHost,
  cutOff,
  type EndedLeg,
  factsOf,
  type HostFacts,
  type LegName,
  type Price,
  priceAlone,
} from "./EndedLeg.ts"
export { Newest } from "./Newest.ts"
export { mountOnNode, type NodeMount, type NodeRequest, type NodeResponse } from "./NodeMount.ts"
export { noRecording, opensRecording, passOnRecording, recordingAddress, recordingPass } from "./Recordings.ts"
export { dialOutcomeOf, type Refusal, type RefusalKind, tellRefusal } from "./Refusals.ts"
export { NotTaken, type TakesReports, tell, tellCost, tellFinal, tellLast, tellRecording } from "./Reporting.ts"
export { addressSetting, type Schemes, wholeSetting, WrongSetting } from "./Settings.ts"
export { told } from "../engine/rules/Told.ts"
