import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { type Question, questions } from "../size/Questions.ts"
import { listen } from "./Listening.ts"
import type { Customer, FromLoad, Sample, ToLoad } from "./Protocol.ts"

/**
 * Customers that ask an engine for something so often a second, one after the other in turn, whether the last one was answered or not; and the
 * endpoint of their webhooks.
 */
const toldOf = "webhook of a call's end"
const failuresShown = 20
/** Webhooks of the last calls are waited for so long. */
const patienceMs = 5_000

const samples: Array<Sample> = []
const failures: Array<string> = []
let failed = 0
let isOver = false

/** Calls whose webhook is not there yet, and those whose webhook came before their answer. */
const placed = new Map<string, { readonly customer: number; readonly begun: number; readonly at: number }>()
const told = new Map<string, number>()

const tell = (message: FromLoad) => process.send?.(message)

const match = (executionId: string): void => {
  const call = placed.get(executionId)
  const heard = told.get(executionId)
  if (call === undefined || heard === undefined) return
  placed.delete(executionId)
  told.delete(executionId)
  samples.push({ name: toldOf, customer: call.customer, at: call.at, ms: heard - call.begun })
}

const takeWebhook = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(Buffer.from(piece))
  const heard = performance.now()
  response.writeHead(204).end()
  const executionId = String(JSON.parse(Buffer.concat(pieces).toString()).call_id)
  told.set(executionId, heard)
  match(executionId)
}

const fail = (words: string): void => {
  failed += 1
  if (failures.length < failuresShown) failures.push(words)
}

const askOnce = async (url: string, { key, ...asked }: Customer, customer: number, question: Question, nth: number) => {
  const { body, method, target } = question.request(asked, nth)
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const at = Date.now()
  const begun = performance.now()
  const answer = await fetch(`${url}${target}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  const ms = performance.now() - begun
  if (!answer.ok) return fail(`${method} ${target}: ${answer.status} ${text.slice(0, 200)}`)
  samples.push({ name: question.name, customer, at, ms })
  if (method !== "POST") return
  const executionId = String(JSON.parse(text).execution_id)
  placed.set(executionId, { customer, begun, at })
  match(executionId)
}

const ask = async ({ customers, perSecond, url }: Extract<ToLoad, { readonly type: "begin" }>): Promise<void> => {
  let next = performance.now()
  for (let turn = 0; !isOver; turn++) {
    next += 1_000 / perSecond
    await sleep(Math.max(0, next - performance.now()))
    const customer = customers[turn % customers.length]
    const asking = Math.floor(turn / customers.length)
    const question = questions[asking % questions.length]
    if (customer === undefined || question === undefined) return
    const nth = Math.floor(asking / questions.length)
    askOnce(url, customer, turn % customers.length, question, nth).catch((error: unknown) =>
      fail(`${question.name}: ${String(error)}`),
    )
  }
}

const ended = async (): Promise<FromLoad> => {
  isOver = true
  for (const until = performance.now() + patienceMs; placed.size > 0 && performance.now() < until;) await sleep(50)
  return { type: "ended", samples, failures, failed, untold: placed.size }
}

process.on("message", (message: ToLoad) => {
  if (message.type === "end") void ended().then(tell)
  else {
    void ask(message)
    tell({ type: "begun" })
  }
})

const hooks = createServer((request, response) => {
  takeWebhook(request, response).catch(() => response.destroy())
})
hooks.keepAliveTimeout = 60_000
tell({ type: "listening", port: await listen(hooks) })
