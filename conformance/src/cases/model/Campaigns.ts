import * as fc from "fast-check"
import type { Leg } from "../../control/Telephony.ts"
import type { Client } from "../../http/Client.ts"
import { canonical } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { stopCall } from "../../trial/Calls.ts"
import { bucketsAddUp, callsOf, makeCampaign, move, orNull, readCampaign, readStats } from "../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../trial/Duration.ts"
import { expectModel, explore } from "../../trial/Exploration.ts"
import type { MagicOutcome } from "../../trial/Numbers.ts"
import type { Trial } from "../../trial/Trial.ts"
import { Wait } from "./Wait.ts"

/** Attempts after the first that each contact may have, and the least time between two. */
const maxRetries = 2
const delayMs = 5 * minuteMs

/** How contacts go, the parameter of their number, and the attempts that each has when nothing comes between. */
const kinds: ReadonlyArray<readonly [outcome: MagicOutcome, parameter: number, attempts: number]> = [
  ["completed", 12, 1],
  ["busy", 0, 1 + maxRetries],
  ["holdsLine", 2, 1],
  ["voicemail", 0, 1 + maxRetries],
  ["callDisconnected", 5, 1 + maxRetries],
  ["completed", 1, 1],
]

interface Contact {
  readonly number: string
  readonly attempts: number
  /** Whether a stop, or a cancel while it rang or spoke, came between: then it may have fewer attempts. */
  isDisturbed: boolean
  /** Whether its last call was hung up on request: it is not dialled again. */
  isStopped: boolean
  /** Legs that the carrier saw of it. */
  legs: number
}

interface Model {
  readonly contacts: ReadonlyArray<Contact>
  completed: number
  /** Legs that the carrier had seen when dialling was ended; undefined while it may go on. */
  heldAt: number | undefined
}

interface Real {
  readonly trial: Trial
  readonly client: Client
  readonly campaignId: string
}

const timeOf = (value: unknown): number => Date.parse(String(value))

/** What the carrier may see of one contact, whatever was asked meanwhile. */
const lookAtLegs = (contact: Contact, legs: ReadonlyArray<Leg>): void => {
  const told = `${contact.number} was dialled at ${legs.map(({ placed_at }) => String(placed_at)).join(", ")}`
  expectModel("budget", legs.length <= 1 + maxRetries, told)
  if (contact.isStopped) expectModel("stopped-stays", legs.length === contact.legs, told)
  legs.slice(1).forEach((leg, nth) => {
    const before = legs[nth]
    expectModel("reached-once", before?.result !== "completed", told)
    const waitedMs = timeOf(leg.placed_at) - timeOf(before?.ended_at)
    expectModel("delay", waitedMs >= delayMs, `${told}, ${waitedMs} ms after the end of the attempt before`)
  })
  contact.legs = legs.length
}

/** The figures of a campaign beside its calls. */
const lookAtFigures = async (model: Model, { client, campaignId }: Real): Promise<void> => {
  const stats = await readStats(client, campaignId)
  const calls = await callsOf(client, campaignId)
  const buckets = canonical(stats.at("outcome_counts"))
  expectModel("buckets", bucketsAddUp(stats), buckets)
  expectModel("total", stats.number("outcome_counts.total") === model.contacts.length, buckets)
  const completed = stats.number("outcome_counts.completed")
  expectModel("completed-grows", completed >= model.completed, `${model.completed} became ${completed}`)
  model.completed = completed
  const reached = new Set(calls.filter(({ status }) => status === "completed").map(({ contact_id }) => contact_id)).size
  expectModel("completed-is-reached", completed === reached, `${completed} completed, ${reached} reached by the calls`)
  const attempts = stats.at("total_call_attempts")
  expectModel("attempts", orNull(calls.length).includes(attempts), `${String(attempts)} of ${calls.length} calls`)
  const depths: Record<string, number> = {}
  for (const { retry_count } of calls) depths[String(retry_count)] = (depths[String(retry_count)] ?? 0) + 1
  const breakdown = canonical(stats.at("retry_breakdown"))
  expectModel("depths", [canonical(depths), "null"].includes(breakdown), `${breakdown}, not ${canonical(depths)}`)
}

const look = async (model: Model, real: Real): Promise<void> => {
  const legs = await real.trial.telephony.legs({ campaign_id: real.campaignId })
  if (model.heldAt !== undefined)
    expectModel("held", legs.length === model.heldAt, `${legs.length} legs, ${model.heldAt} when dialling was ended`)
  for (const contact of model.contacts)
    lookAtLegs(
      contact,
      legs.filter(({ to_number }) => to_number === contact.number),
    )
  await lookAtFigures(model, real)
}

type How = "pause" | "resume" | "cancel" | "revive"

/** The clause's topic and the answers that keep it, by the status that the campaign had; what is left open is absent. */
const answers: Readonly<Record<How, Readonly<Record<string, readonly [topic: string, status: number]>>>> = {
  pause: {
    active: ["pause", 200],
    created: ["pause", 200],
    paused: ["pause-again", 200],
    completed: ["pause-ended", 409],
    cancelled: ["pause-ended", 409],
  },
  resume: { paused: ["resume", 200], completed: ["resume-ended", 409], cancelled: ["resume-ended", 409] },
  cancel: {
    active: ["cancel", 200],
    paused: ["cancel", 200],
    completed: ["resume-ended", 409],
    cancelled: ["resume-ended", 409],
  },
  revive: { cancelled: ["revive", 200], completed: ["revive", 200], active: ["revive-running", 409] },
}

/** Statuses in which nothing is dialled. */
const isHeld = (status: unknown): boolean => status === "paused" || status === "cancelled"

class Move implements fc.AsyncCommand<Model, Real> {
  readonly #how: How

  constructor(how: How) {
    this.#how = how
  }

  check = () => true

  async run(model: Model, real: Real): Promise<void> {
    const { client, campaignId, trial } = real
    const before = (await readCampaign(client, campaignId)).string("status")
    const answer = await move(client, campaignId, this.#how)
    const told = `${this.#how} of a campaign that was ${before} answered ${answer.status} ${answer.text}`
    const [topic, expected] = answers[this.#how][before] ?? []
    if (topic !== undefined) expectModel(topic, answer.status === expected, told)
    const status = (await readCampaign(client, campaignId)).at("status")
    const then = `${told}; then it was ${String(status)}`
    if (answer.status === 409) expectModel("refused-changes-nothing", status === before, then)
    else if (this.#how === "pause") expectModel("pause", status === "paused", then)
    else if (this.#how === "cancel") expectModel("cancel", status === "cancelled", then)
    const legs = await trial.telephony.legs({ campaign_id: campaignId })
    // What was on its way when dialling ended may still be dialled in that moment.
    model.heldAt = isHeld(status) ? (model.heldAt ?? legs.length) : undefined
    if (this.#how === "cancel" && answer.status === 200)
      for (const { live, to_number } of legs)
        for (const contact of model.contacts) contact.isDisturbed ||= live === true && contact.number === to_number
    await look(model, real)
  }

  toString = () => this.#how
}

/** A cancel that is taken back. */
class TakeBack implements fc.AsyncCommand<Model, Real> {
  readonly #afterMs: number

  constructor(afterMs: number) {
    this.#afterMs = afterMs
  }

  check = () => true

  async run(model: Model, real: Real): Promise<void> {
    await new Move("cancel").run(model, real)
    await real.trial.clock.advance(this.#afterMs)
    await new Move("revive").run(model, real)
  }

  toString = () => `cancel and, ${this.#afterMs} ms later, revive`
}

class Stop implements fc.AsyncCommand<Model, Real> {
  check = () => true

  async run(model: Model, real: Real): Promise<void> {
    const calls = await callsOf(real.client, real.campaignId)
    const call = calls.find(({ status }) => status === "in-progress" || status === "ringing")
    const contact = model.contacts.find(({ number }) => number === call?.["to_number"])
    if (call === undefined || contact === undefined) return
    const answer = await stopCall(real.client, String(call["execution_id"]))
    expectModel("stop", answer.status === 202, `stopping answered ${answer.status} ${answer.text}`)
    contact.isDisturbed = true
    contact.isStopped = true
    await look(model, real)
  }

  toString = () => "stop a call"
}

/** Lets the campaign run to its end: every contact has the attempts that its calls earned it, and no more. */
class Finish implements fc.AsyncCommand<Model, Real> {
  check = () => true

  async run(model: Model, real: Real): Promise<void> {
    for (const how of ["resume", "revive"] as const) await move(real.client, real.campaignId, how)
    model.heldAt = undefined
    await real.trial.clock.advance(2 * hourMs)
    await look(model, real)
    for (const { attempts, isDisturbed, legs, number } of model.contacts)
      if (!isDisturbed)
        expectModel("attempts-earned", legs === attempts, `${number}: ${legs} attempts, not ${attempts}`)
    const campaign = await readCampaign(real.client, real.campaignId)
    const reached = campaign.number("completed_contacts")
    expectModel(
      "reached",
      reached === model.completed,
      `${reached} completed contacts, ${model.completed} in the stats`,
    )
  }

  toString = () => "finish"
}

const campaigns: Case = {
  id: "model/campaigns",
  title:
    "Random sequences of pauses, cancels, revives, stops and waiting lose no contact, and dial none once too often",
  clauses: [
    "CAMPAIGN-STATUS-4",
    "CAMPAIGN-STATUS-6",
    "CAMPAIGN-STATUS-8",
    "CAMPAIGN-STATUS-10",
    "CAMPAIGN-STATUS-13",
    "CAMPAIGN-STATUS-15",
    "CAMPAIGN-STATUS-17",
    "CAMPAIGN-STATUS-18",
    "CAMPAIGN-STATUS-19",
    "CAMPAIGN-CONFLICT-1",
    "CAMPAIGN-CONFLICT-2",
    "CAMPAIGN-CONFLICT-3",
    "CAMPAIGN-FIELD-17",
    "CAMPAIGN-FIELD-35",
    "RETRY-P2",
    "CALL-STOP-7",
    "STATUS-18",
    "STATS-1",
    "STATS-9",
    "STATS-11",
    "STATS-13",
    "STATS-14",
    "STATS-15",
  ],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: (trial) =>
    explore<Model, Real>(trial, {
      topics: {
        pause: "CAMPAIGN-STATUS-4",
        "pause-again": "CAMPAIGN-STATUS-8",
        "pause-ended": "CAMPAIGN-CONFLICT-1",
        resume: "CAMPAIGN-STATUS-10",
        "resume-ended": "CAMPAIGN-CONFLICT-2",
        "refused-changes-nothing": ["CAMPAIGN-CONFLICT-1", "CAMPAIGN-CONFLICT-2", "CAMPAIGN-CONFLICT-3"],
        cancel: "CAMPAIGN-STATUS-13",
        revive: "CAMPAIGN-STATUS-17",
        "revive-running": "CAMPAIGN-CONFLICT-3",
        held: ["CAMPAIGN-STATUS-4", "CAMPAIGN-STATUS-15"],
        stop: "CALL-STOP-7",
        "stopped-stays": "STATUS-18",
        budget: ["CAMPAIGN-FIELD-17", "CAMPAIGN-STATUS-19"],
        delay: "RETRY-P2",
        "reached-once": "CAMPAIGN-STATUS-18",
        "attempts-earned": ["CAMPAIGN-STATUS-6", "CAMPAIGN-STATUS-17", "CAMPAIGN-STATUS-19"],
        buckets: ["STATS-13", "STATS-14"],
        total: "STATS-14",
        "completed-grows": "STATS-15",
        "completed-is-reached": "STATS-1",
        attempts: "STATS-11",
        depths: "STATS-9",
        reached: "CAMPAIGN-FIELD-35",
      },
      commands: [
        fc.constantFrom<How>("pause", "resume", "cancel", "revive").map((how) => new Move(how)),
        fc.integer({ min: 1, max: 8 * minuteMs }).map((afterMs) => new TakeBack(afterMs)),
        fc
          .oneof(fc.integer({ min: 1, max: minuteMs }), fc.integer({ min: minuteMs, max: 8 * minuteMs }))
          .map((ms) => new Wait(ms, look)),
        fc.constantFrom(new Stop(), new Finish()),
      ],
      setup: async () => {
        const { client } = await trial.organization()
        const agentId = await activeAgent(trial, client)
        const numbers = trial.freshNumbers()
        const contacts = kinds.map(([outcome, parameter, attempts]) => ({
          number: numbers.magic(outcome, parameter),
          attempts,
          isDisturbed: false,
          isStopped: false,
          legs: 0,
        }))
        const made = await makeCampaign(trial, client, agentId, {
          contacts: contacts.map(({ number }) => ({ to_number: number })),
          max_concurrent_calls: 3,
          retry_policy: { max_retries: maxRetries, base_delay_minutes: 5 },
        })
        const real = { trial, client, campaignId: made.string("campaign_id") }
        return { model: { contacts, completed: 0, heldAt: undefined }, real }
      },
      sequences: 12,
      maxCommands: 16,
    }),
}

export const campaignModelCases: ReadonlyArray<Case> = [campaigns]
