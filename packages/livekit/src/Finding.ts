import type { ParticipantInfo } from "livekit-server-sdk"
import { callAttribute, executionAttribute, statusAttribute } from "./Names.ts"
import { callPhases, type Phase } from "./Words.ts"

/**
 * The leg of an execution among those who are in its room. `Leg`: one participant has its id, certainly. `None`: nobody has. `Many`: two have,
 * and nobody can say which it is.
 */
export type Looked =
  | { readonly _tag: "Leg"; readonly call_sid: string | null; readonly phase: Phase | null }
  | { readonly _tag: "None" }
  | { readonly _tag: "Many" }

/** The attributes of a participant, of which only texts are read. */
const attributeOf = ({ attributes }: ParticipantInfo, name: string): string | null => {
  const value = attributes[name]
  return value === undefined || value === "" ? null : value
}

/** Whether a participant is the leg of an execution: by its identity, which LiveKit gives once in a room, or by the attribute of its dial. */
export const isLeg = (participant: ParticipantInfo, executionId: string): boolean =>
  participant.identity === executionId || attributeOf(participant, executionAttribute) === executionId

/** Finds the leg; its phase is null where LiveKit has no word for it, or it is about to go. */
export const legAmong = (participants: ReadonlyArray<ParticipantInfo>, executionId: string): Looked => {
  const [leg, ...more] = participants.filter((participant) => isLeg(participant, executionId))
  if (leg === undefined) return { _tag: "None" }
  if (more.length > 0) return { _tag: "Many" }
  const phase = callPhases[attributeOf(leg, statusAttribute) ?? ""] ?? null
  return { _tag: "Leg", call_sid: attributeOf(leg, callAttribute), phase }
}
