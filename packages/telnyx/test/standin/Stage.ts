import { createPublicKey, verify } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { onTestFinished } from "vitest"
import { ManualClock } from "../../../twilio/test/standin/Clock.ts"
import { startTelnyxStandIn, type TelnyxStandInOptions } from "./StandIn.ts"

export type Fields = { readonly [name: string]: unknown }

/** A webhook that a host got. */
export interface Heard {
  readonly at: number
  readonly path: string
  readonly type: string
  readonly id: string
  readonly payload: Fields
  readonly meta: Fields
  readonly isSigned: boolean
}

/** What a host answers a webhook with; null: it cuts the connection. */
export type HostScript = (heard: Heard, nth: number) => number | null | Promise<number | null>

/** The beginning of a DER public key of Ed25519 (RFC 8410), before its 32 bytes. */
const derPrefix = Buffer.from("302a300506032b6570032100", "hex")

/** Whether the signature is that of the account, over the time, a bar and the body. */
export const isSigned = (publicKey: string, timestamp: string, body: string, signature: string): boolean => {
  const der = Buffer.concat([derPrefix, Buffer.from(publicKey, "base64")])
  const key = createPublicKey({ key: der, format: "der", type: "spki" })
  return verify(null, Buffer.from(`${timestamp}|${body}`), key, Buffer.from(signature, "base64"))
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

const header = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? "")

/** A host on this machine that notes what it is told, and checks the signatures of it. */
const startHost = async (publicKey: () => string, script: HostScript, now: () => number) => {
  const heard: Array<Heard> = []
  const server = createServer((request, response) => {
    void textOf(request).then(async (text) => {
      const { data, meta } = JSON.parse(text)
      const timestamp = header(request, "telnyx-timestamp")
      const one: Heard = {
        at: now(),
        path: request.url ?? "",
        type: data.event_type,
        id: data.id,
        payload: data.payload,
        meta,
        isSigned: isSigned(publicKey(), timestamp, text, header(request, "telnyx-signature-ed25519")),
      }
      heard.push(one)
      const status = await script(one, heard.length - 1)
      if (status === null) response.destroy()
      else response.writeHead(status).end()
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
  readonly body: Fields
}

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** What lies under a name of an answer. */
export const under = (fields: Fields, name: string): Fields => {
  const value = fields[name]
  return isFields(value) ? value : {}
}

/** The first error's code, as text. */
export const codeOf = ({ body }: Answered): unknown => {
  const { errors } = body
  return Array.isArray(errors) ? errors[0]?.code : undefined
}

/** A stand-in in time that the test moves, a host for its webhooks, and a client of its API. */
export const stage = async (options: TelnyxStandInOptions = {}, script: HostScript = () => 200) => {
  const clock = new ManualClock()
  const started: { publicKey: string } = { publicKey: "" }
  const host = await startHost(() => started.publicKey, script, clock.now)
  const telnyx = await startTelnyxStandIn({ clock, webhookUrl: `${host.url}/app`, ...options })
  started.publicKey = telnyx.publicKey
  onTestFinished(() => telnyx.close())

  const ask = async (method: string, path: string, body?: unknown, key = telnyx.apiKey): Promise<Answered> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(telnyx.url + path, init)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith("{") ? JSON.parse(text) : { text },
    }
  }
  const standard = { connection_id: telnyx.connectionId, to: "+12125550100", from: "+12125550199" }
  const dial = (body: Fields = {}) => ask("POST", "/v2/calls", { ...standard, ...body })
  /** A dial that must succeed: its `call_control_id`. */
  const dialled = async (body: Fields = {}): Promise<string> => {
    const { body: answer } = await dial(body)
    return String(under(answer, "data")["call_control_id"])
  }
  return {
    clock,
    host,
    telnyx,
    ask,
    standard,
    dial,
    dialled,
    act: (id: string, action: string, body: Fields = {}) => ask("POST", `/v2/calls/${id}/actions/${action}`, body),
    statusOf: async (id: string) => under((await ask("GET", `/v2/calls/${id}`)).body, "data"),
  }
}
