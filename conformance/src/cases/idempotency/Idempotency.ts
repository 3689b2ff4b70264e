import type { Client } from "../../http/Client.ts"
import type { Case } from "../../run/Case.ts"
import type { Trial } from "../../trial/Trial.ts"
import { activeAgent, moveAgent } from "../../trial/Agents.ts"
import { minuteMs } from "../../trial/Duration.ts"

const day = 24 * 3_600_000

const booking = async (trial: Trial, agent_id: string) => ({
  agent_id,
  to_number: trial.numbers.magic("completed", 1),
  scheduled_at: new Date((await trial.now()) + 2 * day).toISOString(),
})

const send = (client: Client, key: string, body: unknown) =>
  client.send("POST", "/v2/calls", { body, headers: { "idempotency-key": key } })

const repeated: Case = {
  id: "idempotency/repeated",
  title: "The same key and body are answered alike and done once; another body is refused",
  clauses: ["IDEMPOTENCY-P1", "IDEMPOTENCY-P3", "IDEMPOTENCY-P4", "IDEMPOTENCY-P6", "IDEMPOTENCY-P7", "IDEMPOTENCY-P8"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const body = await booking(trial, await activeAgent(trial, client))
    const key = trial.fresh()
    const first = trial.made(await send(client, key, body), 202)
    trial.defer(() => client.post(`/v2/calls/${first.string("execution_id")}/stop`))
    check.equal("first", "IDEMPOTENCY-P3", first.header("idempotent-replayed"), null, first)
    const again = await send(client, key, Object.fromEntries(Object.entries(body).toReversed()))
    check.equal("again", "IDEMPOTENCY-P3", [again.status, again.text], [first.status, first.text], again)
    check.equal("replayed", "IDEMPOTENCY-P3", again.header("idempotent-replayed"), "true", again)
    const other = await send(client, key, { ...body, record: false })
    check.refused("another-body", "IDEMPOTENCY-P4", other, 1201)
    check.refused("too-long", "IDEMPOTENCY-P7", await send(client, "k".repeat(256), body), 1000)
    check.refused("decoded-first", "IDEMPOTENCY-P8", await send(client, "k".repeat(256), {}), 1002)
    const failing = { ...body, agent_id: "agt_unknown" }
    const refused = await send(client, `${key}-2`, failing)
    check.refused("failed", "IDEMPOTENCY-P6", refused, 1200)
    const kept = await send(client, `${key}-2`, failing)
    check.equal("not-kept", "IDEMPOTENCY-P6", kept.header("idempotent-replayed"), null, kept)
  },
}

const expiring: Case = {
  id: "idempotency/expiring",
  title: "A key stands for its answer for 24 hours, in its own organization",
  clauses: ["IDEMPOTENCY-P2"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { client: other } = await trial.organization()
    const key = trial.fresh()
    const body = await booking(trial, await activeAgent(trial, client))
    const first = trial.made(await send(client, key, body), 202)
    const foreign = await send(other, key, { ...body, agent_id: await activeAgent(trial, other) })
    check.status("of-the-organization", "IDEMPOTENCY-P2", foreign, 202)
    await trial.clock.advance(day - 1_000)
    const kept = await send(client, key, body)
    check.equal("kept", "IDEMPOTENCY-P2", kept.at("execution_id"), first.at("execution_id"), kept)
    await trial.clock.advance(1_000)
    const later = await send(client, key, body)
    check.holds(
      "expired",
      "IDEMPOTENCY-P2",
      later.string("execution_id") !== first.string("execution_id"),
      "a new call",
      later,
    )
  },
}

const running: Case = {
  id: "idempotency/running",
  title: "A key whose first request still runs is refused for a second",
  clauses: ["IDEMPOTENCY-P5"],
  requires: ["telephony", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.plain()
    await trial.rules([{ match: { to_number }, outcome: { result: "completed", ack_delay_ms: 3_000 } }])
    const key = trial.fresh()
    const first = send(client, key, { agent_id, to_number })
    await trial.parked(first)
    // A server without such keys dials again, and this too waits for time to pass.
    const second = await trial.settle(send(client, key, { agent_id, to_number }))
    check.refused("still-running", "IDEMPOTENCY-P5", second, 1201)
    check.equal("retry-after", "IDEMPOTENCY-P5", second.header("retry-after"), "1", second)
    const answered = await trial.settle(first)
    check.status("answered", "IDEMPOTENCY-P5", answered, 201)
  },
}

const outlived: Case = {
  id: "idempotency/outlived",
  title:
    "An answer is given again although the request would be refused by now: too near, too late, its agent taken down",
  clauses: ["IDEMPOTENCY-P3"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const aheadMs = 3 * minuteMs
    const scheduled_at = new Date((await trial.now()) + aheadMs).toISOString()
    const body = { agent_id: agentId, to_number: trial.numbers.magic("completed", 1), scheduled_at }
    const key = trial.fresh()
    const first = trial.made(await send(client, key, body), 202)
    const again = async (name: string) => {
      const answer = await send(client, key, body)
      check.equal(name, "IDEMPOTENCY-P3", [answer.status, answer.text], [first.status, first.text], answer)
    }
    await trial.clock.advance(aheadMs - minuteMs)
    await again("too-near")
    await trial.clock.advance(10 * minuteMs)
    await again("too-late")
    await moveAgent(client, agentId, "INACTIVE")
    await again("agent-taken-down")
  },
}

/** `Idempotency-Key`. */
export const idempotencyCases: ReadonlyArray<Case> = [repeated, expiring, running, outlived]
