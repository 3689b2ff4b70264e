import type { Answer } from "../../http/Answer.ts"
import { memberOf } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { enterWindow, leftAfter } from "../rate/Pace.ts"

const limitOf = (answer: Answer): number => answer.integerHeader("x-ratelimit-limit")

const remainingOf = (answer: Answer): number => answer.integerHeader("x-ratelimit-remaining")

const ceilings: Case = {
  id: "routing/buckets/ceilings",
  title: "Every route shows the ceiling of its own bucket",
  clauses: [
    "RATE-BUCKET-1",
    "RATE-BUCKET-2",
    "RATE-BUCKET-4",
    "RATE-7",
    "ME-P1",
    "CALL-LIST-1",
    "CALL-GET-1",
    "CALL-CREATE-1",
    "CALL-STOP-1",
    "CALL-TRANSCRIPT-1",
    "CALL-RECORDING-1",
    "CALL-TIMING-1",
    "CALL-OF-AGENT-1",
    "ME-ROUTE-1",
    "SCOPES-ROUTE-1",
    "AGENT-CREATE-1",
    "AGENT-LIST-3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const me = await client.get("/v2/user/me")
    // A plan may raise ceilings, so they are compared with those of one route of the bucket.
    const dials = limitOf(await client.post("/v2/calls", {}))
    const reads = limitOf(await client.get("/v2/calls/exec_x"))
    const rest = limitOf(me)
    check.holds("dials-at-least-600", ["RATE-BUCKET-1", "CALL-CREATE-1"], dials >= 600, "600 or more", me)
    check.holds("reads-at-least-600", ["RATE-BUCKET-2", "CALL-GET-1"], reads >= 600, "600 or more", me)
    check.holds("rest-at-least-1000", ["RATE-BUCKET-4", "ME-ROUTE-1"], rest >= 1_000, "1000 or more", me)

    const rows: ReadonlyArray<readonly [name: string, clause: string, answer: Answer, ceiling: number]> = [
      ["stop", "CALL-STOP-1", await client.post("/v2/calls/exec_x/stop"), dials],
      ["calls", "CALL-LIST-1", await client.get("/v2/calls"), reads],
      ["transcript", "CALL-TRANSCRIPT-1", await client.get("/v2/calls/exec_x/transcript"), reads],
      ["recording", "CALL-RECORDING-1", await client.get("/v2/calls/exec_x/recording"), reads],
      ["timing", "CALL-TIMING-1", await client.get("/v2/calls/exec_x/timing"), reads],
      ["executions", "CALL-OF-AGENT-1", await client.get("/v2/agents/agt_x/executions"), reads],
      ["scopes", "SCOPES-ROUTE-1", await client.get("/v2/scopes"), rest],
      ["api-keys", "RATE-BUCKET-4", await client.get("/v2/api-keys"), rest],
      ["agents", "AGENT-LIST-3", await client.get("/v2/agents"), rest],
      ["agent", "RATE-BUCKET-4", await client.get("/v2/agents/agt_x"), rest],
      ["agent-create", "AGENT-CREATE-1", await client.post("/v2/agents", {}), rest],
      ["unknown-route", "RATE-BUCKET-4", await client.get("/v2/no-such-thing"), rest],
    ]
    for (const [name, clause, answer, ceiling] of rows) {
      check.equal(name, ["RATE-7", clause], limitOf(answer), ceiling, answer)
    }

    const shown = (bucket: string) => memberOf(memberOf(me.at("rate_limits"), bucket), "limit")
    check.equal("shown-for-dials", "ME-P1", shown("calls.create"), dials, me)
    check.equal("shown-for-reads", "ME-P1", shown("executions.list"), reads, me)
    check.equal("shown-for-the-rest", "ME-P1", shown("default"), rest, me)
  },
}

const apart: Case = {
  id: "routing/buckets/counted-apart",
  title: "A request counts in its own bucket and in no other",
  clauses: ["RATE-2", "RATE-HEADERS-4", "RATE-P3"],
  requires: ["fixtures", "clock"],
  realTimeMs: 60_000,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    await enterWindow(trial, 0)
    const before = await client.get("/v2/user/me")
    for (let count = 0; count < 5; count++) await client.get("/v2/calls")
    for (let count = 0; count < 3; count++) await client.post("/v2/calls", {})
    const after = await client.get("/v2/user/me")
    check.equal("rest", ["RATE-2", "RATE-P3"], remainingOf(before) - remainingOf(after), 1, after)
    const reads = await client.get("/v2/calls")
    check.oneOf("reads", ["RATE-2", "RATE-HEADERS-4"], remainingOf(reads), leftAfter(reads, 6), reads)
    const dials = await client.post("/v2/calls", {})
    check.oneOf("dials", ["RATE-2", "RATE-HEADERS-4"], remainingOf(dials), leftAfter(dials, 4), dials)
  },
}

export const bucketCases: ReadonlyArray<Case> = [ceilings, apart]
