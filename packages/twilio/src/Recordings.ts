import { noRecording, opensRecording, passOnRecording, recordingAddress } from "@carillon/core/carrier"
import { authorization } from "./Rest.ts"
import type { Settings } from "./Settings.ts"

const recordingSid = /^RE[0-9a-fA-F]{32}$/

export const isRecordingSid = (text: string | null): text is string => text !== null && recordingSid.test(text)

/** Where a recording is fetched. */
export const recordingUrl = ({ authToken, publicUrl }: Settings, sid: string): Promise<string> =>
  recordingAddress(publicUrl, authToken, sid)

/** Answers a recording as Twilio has it, in MP3. */
export const serveRecording = async (
  settings: Settings,
  request: Request,
  sid: string,
  pass: string,
): Promise<Response> => {
  // Whether there is such a recording is told to nobody who may not hear it.
  if (!isRecordingSid(sid) || !(await opensRecording(settings.authToken, sid, pass))) return noRecording(404)
  const url = `${settings.baseUrl}/2010-04-01/Accounts/${settings.accountSid}/Recordings/${sid}.mp3`
  return passOnRecording(settings.fetch, request, url, { authorization: authorization(settings) })
}
