import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { dial, readCall } from "../../../trial/Calls.ts"
import { minuteMs } from "../../../trial/Duration.ts"
import { untilEnded } from "../../../trial/Progress.ts"

const asked = { name: "appointment", prompt: "When do they come?", required_keys: ["day", "hour"] }

const analysed: Case = {
  id: "calls/records/analysis",
  title: "What was extracted from a call stands under the name of its variable, beside what was asked",
  clauses: ["CALL-FIELD-22", "CALL-FIELD-23"],
  requires: ["fixtures", "clock", "telephony", "magic"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client, { analytics: { custom: [asked] } })
    const id = await dial(trial, client, agentId, trial.numbers.magic("completed", 2))
    await untilEnded(trial, client, id)
    await clock.advance(15 * minuteMs)
    const call = await readCall(client, id)
    const extracted = call.at("extracted_data") ?? null
    // Nothing need be extracted from what was said.
    if (extracted === null) return
    const names = Object.keys(Object(extracted))
    check.equal(
      "by-name",
      "CALL-FIELD-22",
      names.filter((name) => name !== asked.name),
      [],
      call,
    )
    const entry = call
      .items("custom_analytics")
      .filter(isObject)
      .find(({ name }) => name === asked.name)
    check.equal("asked", "CALL-FIELD-23", entry?.["required_keys"], asked.required_keys, call)
  },
}

/** Cases of what is learned from a call. */
export const analysisCases: ReadonlyArray<Case> = [analysed]
