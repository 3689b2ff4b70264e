import { agentName } from "../../trial/Agents.ts"
import type { Case } from "../../run/Case.ts"
import { burst, enterWindow, isRateRefusal, leftAfter, limitOf, maxMeasuredCeiling, remainingOf } from "./Pace.ts"

const keys: Case = {
  id: "rate/sharing/keys",
  title: "All keys of an organization share the counters; other organizations have their own",
  clauses: ["RATE-1", "RATE-8"],
  requires: ["fixtures", "clock"],
  realTimeMs: 60_000,
  run: async (trial) => {
    const { check } = trial
    const { clients } = await trial.organization({ keys: [{}, {}, { scopes: [] }] })
    const other = await trial.organization()
    const [one, two, three] = clients
    if (one === undefined || two === undefined || three === undefined) return
    await enterWindow(trial, 0)
    await burst(() => one.get("/v2/user/me"), 10)
    await burst(() => two.get("/v2/user/me"), 5)
    const seen = await three.get("/v2/user/me")
    check.oneOf("shared", "RATE-1", remainingOf(seen), leftAfter(seen, 16), seen)
    const elsewhere = await other.client.get("/v2/user/me")
    check.oneOf("apart", "RATE-1", remainingOf(elsewhere), leftAfter(elsewhere, 1), elsewhere)
    check.equal("tier-changes-nothing", "RATE-8", limitOf(seen), limitOf(elsewhere), seen)
  },
}

const exhausted: Case = {
  id: "rate/sharing/exhausted",
  title:
    "An exhausted bucket refuses every key of the organization, and touches no other bucket and no other organization",
  clauses: ["RATE-1", "RATE-2", "RATE-9", "RATE-P2"],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { clients } = await trial.organization({ keys: [{}, {}] })
    const other = await trial.organization()
    const [one, two] = clients
    if (one === undefined || two === undefined) return
    await enterWindow(trial, 30_000)
    const read = () => one.get("/v2/calls/exec_unknown")
    const limit = limitOf(await read())
    if (limit > maxMeasuredCeiling)
      return check.note("not-measured", "RATE-2", `a ceiling of ${limit} is more than a run sends`)
    await burst(read, limit - 1)
    check.refused("same-bucket", "RATE-9", await read(), 1300)
    check.refused("same-bucket-other-route", "RATE-2", await one.get("/v2/calls"), 1300)
    check.refused("same-bucket-other-key", "RATE-1", await two.get("/v2/calls/exec_unknown"), 1300)
    check.status("other-bucket", "RATE-2", await one.get("/v2/user/me"), 200)
    check.refused("dials", "RATE-2", await one.post("/v2/calls", {}), 1002)
    check.refused("other-organization", "RATE-1", await other.client.get("/v2/calls/exec_unknown"), 1200)

    // Had the refusals counted, the estimate one minute on would be higher.
    await burst(read, 100)
    await clock.advance(60_000)
    const after = await read()
    check.equal("refusals-count-nothing", "RATE-P2", remainingOf(after), Math.floor(limit - (limit / 2 + 1)), after)
    check.holds("passes-again", "RATE-P2", !isRateRefusal(after), "an answer", after)
  },
}

const order: Case = {
  id: "rate/sharing/order",
  title: "A refusal by the rate comes after 401 and 403 of the organization, before unknown routes, scopes and bodies",
  clauses: [
    "PIPELINE-P1",
    "PIPELINE-P2",
    "PIPELINE-P3",
    "PIPELINE-P4",
    "RATE-P1",
    "RATE-P2",
    "RATE-P3",
    "AGENT-CREATE-8",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock, anonymous } = trial
    const { clients } = await trial.organization({ keys: [{}, { scopes: [] }, { status: "inactive" }] })
    const [client, nobody, inactive] = clients
    if (client === undefined || nobody === undefined || inactive === undefined) return
    const me = () => client.get("/v2/user/me")
    const cost = async (id: string, clause: string, expected: number, ask: () => Promise<unknown>) => {
      const before = await me()
      await ask()
      const after = await me()
      check.equal(id, clause, remainingOf(before) - remainingOf(after) - 1, expected, after)
    }
    await enterWindow(trial, 10_000)
    await cost("401-costs-nothing", "RATE-P1", 0, () => anonymous.get("/v2/user/me"))
    await cost("inactive-costs-nothing", "RATE-P1", 0, () => inactive.get("/v2/user/me"))
    await cost("foreign-organization-costs-nothing", "RATE-P1", 0, () =>
      client.get("/v2/user/me", { organization_id: "org_x" }),
    )
    await cost("unknown-route-costs-one", "RATE-P3", 1, () => client.get("/v2/no-such-thing"))
    await cost("unknown-method-costs-one", "RATE-P3", 1, () => client.delete("/v2/calls"))
    await cost("unknown-id-costs-one", "RATE-P3", 1, () => client.get("/v2/agents/agt_unknown"))
    await cost("missing-scope-costs-one", "RATE-P3", 1, () => nobody.get("/v2/agents"))
    await cost("bad-body-costs-one", "RATE-P3", 1, () => client.post("/v2/agents", {}))

    const limit = limitOf(await me())
    if (limit > maxMeasuredCeiling)
      return check.note("not-measured", "RATE-P2", `a ceiling of ${limit} is more than a run sends`)
    // One more than are left, because the request that tells it may not be counted.
    await burst(me, remainingOf(await me()) + 1)
    check.refused("exhausted", "RATE-P2", await me(), 1300)
    check.refused("401-first", "PIPELINE-P1", await anonymous.get("/v2/user/me"), 1100)
    check.refused("inactive-first", "PIPELINE-P1", await inactive.get("/v2/user/me"), 1100)
    check.refused(
      "organization-first",
      "PIPELINE-P1",
      await client.get("/v2/user/me", { organization_id: "org_x" }),
      1102,
    )
    check.refused("before-unknown-route", "PIPELINE-P3", await client.get("/v2/no-such-thing"), 1300)
    check.refused("before-unknown-method", "PIPELINE-P2", await client.delete("/v2/calls"), 1300)
    check.refused("before-scope", "PIPELINE-P4", await nobody.get("/v2/agents"), 1300)
    check.refused("before-body", "PIPELINE-P4", await client.post("/v2/agents", {}), 1300)
    const agent = await client.post("/v2/agents", { display_name: agentName(trial) })
    check.status("agents-too", "AGENT-CREATE-8", agent, 429)
    check.refused("before-unknown-id", "PIPELINE-P4", await client.get("/v2/agents/agt_unknown"), 1300)
    await clock.advance(120_000)
    check.status("over", "RATE-P2", await me(), 200)
  },
}

const failsOpen: Case = {
  id: "rate/sharing/fails-open",
  title: "With its store away the limiter refuses nothing and shows the full limit",
  clauses: ["RATE-10", "RATE-11"],
  requires: ["fixtures", "clock", "faults:rate_limit_store"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const ask = () => client.get("/v2/calls/exec_unknown")
    await enterWindow(trial, 30_000)
    const limit = limitOf(await ask())
    if (limit > maxMeasuredCeiling)
      return check.note("not-measured", "RATE-10", `a ceiling of ${limit} is more than a run sends`)
    await burst(ask, limit - 1)
    check.refused("exhausted-before", "RATE-10", await ask(), 1300)
    await trial.breaks("rate_limit_store", { mode: "unreachable" })
    const answers = await burst(ask, 50)
    check.equal("nothing-refused", "RATE-10", answers.filter(isRateRefusal).length, 0, answers[0])
    const limits = answers.map(limitOf).filter((each) => each !== limit)
    check.equal("limit-shown", "RATE-11", limits.length, 0, answers[0])
    const written = await client.post("/v2/agents", { display_name: agentName(trial) })
    check.status("writes-pass", "RATE-10", written, 201)
    const notFull = answers.find((answer) => remainingOf(answer) !== limit)
    check.equal("full-limit-shown", "RATE-11", notFull === undefined ? limit : remainingOf(notFull), limit, notFull)
  },
}

const named: Case = {
  id: "rate/sharing/named-organization",
  title: "A request that names another organization is told the rate of its own, in the route's bucket",
  clauses: ["ORG-2", "RATE-HEADERS-3", "RATE-HEADERS-4"],
  requires: ["fixtures", "clock"],
  realTimeMs: 60_000,
  run: async (trial) => {
    const { check } = trial
    const own = await trial.organization()
    const other = await trial.organization()
    await enterWindow(trial, 0)
    for (const path of ["/v2/calls", "/v2/user/me"]) {
      await burst(() => own.client.get(path), 8)
      await burst(() => other.client.get(path), 3)
      const plain = await own.client.get(path)
      const refused = await own.client.get(path, { organization_id: other.organizationId })
      check.refused("refused", "ORG-2", refused, 1102)
      check.equal("limit", "RATE-HEADERS-3", limitOf(refused), limitOf(plain), refused)
      // Whether a request counts that is refused before the rate is a reading.
      const left = remainingOf(plain)
      check.oneOf("remaining", "RATE-HEADERS-4", remainingOf(refused), [left, left - 1], refused)
    }
  },
}

export const sharingCases: ReadonlyArray<Case> = [keys, exhausted, order, failsOpen, named]
