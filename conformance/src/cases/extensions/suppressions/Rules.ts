import type { Client } from "../../../http/Client.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { contactsOf, release, rungAt, suppressionsOf, suppressOn } from "../../../trial/Callees.ts"
import { dial, readCall } from "../../../trial/Calls.ts"
import { type Body, makeCampaign } from "../../../trial/Campaigns.ts"
import { dayMs, hourMs, minuteMs, secondMs } from "../../../trial/Duration.ts"
import type { MagicOutcome } from "../../../trial/Numbers.ts"
import { untilEnded, untilStatus } from "../../../trial/Progress.ts"
import type { Trial } from "../../../trial/Trial.ts"

const requires = ["fixtures", "clock", "telephony", "magic", "extension:suppressions"] as const

/** Calls a number that goes so, and lets the call end. */
const called = async (trial: Trial, client: Client, agentId: string, outcome: MagicOutcome) => {
  const number = trial.numbers.magic(outcome, 1)
  const executionId = await dial(trial, client, agentId, number)
  const call = await untilEnded(trial, client, executionId)
  return { number, executionId, call }
}

/** The scope and the reason of each suppression of a number. */
const scopesOf = async (client: Client, number: string): Promise<ReadonlyArray<Body>> =>
  (await suppressionsOf(client, number)).map(({ agent_id, campaign_id, reason }) => ({ agent_id, campaign_id, reason }))

const written: Case = {
  id: "extensions/suppressions/rules/written",
  title: "Rules are replaced whole and read; one that asks for nothing is refused",
  clauses: ["SUPPRESSION-E47", "SUPPRESSION-E51", "SUPPRESSION-E53", "SUPPRESSION-E55"],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const reasons = async () => {
      const read = await client.get("/v2/suppressions/rules")
      return read.items("suppress_on").map((rule) => Object(rule)["reason"])
    }
    await suppressOn(trial, client, [
      { outcomes: ["busy"], reason: "one" },
      { hangup_reasons: ["invalid_destination"], reason: "two" },
    ])
    check.equal("read", "SUPPRESSION-E55", await reasons(), ["one", "two"])
    await suppressOn(trial, client, [{ outcomes: ["failed"], reason: "three" }])
    check.equal("replaced", "SUPPRESSION-E53", await reasons(), ["three"])
    const put = (rule: Body) => client.put("/v2/suppressions/rules", { suppress_on: [rule] })
    check.rejected("asks-for-nothing", "SUPPRESSION-E51", await put({ outcomes: [], reason: "all" }))
    const both = { outcomes: ["busy"], agent_id, campaign_id: "any" }
    check.rejected("one-of-two", "SUPPRESSION-E47", await put(both))
    check.equal("refused-changes-nothing", ["SUPPRESSION-E51", "SUPPRESSION-E53"], await reasons(), ["three"])
  },
}

const outcomes: Case = {
  id: "extensions/suppressions/rules/outcomes",
  title: "A number is suppressed as its call ended: by status, by reason, for whom and how long a rule says",
  clauses: [
    "SUPPRESSION-E43",
    "SUPPRESSION-E44",
    "SUPPRESSION-E45",
    "SUPPRESSION-E47",
    "SUPPRESSION-E48",
    "SUPPRESSION-E49",
    "SUPPRESSION-E50",
    "SUPPRESSION-E51",
    "SUPPRESSION-E52",
    "SUPPRESSION-E58",
    "SUPPRESSION-E60",
    "SUPPRESSION-E62",
  ],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const other = await activeAgent(trial, client)
    const before = await called(trial, client, agentId, "busy")
    const quiet = await called(trial, client, agentId, "noAnswer")
    const silence = quiet.call.at("hangup_reason")
    await suppressOn(trial, client, [
      { outcomes: ["busy"], reason: "was busy", days: 2 },
      { hangup_reasons: [silence], suppress_for: "agent", reason: "silence" },
      { outcomes: ["no-answer"], reason: "never answers" },
      { outcomes: ["failed"], suppress_for: "campaign" },
      { outcomes: ["completed"], agent_id: other },
      { outcomes: ["completed"], hangup_reasons: ["invalid_destination"] },
    ])
    const all = { agent_id: null, campaign_id: null }
    const busy = await called(trial, client, agentId, "busy")
    const clauses = ["SUPPRESSION-E44", "SUPPRESSION-E50", "SUPPRESSION-E58"]
    check.equal("by-status", clauses, await scopesOf(client, busy.number), [{ ...all, reason: "was busy" }])
    const [found] = await suppressionsOf(client, busy.number)
    check.equal("its-source", "SUPPRESSION-E62", found?.["source"], busy.executionId)
    const stands = Date.parse(String(found?.["expires_at"])) - Date.parse(String(found?.["created_at"]))
    check.equal("its-days", "SUPPRESSION-E49", stands, 2 * dayMs)
    const silent = await called(trial, client, agentId, "noAnswer")
    const scopes = (await scopesOf(client, silent.number)).map(({ agent_id, reason }) => [agent_id, reason])
    const [forAgent, forAll] = [
      [agentId, "silence"],
      [null, "never answers"],
    ]
    const has = (scope: ReadonlyArray<unknown>) => scopes.some((each) => each[0] === scope[0] && each[1] === scope[1])
    check.holds("by-reason", ["SUPPRESSION-E45", "SUPPRESSION-E48"], has(forAgent ?? []), `${agentId}: silence`)
    check.holds("each-by-itself", "SUPPRESSION-E52", has(forAll ?? []), "for all: never answers")
    const ends = (await suppressionsOf(client, silent.number)).map((each) => each["expires_at"])
    check.holds(
      "for-good",
      "SUPPRESSION-E49",
      ends.every((end) => end === null),
      "no end",
    )
    const failed = await called(trial, client, agentId, "failed")
    check.equal("no-campaign", "SUPPRESSION-E60", await scopesOf(client, failed.number), [])
    const mine = await called(trial, client, agentId, "completed")
    check.equal("not-of-its-agent", ["SUPPRESSION-E47", "SUPPRESSION-E51"], await scopesOf(client, mine.number), [])
    const theirs = await called(trial, client, other, "completed")
    check.equal("of-its-agent", "SUPPRESSION-E47", (await scopesOf(client, theirs.number)).length, 1)
    check.equal("from-then-on", "SUPPRESSION-E43", await scopesOf(client, before.number), [])
  },
}

const planned: Case = {
  id: "extensions/suppressions/rules/planned",
  title: "The retry that a call has planned finds its contact suppressed, by a rule of its campaign and for it",
  clauses: ["SUPPRESSION-E47", "SUPPRESSION-E48", "SUPPRESSION-E57"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    const start_time = new Date((await trial.now()) + minuteMs).toISOString()
    const make = (to_number: string) =>
      makeCampaign(trial, client, agentId, {
        start_time,
        contacts: [{ to_number }],
        retry_policy: { max_retries: 1, base_delay_minutes: 5 },
      })
    const [one, other] = [trial.numbers.magic("busy"), trial.numbers.magic("busy")]
    const campaign_id = (await make(one)).string("campaign_id")
    await make(other)
    await suppressOn(trial, client, [{ outcomes: ["busy"], campaign_id, suppress_for: "campaign" }])
    await clock.advance(hourMs)
    const contact = (await contactsOf(client, campaign_id)).get(one)
    const stands = [contact?.["skip_reason"], (await rungAt(trial, one)).length]
    check.equal("skipped", "SUPPRESSION-E57", stands, ["suppressed", 1])
    const scopes = (await scopesOf(client, one)).map((each) => each["campaign_id"])
    check.equal("for-its-campaign", "SUPPRESSION-E48", scopes, [campaign_id])
    check.equal("not-of-another", "SUPPRESSION-E47", await scopesOf(client, other), [])
    check.equal("the-other-is-retried", "SUPPRESSION-E57", (await rungAt(trial, other)).length, 2)
  },
}

const taken: Case = {
  id: "extensions/suppressions/rules/taken-back",
  title: "A call suppresses once, with its last word; what rules brought stays when they go",
  clauses: ["SUPPRESSION-E54", "SUPPRESSION-E56", "SUPPRESSION-E63"],
  requires,
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agentId = await activeAgent(trial, client)
    await suppressOn(trial, client, [{ outcomes: ["completed"] }])
    const number = trial.numbers.magic("corrected", 1)
    const executionId = await dial(trial, client, agentId, number)
    await untilStatus(trial, client, executionId, ["in-progress"])
    check.equal("not-before-its-end", "SUPPRESSION-E56", await scopesOf(client, number), [])
    await untilEnded(trial, client, executionId)
    check.equal("with-its-last-word", "SUPPRESSION-E56", (await scopesOf(client, number)).length, 1)
    trial.made(await release(client, [number]), 200)
    await clock.advance(hourMs)
    const call = await readCall(client, executionId)
    check.equal("stays-taken-back", "SUPPRESSION-E63", await scopesOf(client, number), [], call)
    const kept = await called(trial, client, agentId, "completed")
    await suppressOn(trial, client, [])
    check.equal("brought-stays", "SUPPRESSION-E54", (await scopesOf(client, kept.number)).length, 1)
    const free = await called(trial, client, agentId, "completed")
    check.equal("rules-are-gone", "SUPPRESSION-E54", await scopesOf(client, free.number), [])
  },
}

const arrived: Case = {
  id: "extensions/suppressions/rules/arrived",
  title: "Who called is suppressed as who was called is",
  clauses: ["SUPPRESSION-E58"],
  requires: [...requires, "inbound"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client, organizationId, phoneNumbers } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    await suppressOn(trial, client, [{ outcomes: ["completed"] }])
    const from_number = trial.numbers.plain()
    const answer = await trial.control.send("POST", "/inbound", {
      organization_id: organizationId,
      from_number,
      to_number: phoneNumbers[0],
      agent_id,
      outcome: { result: "completed", talk_ms: 10 * secondMs },
    })
    trial.made(answer, 201)
    await clock.advance(5 * minuteMs)
    check.equal("who-called", "SUPPRESSION-E58", (await scopesOf(client, from_number)).length, 1)
    check.equal("not-the-own", "SUPPRESSION-E58", await scopesOf(client, phoneNumbers[0] ?? ""), [])
  },
}

const routed: Case = {
  id: "extensions/suppressions/rules/routed",
  title:
    "Where an experiment sent a call to a challenger, its rules are of either agent, and for the one that was asked for",
  clauses: ["SUPPRESSION-E59"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const control = await activeAgent(trial, client)
    const challenger = await activeAgent(trial, client)
    const version = await client.post(`/v2/agents/${control}/versions`, {
      variant_agent_id: challenger,
      version_name: "V",
      status: "active",
      variant_traffic_pct: 100,
    })
    trial.made(version, 201)
    await suppressOn(trial, client, [
      { outcomes: ["busy"], agent_id: control, suppress_for: "agent" },
      { outcomes: ["failed"], agent_id: challenger, suppress_for: "agent" },
    ])
    for (const outcome of ["busy", "failed"] as const) {
      const { number } = await called(trial, client, control, outcome)
      const agents = (await scopesOf(client, number)).map((each) => each["agent_id"])
      check.equal(`${outcome}-for-who-was-asked`, "SUPPRESSION-E59", agents, [control])
    }
  },
}

/** More agents than a number has suppressions of, where they are so long. */
const maxScopes = 60

/** So long that few fill a number; and so short that a suppression by a rule is longer. */
const [long, short] = [{ note: "€".repeat(900) }, { reason: "r".repeat(100) }]

/** Suppresses a number for one agent after the other, until it has no room for more; false where it always has. */
const fill = async (trial: Trial, client: Client, number: string, words: Body): Promise<boolean> => {
  for (let nth = 0; nth < maxScopes; nth++) {
    const agent_id = await activeAgent(trial, client)
    const added = await client.post("/v2/suppressions", { to_numbers: [number], agent_id, ...words })
    if (!added.succeeded) return true
  }
  return false
}

const room: Case = {
  id: "extensions/suppressions/no-room",
  title: "A number with as many suppressions as it may have takes one for all calls, and no other",
  clauses: ["SUPPRESSION-E17", "SUPPRESSION-E18", "SUPPRESSION-E19", "SUPPRESSION-E61"],
  requires,
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const number = trial.numbers.magic("busy")
    if (!(await fill(trial, client, number, long)) || !(await fill(trial, client, number, short))) {
      check.note("no-bound", "SUPPRESSION-E17", `a number has room for ${maxScopes} long suppressions`)
      return
    }
    const agent_id = await activeAgent(trial, client)
    const add = (to_numbers: ReadonlyArray<string>, more: Body) =>
      client.post("/v2/suppressions", { to_numbers, ...long, ...more })
    const refused = await add([number], { agent_id })
    check.equal("all-refused", "SUPPRESSION-E19", refused.status, 422, refused)
    const mixed = await add([number, trial.numbers.plain()], { agent_id })
    const counts = [mixed.status, mixed.at("refused"), mixed.at("added")]
    check.equal("refused-is-counted", "SUPPRESSION-E17", counts, [201, 1, 1], mixed)
    await suppressOn(trial, client, [{ outcomes: ["busy"], suppress_for: "agent", ...short }])
    const executionId = await dial(trial, client, agent_id, number)
    await untilEnded(trial, client, executionId)
    const byTheCall = (await suppressionsOf(client, number)).filter(({ source }) => source === executionId)
    const agents = byTheCall.map((each) => each["agent_id"])
    check.equal("for-all-instead", "SUPPRESSION-E61", agents, [null])
    trial.made(await release(client, [number]), 200)
    const all = await add([number], {})
    check.equal("one-for-all", "SUPPRESSION-E18", [all.status, all.at("added")], [201, 1], all)
  },
}

/** Cases of rules that suppress at the end of calls. */
export const suppressionRuleCases: ReadonlyArray<Case> = [written, outcomes, planned, taken, arrived, routed, room]
