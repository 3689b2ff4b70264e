import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { dial } from "../../trial/Calls.ts"
import { deliveredByMs, freshInbox, subscribe } from "../../trial/Webhooks.ts"

const owners: Case = {
  id: "webhooks/subscriptions/of-its-agent",
  title: "A subscription of one agent gets nothing of another one's calls",
  clauses: ["EVENT-ROUTING-1"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const one = await activeAgent(trial, client)
    const other = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await subscribe(trial, client, inbox, { agent_id: one })
    await dial(trial, client, other, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    check.equal("nothing-of-others", "EVENT-ROUTING-1", (await inbox.received()).length, 0)
    const own = await dial(trial, client, one, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    const ids = (await inbox.received()).map(({ payload }) => payload["call_id"])
    check.equal("its-own", "EVENT-ROUTING-1", [ids.includes(own), new Set(ids).size], [true, 1])
  },
}

const unreachable: Case = {
  id: "webhooks/deliveries/no-connection",
  title: "An endpoint that takes no connection is tried as often as one that answers badly",
  clauses: ["DELIVERY-4"],
  requires: ["fixtures", "inbox", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const inbox = freshInbox(trial)
    await inbox.behave({ error: "connect_error" })
    await subscribe(trial, client, inbox, { agent_id })
    const id = await dial(trial, client, agent_id, trial.numbers.magic("busy"))
    await trial.clock.advance(deliveredByMs)
    const ledger = await client.get("/v2/webhooks/deliveries")
    const row = ledger.items().findIndex((_row, nth) => ledger.at(`data.${nth}.execution_id`) === id)
    const attempts = ledger.at(`data.${row}.attempts`)
    const tried = Array.isArray(attempts) ? attempts.length : attempts
    check.equal("tried-again", "DELIVERY-4", tried, 4, ledger)
  },
}

export const ownerCases: ReadonlyArray<Case> = [owners, unreachable]
