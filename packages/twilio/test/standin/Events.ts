import type { CallRecord } from "./CallRecord.ts"
import type { Journal } from "./Journal.ts"
import { type Account, accountPath } from "./Resources.ts"

/** `StatusCallback` as the record of a call's requests names it: `status_callback`. */
const nameOf = (parameter: string): string =>
  parameter.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

const createdStatus = 201

/**
 * The requests of a call, as https://www.twilio.com/docs/voice/api/call-event-resource shows them: the one that made it, and each that its
 * host was sent. What was lost before it was sent is none.
 */
export const requestsOf = ({ sid, url }: Account, call: CallRecord, journal: Journal): ReadonlyArray<object> => {
  const callback = call.asked.text("StatusCallback")
  const made = {
    request: {
      method: "POST",
      url: `${url}${accountPath(sid)}/Calls.json`,
      parameters: {
        to: call.to,
        from: call.from,
        ...(callback === null ? {} : { [nameOf("StatusCallback")]: callback }),
      },
    },
    response: { response_code: createdStatus },
  }
  const sent = journal.callbacks.entries.flatMap(({ call_sid, fault, method, parameters, status, url: at }) =>
    call_sid !== call.sid || fault === "lost"
      ? []
      : [
          {
            request: {
              method,
              url: at,
              parameters: Object.fromEntries(parameters.map(([name, value]) => [nameOf(name), value])),
            },
            response: { response_code: status },
          },
        ],
  )
  return [made, ...sent]
}
