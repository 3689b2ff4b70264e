import type { Answer } from "../../http/Answer.ts"
import { memberOf } from "../../http/Json.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { hold } from "../concurrency/Gate.ts"
import { enterWindow } from "../rate/Pace.ts"
import type { Case } from "../../run/Case.ts"
import { keyIdOf, keyPreviewOf } from "../../trial/KeyId.ts"

const me: Case = {
  id: "identity/user-me",
  title: "A key learns its organization, its owner and its limits",
  clauses: ["ME-1", "ME-2", "ME-3", "ME-4", "ME-5", "ME-6", "ME-7", "ME-ROUTE-3", "CONV-1", "VERSION-1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId } = await trial.tenant()
    const answer = await client.get("/v2/user/me")
    check.status("answered", ["ME-ROUTE-3", "CONV-1", "VERSION-1"], answer, 200)
    check.equal("organization", "ME-1", answer.at("organization_id"), organizationId, answer)
    check.holds("organization-not-empty", "ME-1", answer.string("organization_id") !== "", "an id", answer)
    for (const name of ["id", "name", "key_id", "key_preview"]) {
      const present = typeof answer.at(`developer.${name}`) === "string"
      check.holds(`developer-${name}`, "ME-2", present, `developer.${name}`, answer)
    }
    check.holds("plan", "ME-3", answer.string("plan") !== "", "a plan name", answer)
    check.holds("tier", "ME-4", answer.string("rate_limit_tier") !== "", "a tier name", answer)
    const limits = answer.at("rate_limits")
    check.holds("rate-limits", "ME-5", typeof limits === "object" && limits !== null, "an object", answer)
    check.holds("max", "ME-6", Number.isSafeInteger(answer.at("concurrency.max")), "an integer", answer)
    check.holds("enforced", "ME-7", typeof answer.at("concurrency.enforced") === "boolean", "a boolean", answer)
  },
}

const key: Case = {
  id: "identity/key",
  title: "The key is named by a hash and shown by its ends",
  clauses: ["ME-2", "KEY-RECORD-1", "KEY-RECORD-2", "KEY-RECORD-3"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const answer = await client.get("/v2/user/me")
    const secret = client.key ?? ""
    const again = await client.get("/v2/user/me")
    check.equal("key-id", ["ME-2", "KEY-RECORD-1"], answer.at("developer.key_id"), await keyIdOf(secret), answer)
    check.equal("key-id-stable", "KEY-RECORD-2", again.at("developer.key_id"), answer.at("developer.key_id"), again)
    check.that("key-preview", ["ME-2", "KEY-RECORD-3"], answer.at("developer.key_preview") === keyPreviewOf(secret), {
      expected: "the first 12 characters, three dots and the last 4",
      got: answer.at("developer.key_preview"),
      at: answer,
    })
  },
}

const limits: Case = {
  id: "identity/rate-limits",
  title: "The live figures of the four buckets agree with the headers, and reading them costs one request",
  clauses: ["ME-P1", "ME-P2", "RATE-P7"],
  requires: ["fixtures", "clock"],
  realTimeMs: 60_000,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    await enterWindow(trial, 0)
    for (let count = 0; count < 4; count++) await client.get("/v2/calls")
    const answer = await client.get("/v2/user/me")
    const figure = (from: Answer, bucket: string, name: string): unknown =>
      memberOf(memberOf(from.at("rate_limits"), bucket), name)
    for (const bucket of ["calls.create", "executions.list", "knowledge.upload", "default"]) {
      for (const name of ["limit", "remaining", "reset"]) {
        const whole = Number.isSafeInteger(figure(answer, bucket, name))
        check.holds(`${bucket}-${name}`, "ME-P1", whole, `an integer ${name}`, answer)
      }
      check.equal(`${bucket}-window`, "ME-P1", figure(answer, bucket, "window_seconds"), 60, answer)
    }
    const [limit, remaining] = [
      answer.integerHeader("x-ratelimit-limit"),
      answer.integerHeader("x-ratelimit-remaining"),
    ]
    check.equal("own-limit", "ME-P1", figure(answer, "default", "limit"), limit, answer)
    check.equal("own-remaining", "ME-P1", figure(answer, "default", "remaining"), remaining, answer)
    const readsLeft = figure(answer, "executions.list", "remaining")
    const readsUsed = Number(figure(answer, "executions.list", "limit")) - Number(readsLeft)
    check.equal("reads-remaining", "ME-P1", readsUsed, 4, answer)
    const again = await client.get("/v2/user/me")
    check.equal("costs-nothing-elsewhere", "ME-P2", figure(again, "executions.list", "remaining"), readsLeft, again)
    check.equal("costs-one", "ME-P2", remaining - again.integerHeader("x-ratelimit-remaining"), 1, again)
    check.equal("standard-plan", "RATE-P7", answer.at("plan"), "standard", answer)
  },
}

const concurrency: Case = {
  id: "identity/concurrency",
  title: "The live lines are told: the ceiling, how many are in use, and at which level",
  clauses: ["ME-6", "ME-7", "ME-P3", "SLOT-10"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ concurrency: { organization: 6 } })
    const before = await client.get("/v2/user/me")
    check.equal("max", ["ME-6", "SLOT-10"], before.at("concurrency.max"), 6, before)
    check.equal("enforced", "ME-7", before.at("concurrency.enforced"), true, before)
    check.equal(
      "none-in-use",
      "ME-P3",
      [before.at("concurrency.current"), before.at("concurrency.available")],
      [0, 6],
      before,
    )
    for (const level of ["platform", "organization", "agent"]) {
      check.holds(
        `level-${level}`,
        "ME-P3",
        before.at(`concurrency.levels.${level}`) !== undefined,
        `the level ${level}`,
        before,
      )
    }
    const agentId = await activeAgent(trial, client)
    await hold(trial, client, agentId, 2)
    const after = await client.get("/v2/user/me")
    check.equal(
      "two-in-use",
      "ME-P3",
      [after.at("concurrency.current"), after.at("concurrency.available")],
      [2, 4],
      after,
    )
  },
}

export const userMeCases: ReadonlyArray<Case> = [me, key, limits, concurrency]
