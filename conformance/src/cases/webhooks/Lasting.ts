import type { Answer } from "../../http/Answer.ts"
import type { Client } from "../../http/Client.ts"
import type { Inbox } from "../../control/Inbox.ts"
import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"
import { dayMs, minuteMs } from "../../trial/Duration.ts"
import type { Trial } from "../../trial/Trial.ts"
import { deliveredByMs, freshInbox, subscribe } from "../../trial/Webhooks.ts"
import { limitOf } from "../rate/Pace.ts"

/** A call that ends at once, and everything that is delivered of it. */
const callOnce = async (trial: Trial, client: Client, agentId: string): Promise<string> => {
  const id = await dial(trial, client, agentId, trial.numbers.magic("busy"))
  await trial.clock.advance(deliveredByMs)
  return id
}

const rowsOf = (ledger: Answer, executionId: string): number =>
  ledger
    .items()
    .filter(isObject)
    .filter(({ execution_id }) => execution_id === executionId).length

const acknowledged: Case = {
  id: "webhooks/deliveries/acknowledged",
  title: "A 2xx within thirty seconds acknowledges; anything else, or later, is tried again, four times at most",
  clauses: ["CONSTANT-17", "CONSTANT-18", "DELIVERY-3", "DELIVERY-4", "DELIVERY-7"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inboxes = new Map<string, Inbox>()
    const expects = async (name: string, behaviour: Parameters<Inbox["behave"]>[0]) => {
      const inbox = freshInbox(trial)
      await inbox.behave(behaviour)
      await subscribe(trial, client, inbox, { agent_id: agentId })
      inboxes.set(name, inbox)
    }
    await expects("200", { status: 200 })
    await expects("204", { status: 204 })
    await expects("299", { status: 299 })
    await expects("302", { status: 302 })
    await expects("404", { status: 404 })
    await expects("just-in-time", { delay_ms: 29_500 })
    await expects("too-late", { delay_ms: 31_000 })
    await expects("at-last", { statuses: [500, 500, 200] })
    await callOnce(trial, client, agentId)
    const times = async (name: string) => (await inboxes.get(name)?.received())?.length
    for (const name of ["200", "204", "299"]) check.equal(name, ["CONSTANT-17", "DELIVERY-3"], await times(name), 1)
    check.equal("just-in-time", ["CONSTANT-17", "DELIVERY-3"], await times("just-in-time"), 1)
    for (const name of ["302", "404"]) check.equal(name, ["CONSTANT-18", "DELIVERY-4"], await times(name), 4)
    check.equal("too-late", ["CONSTANT-17", "CONSTANT-18", "DELIVERY-3"], await times("too-late"), 4)
    check.equal("at-last", "DELIVERY-3", await times("at-last"), 3)
    const late = (await inboxes.get("too-late")?.received()) ?? []
    const events = new Set(late.map(({ payload }) => payload["event_id"]))
    check.equal("one-event-however-often-it-came", "DELIVERY-7", [events.size, late.length > 1], [1, true])
    const spread = (late.at(-1)?.at ?? Infinity) - (late[0]?.at ?? 0)
    check.holds("within-two-minutes", "CONSTANT-18", spread <= 2.5 * minuteMs, "all attempts inside about two minutes")
  },
}

const retention: Case = {
  id: "webhooks/deliveries/retention",
  title: "The ledger keeps a delivery for thirty days",
  clauses: ["CONSTANT-19", "DELIVERY-12", "WEBHOOK-DELETE-6"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const subscriptionId = await subscribe(trial, client, freshInbox(trial), { agent_id: agentId })
    const id = await callOnce(trial, client, agentId)
    trial.made(await client.delete(`/v2/webhooks/${subscriptionId}`), 204)
    await trial.clock.advance(30 * dayMs - 30 * minuteMs)
    const kept = await client.get("/v2/webhooks/deliveries")
    check.equal("kept", ["CONSTANT-19", "WEBHOOK-DELETE-6"], rowsOf(kept, id), 1, kept)
    await trial.clock.advance(2 * dayMs)
    const gone = await client.get("/v2/webhooks/deliveries")
    check.equal("gone", ["CONSTANT-19", "DELIVERY-12"], rowsOf(gone, id), 0, gone)
  },
}

const changed: Case = {
  id: "webhooks/subscriptions/changed",
  title: "A subscription that is disabled, enabled or deleted is so within sixty seconds, and for good",
  clauses: ["WEBHOOK-DELETE-1", "WEBHOOK-DELETE-2", "WEBHOOK-DELETE-8", "WEBHOOK-DELETE-9", "EVENT-TYPE-3"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    // No value means all_processing_completed alone: one delivery for a call.
    const id = await subscribe(trial, client, inbox, { agent_id: agentId })
    const path = `/v2/webhooks/${id}`
    const cacheMs = 61_000
    const count = async () => {
      await trial.clock.advance(cacheMs)
      const before = (await inbox.received()).length
      await callOnce(trial, client, agentId)
      return (await inbox.received()).length - before
    }
    check.equal("delivers", ["WEBHOOK-DELETE-8", "WEBHOOK-DELETE-9"], await count(), 1)
    const types = (await inbox.received()).map(({ payload }) => payload["event_type"])
    check.equal("one-type-by-default", "EVENT-TYPE-3", types, ["all_processing_completed"])
    check.exists("disable", "WEBHOOK-DELETE-8", await client.patch(path, { enabled: false }))
    check.equal("disabled", ["WEBHOOK-DELETE-8", "WEBHOOK-DELETE-9"], await count(), 0)
    check.exists("enable", "WEBHOOK-DELETE-8", await client.patch(path, { enabled: true }))
    check.equal("enabled", ["WEBHOOK-DELETE-8", "WEBHOOK-DELETE-9"], await count(), 1)
    const deleted = await client.delete(path)
    const rest = await client.get("/v2/user/me")
    check.equal("bucket", "WEBHOOK-DELETE-1", limitOf(deleted), limitOf(rest), deleted)
    const test = await client.post("/v2/webhooks/test", { subscription_id: id })
    check.refused("nothing-of-it-left", "WEBHOOK-DELETE-2", test, 1200)
    check.equal("deleted", ["WEBHOOK-DELETE-2", "WEBHOOK-DELETE-9"], await count(), 0)
  },
}

/** Cases of what lasts: attempts, the ledger, and changes of a subscription. */
export const lastingCases: ReadonlyArray<Case> = [acknowledged, retention, changed]
