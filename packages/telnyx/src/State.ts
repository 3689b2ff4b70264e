import { bounds } from "./Bounds.ts"

/** What this adapter has to do itself once the callee has answered, or been spoken to. */
export type Deed = { readonly type: "transfer"; readonly address: string } | { readonly type: "hang_up_after_audio" }

/** What Telnyx keeps with a call for us, and says with each of its webhooks and in its lists. */
export interface CallState {
  readonly execution_id: string
  readonly deed: Deed | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { fatal: true })

const base64 = (text: string): string => btoa(String.fromCharCode(...encoder.encode(text)))

const afterAudio = "audio"

/** `client_state` of a call: the execution id, and after a space what is to be done. No execution id has a space. */
export const stateOf = ({ deed, execution_id }: CallState): string => {
  if (deed === null) return base64(execution_id)
  return base64(`${execution_id} ${deed.type === "transfer" ? deed.address : afterAudio}`)
}

/** The state of a leg that a transfer makes: it is no execution's, and its webhooks say nothing of one. */
export const stateOfOtherLeg = base64(" the other leg of a transfer")

const executionId = /^[!-~]+$/
const sipAddress = /^sips?:[!-~]+$/

/** Reads `client_state`; null where it is not of ours. */
export const readState = (text: string | null | undefined): CallState | null => {
  if (text === null || text === undefined || text === "" || text.length > 2 * bounds.stateCharacters) return null
  let plain: string
  try {
    plain = decoder.decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return null
  }
  const [id = "", rest, ...more] = plain.split(" ")
  if (!executionId.test(id) || id.length > bounds.executionIdCharacters || more.length > 0) return null
  if (rest === undefined) return { execution_id: id, deed: null }
  if (rest === afterAudio) return { execution_id: id, deed: { type: "hang_up_after_audio" } }
  return sipAddress.test(rest) ? { execution_id: id, deed: { type: "transfer", address: rest } } : null
}
