import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { csv } from "../../trial/Campaigns.ts"
import { dayMs } from "../../trial/Duration.ts"
import { form } from "../../trial/Forms.ts"

const uploads: Case = {
  id: "idempotency/uploads",
  title: "An upload is compared by its parts: the same ones are answered as before, others are refused",
  clauses: ["IDEMPOTENCY-P4", "IDEMPOTENCY-P9"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const key = trial.fresh()
    const file = (number: string, boundary: string) => {
      const parts = [
        { name: "agent_id", value: agent_id },
        { name: "scheduled_at", value: scheduled_at },
        csv(`to_number\n${number}\n`),
      ]
      const raw = new TextEncoder().encode(
        new TextDecoder().decode(form(parts).raw).replaceAll("carillon-conformance-form", boundary),
      )
      const headers = {
        "content-type": `multipart/form-data; boundary=${boundary}`,
        "content-length": String(raw.length),
        "idempotency-key": key,
      }
      return client.send("POST", "/v2/batches/upload", { raw, headers })
    }
    const number = trial.numbers.magic("completed", 1)
    const first = trial.made(await file(number, "one-boundary"), 201)
    const again = await file(number, "another-boundary")
    check.equal("same-parts", "IDEMPOTENCY-P9", [again.status, again.text], [first.status, first.text], again)
    const other = await file(trial.numbers.magic("completed", 1), "one-boundary")
    check.refused("other-parts", "IDEMPOTENCY-P4", other, 1201)
  },
}

const mended: Case = {
  id: "idempotency/after-a-fault",
  title: "What failed because something was away is done when it is asked for again with the same key",
  clauses: ["IDEMPOTENCY-P6"],
  requires: ["fixtures", "clock", "faults:scheduler"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const scheduled_at = new Date((await trial.now()) + dayMs).toISOString()
    const body = { agent_id, to_number: trial.numbers.magic("completed", 1), scheduled_at }
    const book = () => client.send("POST", "/v2/calls", { body, headers: { "idempotency-key": key } })
    const key = trial.fresh()
    await trial.breaks("scheduler", { mode: "unreachable" })
    trial.made(await book(), 503)
    await trial.restores("scheduler")
    check.status("booked", "IDEMPOTENCY-P6", await book(), 202)
  },
}

export const keptUploadCases: ReadonlyArray<Case> = [uploads, mended]
