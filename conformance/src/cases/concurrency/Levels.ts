import type { Case } from "../../run/Case.ts"
import { activeAgent } from "../../trial/Agents.ts"
import { minuteMs, secondMs } from "../../trial/Duration.ts"
import type { Client } from "../../http/Client.ts"
import { untilQuiet } from "../../trial/Quiet.ts"
import type { Trial } from "../../trial/Trial.ts"
import { hold, knock, refusedDial } from "./Gate.ts"

/** Dials that must each find a line. */
const passes = async (
  trial: Trial,
  name: string,
  clauses: ReadonlyArray<string>,
  { agentId, client, lines }: { readonly agentId: string; readonly client: Client; readonly lines: number },
): Promise<void> => {
  for (let line = 0; line < lines; line++) {
    const pending = knock(trial, client, agentId)
    if ((await trial.parked(pending)) === "parked") await trial.clock.advance(5 * secondMs)
    if (!trial.check.status(name, clauses, await trial.settle(pending), 201)) return
  }
}

const agentLevel: Case = {
  id: "concurrency/levels/agent",
  title: "An agent has a cap of its own only where it is lower than the organization's",
  clauses: ["SLOT-4", "SLOT-7", "SLOT-11", "SLOT-13", "SLOT-FULL-P3"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const low = await trial.organization({ concurrency: { organization: 4, per_agent: 2 } })
    const one = await activeAgent(trial, low.client)
    const two = await activeAgent(trial, low.client)
    await hold(trial, low.client, one, 2)
    const answer = await refusedDial(trial, low.client, one)
    check.refused("agent-full", ["SLOT-11", "SLOT-4"], answer, 1300)
    const figures = answer.message.includes("(2 of 2 ")
    check.that("agent-figures", "SLOT-FULL-P3", figures, { expected: "2 of 2", got: answer.message, at: answer })
    check.status("other-agent-passes", "SLOT-11", await trial.settle(knock(trial, low.client, two)), 201)

    const same = await trial.organization({ concurrency: { organization: 3, per_agent: 9 } })
    const busy = await activeAgent(trial, same.client)
    await passes(trial, "higher-cap-has-no-effect", ["SLOT-7", "SLOT-11"], {
      agentId: busy,
      client: same.client,
      lines: 3,
    })
    check.refused("organization-full", "SLOT-11", await refusedDial(trial, same.client, busy), 1300)

    const real = await trial.organization({ concurrency: { organization: 50, per_agent: 5 } })
    const capped = await activeAgent(trial, real.client)
    await hold(trial, real.client, capped, 5)
    check.refused("any-other-five-is-real", "SLOT-13", await refusedDial(trial, real.client, capped), 1300)
  },
}

const inherits: Case = {
  id: "concurrency/levels/inherits",
  title: "Without a cap of its own an agent may use every line of the organization, 20 by default",
  clauses: ["SLOT-6", "SLOT-7", "SLOT-10"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const me = await client.get("/v2/user/me")
    check.equal("default-20", ["SLOT-6", "SLOT-10"], me.at("concurrency.max"), 20, me)
    const agentId = await activeAgent(trial, client)
    await passes(trial, "all-lines", ["SLOT-7"], { agentId, client, lines: 20 })
    check.refused("one-more", "SLOT-6", await refusedDial(trial, client, agentId), 1300)
  },
}

const legacy: Case = {
  id: "concurrency/levels/legacy-pair",
  title: "The pair 5 per agent and 100 in all counts as never set",
  clauses: ["SLOT-12", "SLOT-P11"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ concurrency: { organization: 100, per_agent: 5 } })
    const agentId = await activeAgent(trial, client)
    await passes(trial, "passes-five", ["SLOT-12"], { agentId, client, lines: 7 })
    const me = await client.get("/v2/user/me")
    check.equal("organization-keeps-its-hundred", "SLOT-P11", me.at("concurrency.max"), 100, me)
  },
}

const disabled: Case = {
  id: "concurrency/levels/not-enforced",
  title: "With concurrency management off lines are counted and nothing is refused",
  clauses: ["SLOT-14", "SLOT-15", "SLOT-P9", "ME-7", "ME-P3"],
  requires: ["fixtures", "clock", "magic"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization({ concurrency: { organization: 1, per_agent: 1, enforced: false } })
    const agentId = await activeAgent(trial, client)
    await passes(trial, "nothing-refused", ["SLOT-14", "SLOT-P9"], { agentId, client, lines: 3 })
    const me = await client.get("/v2/user/me")
    check.equal("told", ["SLOT-15", "ME-7"], me.at("concurrency.enforced"), false, me)
    check.equal("still-counted", "ME-P3", me.at("concurrency.current"), 3, me)
    // Where the figure is told is a reading; that it counts is not.
    const current = me.at("concurrency.current")
    if (typeof current === "number") check.equal("counts-on", "SLOT-14", current, 3, me)
    const strict = await trial.organization({ concurrency: { organization: 7 } })
    const other = await strict.client.get("/v2/user/me")
    check.equal("enforced-elsewhere", "SLOT-15", other.at("concurrency.enforced"), true, other)
    check.equal(
      "max-elsewhere",
      "ME-P3",
      [other.at("concurrency.max"), other.at("concurrency.current"), other.at("concurrency.available")],
      [7, 0, 7],
      other,
    )
  },
}

const changed: Case = {
  id: "concurrency/levels/changed",
  title: "A changed limit is in force within a minute; a lowered one ends no call",
  clauses: ["SLOT-9", "SLOT-FULL-P2", "FAIR-5"],
  requires: ["fixtures", "clock", "magic", "telephony"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    await hold(trial, client, agentId, 1)
    const change = (organization: number) =>
      trial.control.ask("PATCH", `/organizations/${organizationId}`, { concurrency: { organization } })
    await change(4)
    await clock.advance(61 * secondMs)
    await passes(trial, "raised", ["SLOT-9"], { agentId, client, lines: 3 })
    await change(2)
    await clock.advance(61 * secondMs)
    const answer = await refusedDial(trial, client, agentId)
    check.refused("lowered", "SLOT-9", answer, 1300)
    const truth = answer.message.includes("(4 of 2 ")
    check.that("says-what-is-true", "SLOT-FULL-P2", truth, { expected: "4 of 2", got: answer.message, at: answer })
    const legs = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    check.equal("nobody-hung-up", "FAIR-5", legs.length, 4)
  },
}

const platform: Case = {
  id: "concurrency/levels/platform",
  title: "The platform's ceiling holds over all organizations",
  clauses: ["SLOT-4", "SLOT-5", "SLOT-P10", "SLOT-FULL-P3"],
  requires: ["fixtures", "clock", "magic", "telephony", "platform"],
  run: async (trial) => {
    const { check, clock } = trial
    const a = await trial.organization()
    const b = await trial.organization({ concurrency: { organization: 20, enforced: false } })
    const agentOfA = await activeAgent(trial, a.client)
    const agentOfB = await activeAgent(trial, b.client)
    await untilQuiet(trial, 5 * minuteMs)
    const already = (await trial.telephony.legs({ live: "true" })).length
    const ceiling = already + 2
    trial.defer(() => trial.control.ask("PATCH", "/platform", { concurrency: 1_000 }))
    await trial.control.ask("PATCH", "/platform", { concurrency: ceiling })
    await clock.advance(61 * secondMs)
    await hold(trial, a.client, agentOfA, 1)
    await hold(trial, b.client, agentOfB, 1)
    const answer = await refusedDial(trial, a.client, agentOfA)
    check.refused("full", ["SLOT-4", "SLOT-5"], answer, 1300)
    const figures = answer.message.includes(`of ${ceiling} `)
    check.that("figures", "SLOT-FULL-P3", figures, { expected: `of ${ceiling} lines`, got: answer.message, at: answer })
    check.refused("holds-without-enforcement", "SLOT-P10", await refusedDial(trial, b.client, agentOfB), 1300)
  },
}

const inbound: Case = {
  id: "concurrency/levels/inbound",
  title: "Inbound calls take no line",
  clauses: ["SLOT-P7", "CALL-FIELD-4"],
  requires: ["fixtures", "clock", "magic", "inbound"],
  run: async (trial) => {
    const { check } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization({ concurrency: { organization: 1 } })
    const agentId = await activeAgent(trial, client)
    const [to_number] = phoneNumbers
    const arrived = await trial.control.ask("POST", "/inbound", {
      organization_id: organizationId,
      from_number: trial.numbers.plain(),
      to_number,
      agent_id: agentId,
      outcome: { result: "completed", talk_ms: 60_000 },
    })
    const call = await client.get(`/v2/calls/${String(arrived["execution_id"])}`)
    check.equal("inbound", "CALL-FIELD-4", call.at("direction"), "inbound", call)
    check.status("line-still-free", "SLOT-P7", await trial.settle(knock(trial, client, agentId)), 201)
  },
}

const storeAway: Case = {
  id: "concurrency/levels/store-away",
  title: "With the slot store away the ceiling holds exactly",
  clauses: ["SLOT-FULL-6", "SLOT-FULL-G2", "SLOT-FULL-P1", "LIMITS-4"],
  requires: ["fixtures", "clock", "magic", "telephony", "faults:slot_store"],
  run: async (trial) => {
    const { check } = trial
    const lines = 3
    const { client } = await trial.organization({ concurrency: { organization: lines } })
    const agentId = await activeAgent(trial, client)
    await hold(trial, client, agentId, 1)
    await trial.breaks("slot_store", { mode: "unreachable" })
    check.equal("free-lines-pass", "SLOT-FULL-P1", (await hold(trial, client, agentId, 2)).length, 2)
    const first = await refusedDial(trial, client, agentId)
    check.refused("exactly-full", "SLOT-FULL-P1", first, 1300)
    // That each process keeps the ceiling is said; not that it knows of the lines which others hold.
    let answer = first
    for (let more = 0; more < 4 * lines && answer.succeeded; more++) answer = await refusedDial(trial, client, agentId)
    check.refused("does-not-fail-open", "SLOT-FULL-6", answer, 1300)
    const begins = answer.message.startsWith("Account concurrency limit reached")
    check.that("told-apart", "LIMITS-4", begins, {
      expected: "Account concurrency limit reached…",
      got: answer.message,
      at: answer,
    })
    const told = "Account concurrency limit reached; all lines are in use."
    check.equal("wording", "SLOT-FULL-G2", answer.message, told, answer)
    const held = await trial.telephony.legs({ agent_id: agentId, live: "true" })
    check.equal("legs", "SLOT-FULL-P1", held.length, lines)
    await trial.restores("slot_store")
    // A reconciler may correct drift later: two of its ticks.
    await trial.clock.advance(31 * secondMs)
    const after = await refusedDial(trial, client, agentId)
    check.refused("full-once-corrected", "SLOT-FULL-P1", after, 1300)
  },
}

export const levelCases: ReadonlyArray<Case> = [
  agentLevel,
  inherits,
  legacy,
  disabled,
  changed,
  platform,
  inbound,
  storeAway,
]
