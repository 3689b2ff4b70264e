/**
 * A request that the page can make, and that can be copied as curl.
 *
 * @typedef {object} Action
 * @property {string} title What it does, in words.
 * @property {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @property {string} path
 * @property {unknown} [body]
 * @property {string} [key] The API key that a request under `/v2` carries.
 */

const tokenName = "carillon-control-token"

/** What the control surface asks for where it is bound to more than this machine. */
export const token = {
  get: () => sessionStorage.getItem(tokenName),
  /** @param {string} text */
  set: (text) => sessionStorage.setItem(tokenName, text),
}

/**
 * @param {Action} action
 * @returns {Record<string, string>}
 */
const headersOf = ({ body, key, path }) => {
  const bearer = path.startsWith("/v2") ? (key ?? null) : token.get()
  return {
    ...(bearer === null ? {} : { Authorization: `Bearer ${bearer}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  }
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * The command that makes the same request.
 *
 * @param {Action} action
 */
export const curlOf = (action) => {
  const { body, method, path } = action
  const parts = ["curl -sS"]
  if (method !== "GET") parts.push(`-X ${method}`)
  parts.push(quoted(location.origin + path))
  for (const [name, value] of Object.entries(headersOf(action))) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`)
  return parts.join(" ")
}

/** An answer that is none, or not the one that was asked for. */
export class Trouble extends Error {
  /**
   * @param {number} status 0: nobody answered.
   * @param {string} message
   */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/**
 * Makes a request and reads its JSON. Throws a `Trouble`.
 *
 * @param {Action} action
 * @returns {Promise<any>}
 */
export const send = async (action) => {
  const { body, method, path } = action
  /** @type {Response} */
  let response
  try {
    response = await fetch(path, {
      method,
      headers: headersOf(action),
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new Trouble(0, "The simulator does not answer.")
  }
  const text = await response.text()
  const read = text.startsWith("{") ? JSON.parse(text) : {}
  if (!response.ok) throw new Trouble(response.status, read.message ?? `The answer was ${response.status}.`)
  return read
}

/**
 * What the events stream tells. Which fields there are depends on the type.
 *
 * @typedef {object} WorldEvent
 * @property {number} sequence
 * @property {string} type
 * @property {string} [at] ISO 8601; a reset has none.
 * @property {string} [execution_id]
 * @property {string} [to_number]
 * @property {string} [status]
 * @property {string | null} [previous_status]
 * @property {string} [name]
 * @property {string} [detail]
 * @property {string} [event_type]
 * @property {number | null} [http_status]
 * @property {string | null} [error_class]
 * @property {Record<string, unknown>} [faults]
 * @property {string} [mode]
 * @property {number} [speed]
 */

const firstPauseMs = 500
const maxPauseMs = 8_000

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Follows the events of the world for ever. `EventSource` cannot carry a token, so the stream is read by hand.
 *
 * @param {number} from The number of the event after which it begins.
 * @param {(event: WorldEvent) => void} onEvent
 * @param {(state: "live" | "lost" | "token") => void} onState
 */
export const follow = async (from, onEvent, onState) => {
  let wait = firstPauseMs
  let after = from
  for (;;) {
    try {
      const headers = headersOf({ title: "", method: "GET", path: "/_sim/events" })
      const response = await fetch(`/_sim/events?after=${after}`, { headers, cache: "no-store" })
      if (!response.ok || response.body === null) throw new Trouble(response.status, "")
      onState("live")
      wait = firstPauseMs
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ""
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        const frames = (rest + value).split("\n\n")
        rest = frames.pop() ?? ""
        for (const frame of frames) {
          const data = frame.split("\n").find((line) => line.startsWith("data: "))
          if (data === undefined) continue
          /** @type {WorldEvent} */
          const event = JSON.parse(data.slice(6))
          after = event.sequence
          onEvent(event)
        }
      }
      onState("lost")
    } catch (error) {
      onState(error instanceof Trouble && error.status === 401 ? "token" : "lost")
    }
    await pause(wait)
    wait = Math.min(2 * wait, maxPauseMs)
  }
}
