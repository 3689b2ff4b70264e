import { bounds } from "./Bounds.ts"

/** The attribute under which a leg carries its execution id, besides its identity and its room. */
export const executionAttribute = "carillon.execution_id"
export const statusAttribute = "sip.callStatus"
export const callAttribute = "sip.callID"

/** Whether a leg's id is LiveKit's. It forgets a leg at its end, so that this alone tells whose a row is that is over. */
export const isOwnSid = (callSid: string): boolean => callSid.startsWith("SCL_")

const executionIds = /^[!-~]+$/

const isExecutionId = (text: string): boolean => executionIds.test(text) && text.length <= bounds.executionIdCharacters

/** The room of a call. The prefix tells the rooms of one engine from whatever else the project has. */
export const roomOf = (prefix: string, executionId: string): string => `${prefix}${executionId}`

/** The execution of a room; null: it is none of this engine's. */
export const executionOf = (prefix: string, room: string): string | null => {
  const id = room.startsWith(prefix) ? room.slice(prefix.length) : ""
  return isExecutionId(id) ? id : null
}
