import * as fc from "fast-check"
import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import { inFlightStatuses, terminalStatuses } from "../../shapes/Call.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { idsOf, readCall, stopCall } from "../../trial/Calls.ts"
import { minuteMs } from "../../trial/Duration.ts"
import { expectModel, explore } from "../../trial/Exploration.ts"
import { type MagicOutcome, Numbers } from "../../trial/Numbers.ts"
import type { Trial } from "../../trial/Trial.ts"
import { Wait } from "./Wait.ts"

/** Lines of the organization. */
const lines = 3

interface Call {
  readonly executionId: string
  readonly isBooked: boolean
  status: string
}

interface Model {
  /** In the order in which they were placed. */
  readonly calls: Array<Call>
}

interface Real {
  readonly trial: Trial
  readonly client: Client
  readonly agentId: string
  /** The same numbers in every sequence, so that a shorter one goes like its model. */
  readonly numbers: Numbers
}

const ended = (status: string): boolean => terminalStatuses.some((each) => each === status)

/** What may be seen after a status when any time has passed: statuses that cannot be left, or returned to. */
const mayFollow = (before: string, after: string): boolean => {
  if (before === after) return true
  if (ended(before)) return false
  const booked = (status: string) => status === "scheduled" || status === "rescheduled"
  if (booked(after)) return booked(before) && after === "rescheduled"
  if (ended(after)) return after !== "canceled"
  const order = ["scheduled", "rescheduled", "queued", "initiated", "ringing", "in-progress"]
  return order.indexOf(after) > order.indexOf(before)
}

const callAt = (model: Model, index: number): Call => {
  const call = model.calls[index % model.calls.length]
  if (call === undefined) throw new Error("no call to choose from")
  return call
}

const look = async (call: Call, { client }: Real): Promise<void> => {
  const answer = await readCall(client, call.executionId)
  const status = answer.string("status")
  const known = ended(status) || inFlightStatuses.some((each) => each === status)
  expectModel("statuses", known, `status ${status}`)
  expectModel(
    ended(call.status) ? "terminal-stays" : "moves",
    mayFollow(call.status, status),
    `${call.status} became ${status}`,
  )
  call.status = status
}

class Dial implements fc.AsyncCommand<Model, Real> {
  readonly #outcome: MagicOutcome
  readonly #parameter: number

  constructor(outcome: MagicOutcome, parameter: number) {
    this.#outcome = outcome
    this.#parameter = parameter
  }

  check = () => true

  async run(model: Model, { trial, client, agentId, numbers }: Real): Promise<void> {
    const to_number = numbers.magic(this.#outcome, this.#parameter)
    const answer = await trial.settle(client.post("/v2/calls", { agent_id: agentId, to_number }))
    expectModel("dial", answer.status === 201 || answer.status === 429, `dial answered ${answer.status} ${answer.text}`)
    if (answer.status === 201)
      model.calls.push({ executionId: answer.string("execution_id"), isBooked: false, status: "queued" })
    const live = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    expectModel("ceiling", live.length <= lines, `${live.length} live legs on ${lines} lines`)
  }

  toString = () => `dial ${this.#outcome} ${this.#parameter}`
}

class Book implements fc.AsyncCommand<Model, Real> {
  readonly #aheadMs: number

  constructor(aheadMs: number) {
    this.#aheadMs = aheadMs
  }

  check = () => true

  async run(model: Model, { trial, client, agentId, numbers }: Real): Promise<void> {
    const scheduled_at = new Date((await trial.clock.now()) + this.#aheadMs).toISOString()
    const to_number = numbers.magic("completed", 1)
    const answer = await client.post("/v2/calls", { agent_id: agentId, to_number, scheduled_at })
    expectModel("book", answer.status === 202 && answer.at("status") === "scheduled", `booking answered ${answer.text}`)
    model.calls.push({ executionId: answer.string("execution_id"), isBooked: true, status: "scheduled" })
  }

  toString = () => `book ${this.#aheadMs} ms ahead`
}

/** A refusal to stop a call for the moment. */
const isBeingPlaced = (answer: Answer): boolean => answer.status === 409 && answer.header("retry-after") === "2"

/** The clause's topic and whether the answer to a stop keeps it, and the status that the call has then. */
const stopping = (
  { isBooked, status }: Call,
  answer: Answer,
): readonly [topic: string, holds: boolean, then: string] => {
  if (ended(status)) return ["stop-ended", answer.status === 409 && answer.message.includes(status), status]
  if (status === "scheduled") return ["stop-scheduled", answer.status === 200, "canceled"]
  // Which call without a leg is queued, which with one is initiated, and what is done with one that was moved are readings.
  if (isBooked && answer.status === 200) return ["stop-scheduled", !isLive(status), "canceled"]
  if (answer.status === 202) return ["stop-live", status !== "rescheduled", "stopped"]
  if (status === "rescheduled") return ["stop-scheduled", answer.status === 409, status]
  return [isLive(status) ? "stop-live" : "stop-queued", !isLive(status) && isBeingPlaced(answer), status]
}

/** Whether a call surely has a leg. */
const isLive = (status: string): boolean => status === "ringing" || status === "in-progress"

class Stop implements fc.AsyncCommand<Model, Real> {
  readonly #index: number

  constructor(index: number) {
    this.#index = index
  }

  check = (model: Readonly<Model>) => model.calls.length > 0

  async run(model: Model, real: Real): Promise<void> {
    const call = callAt(model, this.#index)
    await look(call, real)
    const answer = await stopCall(real.client, call.executionId)
    const told = `stopping ${call.status} answered ${answer.status} ${answer.text}`
    const [topic, holds, then] = stopping(call, answer)
    expectModel(topic, holds, told)
    call.status = then
    await look(call, real)
  }

  toString = () => `stop ${this.#index}`
}

const lookAtAll = async (model: Model, real: Real): Promise<void> => {
  for (const call of model.calls) await look(call, real)
}

class List implements fc.AsyncCommand<Model, Real> {
  check = () => true

  async run(model: Model, { client }: Real): Promise<void> {
    const answer = await client.get("/v2/calls", { page_size: 100 })
    const expected = model.calls.map(({ executionId }) => executionId).reverse()
    expectModel(
      "list",
      idsOf(answer).join() === expected.join(),
      `listed ${idsOf(answer).join()}, not ${expected.join()}`,
    )
  }

  toString = () => "list"
}

const outcome = fc.constantFrom<MagicOutcome>(
  "completed",
  "busy",
  "noAnswer",
  "voicemail",
  "failed",
  "error",
  "callDisconnected",
  "legReportedLate",
)

const calls: Case = {
  id: "model/calls",
  title: "Random sequences of dialling, booking, stopping and waiting go as a small model says",
  clauses: [
    "STATUS-1",
    "STATUS-3",
    "STATUS-MOVE-P1",
    "CALL-STOP-4",
    "CALL-STOP-7",
    "CALL-STOP-12",
    "CALL-STOP-13",
    "CALL-GET-9",
    "CALL-LIST-P1",
    "SLOT-6",
    "STATUS-MOVE-1",
    "STATUS-MOVE-5",
  ],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: (trial) =>
    explore<Model, Real>(trial, {
      topics: {
        dial: "STATUS-MOVE-1",
        book: "STATUS-MOVE-5",
        statuses: "STATUS-1",
        moves: "STATUS-MOVE-P1",
        "terminal-stays": "STATUS-3",
        "stop-scheduled": "CALL-STOP-4",
        "stop-queued": "CALL-STOP-13",
        "stop-live": "CALL-STOP-7",
        "stop-ended": "CALL-STOP-12",
        list: "CALL-LIST-P1",
        ceiling: "SLOT-6",
      },
      commands: [
        fc.tuple(outcome, fc.integer({ min: 1, max: 20 })).map(([kind, parameter]) => new Dial(kind, parameter)),
        fc.integer({ min: 2 * minuteMs, max: 10 * minuteMs }).map((aheadMs) => new Book(aheadMs)),
        fc.nat({ max: 9 }).map((index) => new Stop(index)),
        fc
          .oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 4 * minuteMs }))
          .map((ms) => new Wait(ms, lookAtAll)),
        fc.constant(new List()),
      ],
      setup: async () => {
        const { client } = await trial.organization({ concurrency: { organization: lines } })
        const agentId = await activeAgent(trial, client)
        return { model: { calls: [] }, real: { trial, client, agentId, numbers: trial.freshNumbers() } }
      },
      sequences: 12,
      maxCommands: 20,
    }),
}

export const callModelCases: ReadonlyArray<Case> = [calls]
