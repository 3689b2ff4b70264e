import { Effect } from "effect"
import { EgressStatus, type EgressInfo } from "livekit-server-sdk"
import type { Clients } from "./Clients.ts"
import { executionOf } from "./Names.ts"
import type { RecordedFile, Settings } from "./Settings.ts"

const egressIds = /^EG_[A-Za-z0-9]{1,64}$/

const encoder = new TextEncoder()

const keyOf = (secret: string) =>
  crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"])

const textOf = (egressId: string) => encoder.encode(`carillon recording ${egressId}`)

const passOf = async (secret: string, egressId: string): Promise<string> => {
  const signature = await crypto.subtle.sign("HMAC", await keyOf(secret), textOf(egressId))
  const base64 = btoa(String.fromCharCode(...new Uint8Array(signature)))
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

const bytesOf = (pass: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(pass.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0))
  } catch {
    return null
  }
}

const opens = async (secret: string, egressId: string, pass: string): Promise<boolean> => {
  const signature = bytesOf(pass)
  if (signature === null) return false
  return crypto.subtle.verify("HMAC", await keyOf(secret), signature, textOf(egressId))
}

/**
 * Where a recording is fetched: at the callbacks' own mount, which asks the host's storage for it. Whoever has the address can hear it, and
 * learns nothing of where it lies.
 */
export const recordingUrl = async ({ apiSecret, publicUrl }: Settings, egressId: string): Promise<string> =>
  `${publicUrl}/recordings/${egressId}/${await passOf(apiSecret, egressId)}`

/** The file of an egress that is whole, and whose call it is; null where it has none. */
export const fileOf = ({ roomPrefix }: Settings, info: EgressInfo): RecordedFile | null => {
  const execution_id = executionOf(roomPrefix, info.roomName)
  const [file] = info.fileResults
  if (info.status !== EgressStatus.EGRESS_COMPLETE || file === undefined || execution_id === null) return null
  return { execution_id, filename: file.filename, location: file.location }
}

const refused = (status: 404 | 502): Response =>
  new Response(null, { status, headers: { "cache-control": "no-store" } })

/** Answers a recording with what the host's storage says of it. */
export const serveRecording = async (
  settings: Settings,
  clients: Clients,
  request: Request,
  egressId: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!egressIds.test(egressId) || !(await opens(settings.apiSecret, egressId, pass))) return refused(404)
  const { recording } = settings
  const answer = await Effect.runPromise(clients.recording(egressId))
  if (answer._tag !== "Done" || recording === undefined) return refused(502)
  const info = answer.value.find((known) => known.egressId === egressId)
  const file = info === undefined ? null : fileOf(settings, info)
  if (file === null) return refused(404)
  return recording.open(file, request).catch(() => refused(502))
}
