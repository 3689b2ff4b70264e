import { noRecording, opensRecording, recordingAddress } from "@carillon/core/carrier"
import { Effect } from "effect"
import { EgressStatus, type EgressInfo } from "livekit-server-sdk"
import type { Clients } from "./Clients.ts"
import { executionOf } from "./Names.ts"
import type { RecordedFile, Settings } from "./Settings.ts"

const egressIds = /^EG_[A-Za-z0-9]{1,64}$/

/** Where a recording is fetched: at the callbacks' own mount, which asks the host's storage for it. */
export const recordingUrl = ({ apiSecret, publicUrl }: Settings, egressId: string): Promise<string> =>
  recordingAddress(publicUrl, apiSecret, egressId)

/** The file of an egress that is whole, and whose call it is; null where it has none. */
export const fileOf = ({ roomPrefix }: Settings, info: EgressInfo): RecordedFile | null => {
  const execution_id = executionOf(roomPrefix, info.roomName)
  const [file] = info.fileResults
  if (info.status !== EgressStatus.EGRESS_COMPLETE || file === undefined || execution_id === null) return null
  return { execution_id, filename: file.filename, location: file.location }
}

/** Answers a recording with what the host's storage says of it. */
export const serveRecording = async (
  settings: Settings,
  clients: Clients,
  request: Request,
  egressId: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!egressIds.test(egressId) || !(await opensRecording(settings.apiSecret, egressId, pass))) return noRecording(404)
  const { recording } = settings
  const answer = await Effect.runPromise(clients.recording(egressId))
  if (answer._tag !== "Done" || recording === undefined) return noRecording(502)
  const info = answer.value.find((known) => known.egressId === egressId)
  const file = info === undefined ? null : fileOf(settings, info)
  if (file === null) return noRecording(404)
  return recording.open(file, request).catch(() => noRecording(502))
}
