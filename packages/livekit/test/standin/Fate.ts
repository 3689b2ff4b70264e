import type { CreateSIPParticipantRequest } from "@livekit/protocol"
import type { SipAnswer } from "./Sip.ts"
import type { TwirpCode } from "./Twirp.ts"

/** What becomes of a call, if nobody hangs it up before. What is left out is in `standardFate`. */
export interface Fate {
  /** How the callee's side ends the INVITE: with 200, with another code, or never. */
  readonly outcome: "answered" | "unanswered" | SipAnswer
  /** From the INVITE to the first ring. */
  readonly setup_s?: number
  /** From the first ring to the answer. With null it never rings: an answer comes after the set-up. */
  readonly ring_s?: number | null
  /** From the answer until somebody ends it. */
  readonly talk_s?: number
  /**
   * Who ends it: the callee hangs up; the agent deletes the room; the agent removes the callee from the room; no media arrives any more.
   */
  readonly ended_by?: "callee" | "agent" | "agent_removes" | "media"
}

/** LiveKit answers the request with this error: there is no call and no participant. */
export interface Refusal {
  readonly refused: TwirpCode
  readonly message?: string
}

/** What the script knows of a call when it decides. */
export interface Wanted {
  readonly to: string
  readonly room: string
  /** Which call to this number it is, from 0. */
  readonly nth: number
  readonly asked: CreateSIPParticipantRequest
}

export type Script = (call: Wanted) => Fate | Refusal

export type WholeFate = Required<Fate>

const standardFate = { setup_s: 1, ring_s: 5, talk_s: 20, ended_by: "callee" } as const

export const wholeFate = (fate: Fate): WholeFate => ({ ...standardFate, ...fate })

/** Everybody answers and talks a little. */
export const everybodyAnswers: Script = () => ({ outcome: "answered" })

/** What the agent does in its room. */
export interface AgentFate {
  /** From the dispatch until it is in the room; null: no worker ever takes the job. */
  readonly joins_after_s?: number | null
  /** From its joining until it dies of an error; null: it does not. */
  readonly fails_after_s?: number | null
}

export type AgentScript = (dispatch: {
  readonly room: string
  readonly agent_name: string
  readonly metadata: string
}) => AgentFate

export const agentsJoin: AgentScript = () => ({})
