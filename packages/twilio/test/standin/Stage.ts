import { createServer, type IncomingMessage } from "node:http"
import { onTestFinished } from "vitest"
import { ManualClock } from "./Clock.ts"
import { signature } from "./Signature.ts"
import { startTwilioStandIn, type TwilioStandInOptions } from "./StandIn.ts"

/** A request that a host got. */
export interface Heard {
  readonly at: number
  readonly method: string
  readonly path: string
  readonly parameters: { readonly [name: string]: string }
  readonly token: string
  readonly isSigned: boolean
}

interface HostAnswer {
  readonly status: number
  readonly text: string
  /** Its `Content-Type`; that of XML where it is left out. */
  readonly type?: string
}

/** What a host answers a callback with; null: it cuts the connection. */
export type HostScript = (heard: Heard, nth: number) => HostAnswer | null | Promise<HostAnswer | null>

export const emptyTwiml = "<Response/>"

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? "")

/** A host on this machine that notes what it is told, and checks the signatures of it. */
const startHost = async (authToken: () => string, script: HostScript, now: () => number) => {
  const heard: Array<Heard> = []
  const server = createServer((request, response) => {
    void textOf(request).then(async (text) => {
      const url = new URL(request.url ?? "/", `http://${request.headers.host}`)
      const form = [...new URLSearchParams(text)]
      const one: Heard = {
        at: now(),
        method: request.method ?? "",
        path: url.pathname,
        parameters: Object.fromEntries([...url.searchParams, ...form]),
        token: header(request, "i-twilio-idempotency-token"),
        isSigned: header(request, "x-twilio-signature") === signature(authToken(), url.href, form),
      }
      heard.push(one)
      const answer = await script(one, heard.length - 1)
      if (answer === null) return void response.destroy()
      response.writeHead(answer.status, { "content-type": answer.type ?? "text/xml" }).end(answer.text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  return { heard, url: `http://127.0.0.1:${port}` }
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [name: string]: unknown }
}

export type Form = { readonly [name: string]: string | ReadonlyArray<string> }

const pairsOf = (form: Form): URLSearchParams => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(form)) for (const one of [value].flat()) pairs.append(name, one)
  return pairs
}

const bodyOf = (text: string): Answered["body"] => (text.startsWith("{") ? JSON.parse(text) : { text })

/** A stand-in in time that the test moves, a host for its callbacks, and a client of its API. */
export const stage = async (
  options: TwilioStandInOptions = {},
  script: HostScript = () => ({ status: 200, text: emptyTwiml }),
) => {
  const clock = new ManualClock()
  const started: { authToken: string } = { authToken: "" }
  const host = await startHost(() => started.authToken, script, clock.now)
  const twilio = await startTwilioStandIn({ clock, callsPerSecond: 100, ...options })
  started.authToken = twilio.authToken
  onTestFinished(() => twilio.close())
  const account = `/2010-04-01/Accounts/${twilio.accountSid}`
  const credentials = `Basic ${btoa(`${twilio.accountSid}:${twilio.authToken}`)}`

  const ask = async (method: string, path: string, form?: Form, authorization = credentials): Promise<Answered> => {
    const body = form === undefined ? {} : { body: pairsOf(form) }
    const response = await fetch(twilio.url + path, { method, headers: { authorization }, ...body })
    return { status: response.status, headers: response.headers, body: bodyOf(await response.text()) }
  }
  const standard = { To: "+12125550100", From: "+12125550199", Twiml: emptyTwiml }
  const allEvents = {
    StatusCallback: `${host.url}/status?execution=e1`,
    StatusCallbackEvent: ["initiated", "ringing", "answered", "completed"],
  }
  return {
    clock,
    host,
    twilio,
    account,
    ask,
    allEvents,
    /** A call that is all right, but for what the test says. */
    dial: (form: Form = {}) => ask("POST", `${account}/Calls.json`, { ...standard, ...form }),
    /** The same with exactly these parameters. */
    dialExactly: (form: Form) => ask("POST", `${account}/Calls.json`, form),
    get: (path: string) => ask("GET", path.startsWith("/2010") ? path : account + path),
    fetch: async (sid: unknown) => (await ask("GET", `${account}/Calls/${String(sid)}.json`)).body,
    update: (sid: unknown, form: Form) => ask("POST", `${account}/Calls/${String(sid)}.json`, form),
  }
}
