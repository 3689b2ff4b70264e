import { type Asked, type DialOutcome, Telephony } from "@carillon/core"
import { Effect, Layer } from "effect"
import { Agent, request } from "node:http"
import type { Dial, DialAnswer, FindAnswer } from "./Protocol.ts"

const answerMs = 5_000

/** An answer as text, or the code of the fault that stood in the way. */
type Said = { readonly text: string } | { readonly fault: string }

const ask = (agent: Agent, url: string, body: object | null) =>
  Effect.callback<Said>((resume) => {
    const say = (said: Said) => resume(Effect.succeed(said))
    const sent = request(url, { method: body === null ? "GET" : "POST", agent, timeout: answerMs }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (piece: string) => (text += piece))
      answer.on("end", () => say(answer.statusCode === 200 ? { text } : { fault: `${answer.statusCode}` }))
      answer.on("error", () => say({ fault: "cut" }))
    })
    sent.on("timeout", () => sent.destroy())
    sent.on("error", (error: NodeJS.ErrnoException) => say({ fault: error.code ?? "" }))
    sent.end(body === null ? undefined : JSON.stringify(body))
    return Effect.sync(() => sent.destroy())
  })

/** The carrier of the fleet over HTTP. A dial is sent once; whatever keeps its answer away makes it unknown. */
export const carrierLine = (carrier: string, by: string): Layer.Layer<Telephony> => {
  const agent = new Agent({ keepAlive: true })
  return Layer.succeed(Telephony, {
    dial: (command) => {
      const dial: Dial = { by, command }
      return Effect.map(ask(agent, `${carrier}/dial`, dial), (said): DialOutcome => {
        if ("text" in said) return JSON.parse(said.text) satisfies DialAnswer
        return said.fault === "ECONNREFUSED" ? { _tag: "Refused", kind: "unreachable" } : { _tag: "Unknown" }
      })
    },
    hangup: (executionId) => Effect.as(ask(agent, `${carrier}/hangup?id=${executionId}`, {}), "Sent" as const),
    find: (executionId) =>
      Effect.map(ask(agent, `${carrier}/find?id=${executionId}`, null), (said): Asked => {
        if ("text" in said) return JSON.parse(said.text) satisfies FindAnswer
        return { _tag: "NoAnswer" }
      }),
  })
}
