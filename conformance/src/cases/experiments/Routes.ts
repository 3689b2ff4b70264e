import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"
import { limitOf } from "../rate/Pace.ts"

/** A body of our own reading: the shapes of these routes are not shown. */
const bodyOf = (variant_agent_id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  variant_agent_id,
  version_name: "Routes",
  ...more,
})

const statuses = ["draft", "active", "paused", "concluded"]

const life: Case = {
  id: "experiments/life",
  title: "The status of an experiment is one of four at every step, and a winner stands on a concluded one alone",
  clauses: ["EXPERIMENT-FIELD-9", "EXPERIMENT-STATUS-1", "EXPERIMENT-STATUS-2", "EXPERIMENT-GET-1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const id = trial.made(await client.post(path, bodyOf(challenger)), 201).string("version_id")
    const look = async (step: string) => {
      const read = await client.get(`${path}/${id}`)
      check.oneOf(`${step}-status`, ["EXPERIMENT-FIELD-9", "EXPERIMENT-STATUS-1"], read.at("status"), statuses, read)
      if (read.at("status") !== "concluded") {
        check.equal(`${step}-no-winner`, "EXPERIMENT-STATUS-2", read.at("winner") ?? null, null, read)
      }
      return read
    }
    const drafted = await look("draft")
    const rest = await client.get("/v2/user/me")
    check.equal("bucket", "EXPERIMENT-GET-1", limitOf(drafted), limitOf(rest), drafted)
    for (const status of ["active", "paused", "active"]) {
      trial.made(await client.patch(`${path}/${id}`, { status }), 200)
      const read = await look(status)
      check.equal(`${status}-kept`, "EXPERIMENT-STATUS-1", read.at("status"), status, read)
    }
    trial.made(await client.patch(`${path}/${id}`, { status: "concluded", winner: "variant" }), 200)
    const over = await look("concluded")
    check.equal("concluded-kept", "EXPERIMENT-STATUS-1", over.at("status"), "concluded", over)
    check.equal("winner", "EXPERIMENT-STATUS-2", over.at("winner"), "variant", over)
  },
}

const shares: Case = {
  id: "experiments/shares",
  title: "The share of the challenger is any number from 0 to 100, and nothing beyond",
  clauses: ["CONSTANT-21", "EXPERIMENT-FIELD-5"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const id = trial.made(await client.post(path, bodyOf(challenger)), 201).string("version_id")
    for (const share of [0, 0.5, 50, 99.5, 100]) {
      const answer = await client.patch(`${path}/${id}`, { variant_traffic_pct: share })
      check.equal(
        `share-${share}`,
        ["CONSTANT-21", "EXPERIMENT-FIELD-5"],
        answer.at("variant_traffic_pct"),
        share,
        answer,
      )
    }
    for (const share of [-1, -0.001, 100.001, 101]) {
      check.rejected(
        `share-${share}`,
        "CONSTANT-21",
        await client.patch(`${path}/${id}`, { variant_traffic_pct: share }),
      )
      check.rejected(
        `new-${share}`,
        "CONSTANT-21",
        await client.post(path, bodyOf(challenger, { variant_traffic_pct: share })),
      )
    }
    const read = await client.get(`${path}/${id}`)
    check.equal("untouched", "CONSTANT-21", read.at("variant_traffic_pct"), 100, read)
  },
}

const open: Case = {
  id: "experiments/open",
  title: "Reads of experiments need a valid key and no scope",
  clauses: ["EXPERIMENT-GET-2", "EXPERIMENT-ROUTES-1", "SCOPE-OPEN-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client, clients } = await trial.organization({ keys: [{}, { scopes: [] }] })
    const [, scopeless] = clients
    if (scopeless === undefined) return
    const control = (await makeAgent(trial, client)).string("agent_id")
    const challenger = (await makeAgent(trial, client)).string("agent_id")
    const path = `/v2/agents/${control}/versions`
    const list = await scopeless.get(path)
    check.status("list", ["EXPERIMENT-ROUTES-1", "SCOPE-OPEN-2"], list, 200)
    const id = trial.made(await client.post(path, bodyOf(challenger)), 201).string("version_id")
    check.status("read", "EXPERIMENT-GET-2", await scopeless.get(`${path}/${id}`), 200)
  },
}

/** Cases of the routes of experiments. */
export const experimentRouteCases: ReadonlyArray<Case> = [life, shares, open]
