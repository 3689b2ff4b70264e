import { bodyOf } from "./Endpoints.ts"
import { Poster } from "./Post.ts"
import type { StartSender } from "./Sender.ts"

/** Requests that are under way at once, as with the others. */
export const inFlight = 256

/** Nothing but signed POSTs from a list in memory: no ledger, no retries, nothing that a lost process would leave. */
export const startPlain: StartSender = async (urls, delivered) => {
  const poster = new Poster()
  const waiting: Array<readonly [serial: number, endpoint: number]> = []
  let running = 0
  const next = () => {
    const taken = running < inFlight ? waiting.shift() : undefined
    if (taken === undefined) return
    running += 1
    const [serial, endpoint] = taken
    poster
      .post(urls[endpoint] ?? "", bodyOf(serial))
      .then((status) => status === 204 && delivered(serial))
      .catch(() => {})
      .finally(() => {
        running -= 1
        next()
      })
  }
  return {
    submit: (serial, endpoint) => {
      waiting.push([serial, endpoint])
      next()
    },
    close: async () => poster.close(),
  }
}
