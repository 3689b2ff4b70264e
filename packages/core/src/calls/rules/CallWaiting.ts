import { type Call, holdsLine, isBooked } from "./Call.ts"
import { isTerminal } from "./CallStatus.ts"

/** What a call waits for. Of a booked one whose time has come the first that applies is told. */
export const callWaits = [
  /** It is over, and holds nothing. */
  "nothing",
  /** For the time that was agreed, or for the next try. */
  "its_time",
  /** Nothing is dialled before it is released. */
  "dialling_held",
  "platform_lines_full",
  "organization_lines_full",
  "agent_lines_full",
  /** A process takes it up within seconds; if none does, none runs. */
  "a_process",
  /** The carrier's answer to the dial. */
  "dial_answer",
  /** The carrier's next word: it rings, or somebody speaks. */
  "carrier",
  /** The carrier's last word of a call that has ended; it holds its line until then. */
  "last_word",
] as const

export type CallWait = (typeof callWaits)[number]

/** Lines in use, and the ceiling, at one level; null: none that refuses. */
export interface LevelInUse {
  readonly used: number
  readonly ceiling: number | null
}

/** What has to be known beside the call. */
export interface CallSurroundings {
  readonly isHeld: boolean
  readonly platform: LevelInUse
  readonly organization: LevelInUse
  readonly agent: LevelInUse
}

/** Why a call stands where it stands. */
export interface CallExplanation {
  /** The record that goes on for the id that was asked for. */
  readonly call: Call
  readonly wait: CallWait
  /** When it is looked at next, in epoch milliseconds; null where only the carrier or nobody brings it on. */
  readonly until: number | null
  readonly surroundings: CallSurroundings
}

const isFull = ({ ceiling, used }: LevelInUse): boolean => ceiling !== null && used >= ceiling

const bookedWait = (call: Call, { agent, isHeld, organization, platform }: CallSurroundings, now: number): CallWait => {
  if (call.due_at !== null && call.due_at > now) return "its_time"
  if (isHeld) return "dialling_held"
  if (isFull(platform)) return "platform_lines_full"
  if (isFull(organization)) return "organization_lines_full"
  return isFull(agent) ? "agent_lines_full" : "a_process"
}

/** What a call waits for now. */
export const callWait = (call: Call, surroundings: CallSurroundings, now: number): CallWait => {
  if (isBooked(call)) return bookedWait(call, surroundings, now)
  if (isTerminal(call.status)) return holdsLine(call) ? "last_word" : "nothing"
  return call.dial === "intended" || call.dial === "unconfirmed" ? "dial_answer" : "carrier"
}
