import { isObject } from "../../../http/Json.ts"
import type { Case } from "../../../run/Case.ts"
import { activeAgent } from "../../../trial/Agents.ts"
import { release, suppress, suppressionsOf } from "../../../trial/Callees.ts"
import { distantStart, magicContacts, makeCampaign } from "../../../trial/Campaigns.ts"
import { hourMs, minuteMs } from "../../../trial/Duration.ts"

const counted = (added: number, replaced: number, unchanged: number, refused: number) => ({
  added,
  replaced,
  unchanged,
  refused,
})

const kept: Case = {
  id: "extensions/suppressions/kept",
  title: "Numbers are suppressed with one's words, listed, checked, and taken off the list",
  clauses: [
    "SUPPRESSION-E1",
    "SUPPRESSION-E5",
    "SUPPRESSION-E7",
    "SUPPRESSION-E9",
    "SUPPRESSION-E12",
    "SUPPRESSION-E13",
    "SUPPRESSION-E27",
    "SUPPRESSION-E28",
    "SUPPRESSION-E29",
  ],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const none = await client.get("/v2/suppressions")
    check.equal("none-at-first", "SUPPRESSION-E1", [none.status, none.items()], [200, []], none)
    const rules = await client.get("/v2/suppressions/rules")
    check.equal("no-rules-at-first", "SUPPRESSION-E1", rules.at("suppress_on"), [], rules)
    const [one, other, third] = [trial.numbers.plain(), trial.numbers.plain(), trial.numbers.plain()]
    const words = { reason: "opt_out", source: "a form", note: "by phone" }
    const asked = { to_numbers: [one, other, one], ...words }
    const added = await client.post("/v2/suppressions", asked)
    check.equal("counts", "SUPPRESSION-E12", added.json, counted(2, 0, 0, 0), added)
    const before = await client.get("/v2/suppressions")
    const again = await client.post("/v2/suppressions", asked)
    check.equal("again-counts", ["SUPPRESSION-E12", "SUPPRESSION-E13"], again.json, counted(0, 0, 2, 0), again)
    const after = await client.get("/v2/suppressions")
    check.equal("again-changes-nothing", "SUPPRESSION-E13", after.items(), before.items(), after)
    const numbers = after
      .items()
      .filter(isObject)
      .map(({ to_number }) => String(to_number))
    check.equal("listed", "SUPPRESSION-E27", numbers.toSorted(), [one, other].toSorted(), after)
    const [listed] = after.items("data.0.suppressions").filter(isObject)
    const said = [listed?.["reason"], listed?.["source"], listed?.["note"]]
    check.equal("words", "SUPPRESSION-E9", said, [words.reason, words.source, words.note], after)
    const checked = await client.post("/v2/suppressions/check", { to_numbers: [one, third, one] })
    const rows = checked.items().filter(isObject)
    const lengths = rows.map(({ to_number, suppressions }) => [to_number, Object(suppressions).length])
    check.equal(
      "checked-once",
      "SUPPRESSION-E28",
      lengths,
      [
        [one, 1],
        [third, 0],
      ],
      checked,
    )
    const removed = await release(client, [one, third])
    check.equal("removed", "SUPPRESSION-E29", [removed.status, removed.at("removed")], [200, 1], removed)
    check.equal("gone", "SUPPRESSION-E29", await suppressionsOf(client, one), [])
    check.equal("others-stay", "SUPPRESSION-E29", (await suppressionsOf(client, other)).length, 1)
    check.rejected("no-e164", "SUPPRESSION-E5", await client.post("/v2/suppressions", { to_numbers: ["5551234567"] }))
  },
}

const scoped: Case = {
  id: "extensions/suppressions/scopes",
  title: "A suppression is of one scope; each is added and taken away by itself",
  clauses: ["SUPPRESSION-E7", "SUPPRESSION-E12", "SUPPRESSION-E29"],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const made = await makeCampaign(trial, client, agent_id, {
      contacts: magicContacts(trial, 1, "completed"),
      start_time: await distantStart(trial),
    })
    const campaign_id = made.string("campaign_id")
    const number = trial.numbers.plain()
    const both = await client.post("/v2/suppressions", { to_numbers: [number], agent_id, campaign_id })
    check.rejected("one-of-two", "SUPPRESSION-E7", both)
    check.equal("nothing-added", "SUPPRESSION-E7", await suppressionsOf(client, number), [])
    for (const scope of [{}, { agent_id }, { campaign_id }]) {
      const added = await suppress(trial, client, [number], scope)
      check.equal("each-scope-added", "SUPPRESSION-E12", added.at("added"), 1, added)
    }
    trial.made(await release(client, [number], { agent_id }), 200)
    const left = await suppressionsOf(client, number)
    const scopes = left.map((each) => [each["agent_id"], each["campaign_id"]])
    check.equal("of-one-scope", "SUPPRESSION-E29", scopes, [
      [null, null],
      [null, campaign_id],
    ])
  },
}

const ends: Case = {
  id: "extensions/suppressions/ends",
  title: "One that stands never ends earlier by an add",
  clauses: ["SUPPRESSION-E12", "SUPPRESSION-E14", "SUPPRESSION-E15", "SUPPRESSION-E16"],
  requires: ["fixtures", "clock", "extension:suppressions"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const number = trial.numbers.plain()
    const began = await trial.now()
    const at = (ms: number) => new Date(began + ms).toISOString()
    const stands = async () => {
      const [each] = await suppressionsOf(client, number)
      const until = each?.["expires_at"]
      return { until: typeof until === "string" ? Date.parse(until) - began : null, reason: each?.["reason"] }
    }
    const madeAt = async () => (await suppressionsOf(client, number))[0]?.["created_at"]
    await suppress(trial, client, [number], { expires_at: at(hourMs), reason: "first" })
    const first = await madeAt()
    await clock.advance(minuteMs)
    const later = await suppress(trial, client, [number], { expires_at: at(2 * hourMs), reason: "later" })
    check.equal("replaced", "SUPPRESSION-E12", later.json, counted(0, 1, 0, 0), later)
    check.equal("later-end", ["SUPPRESSION-E14", "SUPPRESSION-E15"], await stands(), {
      until: 2 * hourMs,
      reason: "later",
    })
    check.equal("first-asked-stays", "SUPPRESSION-E15", await madeAt(), first)
    const earlier = await suppress(trial, client, [number], { expires_at: at(hourMs), reason: "earlier" })
    check.equal("unchanged", "SUPPRESSION-E12", earlier.json, counted(0, 0, 1, 0), earlier)
    check.equal("no-earlier-end", "SUPPRESSION-E14", (await stands()).until, 2 * hourMs)
    check.equal("no-new-words", "SUPPRESSION-E15", (await stands()).reason, "later")
    await suppress(trial, client, [number], { reason: "for good" })
    check.equal("none-is-latest", "SUPPRESSION-E14", (await stands()).until, null)
    await suppress(trial, client, [number], { expires_at: at(3 * hourMs) })
    check.equal("stays-for-good", "SUPPRESSION-E14", await stands(), { until: null, reason: "for good" })
    trial.made(await release(client, [number]), 200)
    await suppress(trial, client, [number], { expires_at: at(hourMs), reason: "anew" })
    check.equal("added-anew", "SUPPRESSION-E16", await stands(), { until: hourMs, reason: "anew" })
  },
}

const many = 5_000

const bounds: Case = {
  id: "extensions/suppressions/five-thousand",
  title: "Five thousand numbers are added and checked in one request",
  clauses: ["SUPPRESSION-E2", "SUPPRESSION-E28"],
  requires: ["fixtures", "extension:suppressions"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const to_numbers = Array.from({ length: many }, () => trial.numbers.plain())
    const added = await client.post("/v2/suppressions", { to_numbers })
    check.equal("added", "SUPPRESSION-E2", [added.status, added.at("added")], [201, many], added)
    const checked = await client.post("/v2/suppressions/check", { to_numbers })
    check.equal("checked", "SUPPRESSION-E28", [checked.status, checked.items().length], [200, many])
    const more = { to_numbers: [...to_numbers, trial.numbers.plain()] }
    check.rejected("no-more-added", "SUPPRESSION-E2", await client.post("/v2/suppressions", more))
    check.rejected("no-more-checked", "SUPPRESSION-E28", await client.post("/v2/suppressions/check", more))
  },
}

const expired: Case = {
  id: "extensions/suppressions/expired",
  title: "One that has ended keeps nobody from being called, and is listed until it is removed or written over",
  clauses: ["SUPPRESSION-E10", "SUPPRESSION-E64", "SUPPRESSION-E65", "SUPPRESSION-E66"],
  requires: ["fixtures", "clock", "telephony", "magic", "extension:suppressions"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const agent_id = await activeAgent(trial, client)
    const to_number = trial.numbers.magic("completed", 1)
    const expires_at = new Date((await trial.now()) + hourMs).toISOString()
    const inForce = async () => (await suppressionsOf(client, to_number)).map((each) => each["in_force"])
    await suppress(trial, client, [to_number], { expires_at })
    await suppress(trial, client, [to_number], { expires_at, agent_id })
    await clock.advance(hourMs - 1)
    check.equal("in-force", ["SUPPRESSION-E10", "SUPPRESSION-E64"], await inForce(), [true, true])
    const early = await client.post("/v2/calls", { agent_id, to_number })
    check.refused("stands", ["SUPPRESSION-E10", "SUPPRESSION-E64"], early, 1201)
    await clock.advance(1)
    check.equal("ended", "SUPPRESSION-E10", await inForce(), [false, false])
    const called = await trial.settle(client.post("/v2/calls", { agent_id, to_number }))
    check.status("called", ["SUPPRESSION-E10", "SUPPRESSION-E65"], called, 201)
    const list = await client.get("/v2/suppressions")
    check.equal("still-listed", "SUPPRESSION-E65", list.items().length, 1, list)
    await suppress(trial, client, [to_number])
    const scopes = (await suppressionsOf(client, to_number)).map((each) => each["agent_id"])
    check.equal("goes-with-the-next", "SUPPRESSION-E66", scopes, [null])
    trial.made(await release(client, [to_number]), 200)
    const soon = new Date((await trial.now()) + minuteMs).toISOString()
    await suppress(trial, client, [to_number], { expires_at: soon })
    await clock.advance(minuteMs)
    const removed = await release(client, [to_number])
    check.equal("removed", "SUPPRESSION-E65", removed.at("removed"), 1, removed)
    const left = await client.get("/v2/suppressions")
    check.equal("off-the-list", ["SUPPRESSION-E64", "SUPPRESSION-E65"], left.items(), [], left)
  },
}

/** Cases of suppressions as they are kept. */
export const keptSuppressionCases: ReadonlyArray<Case> = [kept, scoped, ends, bounds, expired]
