/** A text that stands once in a source file, and what stands in its place. */
interface Replacement {
  readonly instead: string
  readonly of: string
}

/** A bug that is put into the engine to see whether the soak finds it: one text of one source file, and what stands in its place. */
export interface Plant extends Replacement {
  readonly name: string
  /** The end of the file's path. */
  readonly file: string
  /** What else is replaced in the file. */
  readonly besides?: Replacement
}

/** All that a plant replaces in its file. */
export const replacements = ({ besides, instead, of }: Plant): ReadonlyArray<Replacement> => [
  { instead, of },
  ...(besides === undefined ? [] : [besides]),
]

/** A step only glances at what it rests on: the commit expects nothing of it any more. */
export const glanced = (file: string, reading: string): Omit<Plant, "name"> => ({
  file,
  instead: reading,
  of: `glanceAt("again", "A plant.", ${reading})`,
  besides: {
    instead: 'import { step } from "../../engine/steps/Step.ts"\n',
    of: 'import { step } from "../../engine/steps/Step.ts"\nimport { glance as glanceAt } from "../../engine/steps/Reading.ts"\n',
  },
})

/** The source with a plant in it. */
export const planted = (source: string, plant: Plant): string => {
  let text = source
  for (const { instead, of } of replacements(plant)) {
    if (text.split(instead).length !== 2) throw new Error(`${plant.name} does not fit ${plant.file}`)
    text = text.replace(instead, () => of)
  }
  return text
}

/** What an engineer may get wrong in the places where it hurts. */
export const plants: ReadonlyArray<Plant> = [
  {
    name: "the slot table gives one line too many",
    file: "core/src/memory/MemorySlots.ts",
    instead: "if (demand.ceiling !== null && used >= demand.ceiling) return demand",
    of: "if (demand.ceiling !== null && used > demand.ceiling) return demand",
  },
  {
    name: "the count of committed calls gives one line too many",
    file: "core/src/memory/MemoryTables.ts",
    instead: "if (ceiling !== null && used >= ceiling)",
    of: "if (ceiling !== null && used > ceiling)",
  },
  {
    name: "the agent's level is forgotten at the gate",
    file: "core/src/limits/Ceilings.ts",
    instead: "ceiling: by.agent }",
    of: "ceiling: null }",
  },
  {
    name: "a stale fence frees a line",
    file: "core/src/memory/MemorySlots.ts",
    instead: "if (member === undefined || member.fence !== fence) return inNoLine",
    of: "if (member === undefined) return inNoLine",
  },
  {
    name: "a held line lapses like a reservation",
    file: "core/src/memory/MemorySlots.ts",
    instead: "    member.held = true\n    this.#reserved.delete(executionId)\n",
    of: "    member.held = true\n",
  },
  {
    name: "the reconciler frees nothing",
    file: "core/src/limits/Reconciler.ts",
    instead: "yield* gate.release(organization_id, execution_id, fence)",
    of: "yield* Effect.void",
  },
  {
    name: "campaigns borrow reserved lines",
    file: "core/src/dispatch/rules/TurnRing.ts",
    instead: "if (!mayBorrow) return null",
    of: "",
  },
  {
    name: "a floor is one line too high",
    file: "core/src/dispatch/rules/TurnRing.ts",
    instead: "if (fewest.used < share)",
    of: "if (fewest.used <= share)",
  },
  {
    name: "whoever had a turn keeps its place",
    file: "core/src/dispatch/rules/TurnRing.ts",
    instead: "      chosen.carried = 0\n      this.#toEnd(chosen)\n",
    of: "      chosen.carried = 0\n",
  },
  {
    name: "shares are rounded up",
    file: "core/src/dispatch/rules/FairShare.ts",
    instead: "active === 0 ? limit : Math.floor(limit / active)",
    of: "active === 0 ? limit : Math.ceil(limit / active)",
  },
  {
    name: "a contact whose agent is full holds up its lane",
    file: "core/src/dispatch/AgentTurns.ts",
    instead: "if (sides.every((side) => desk.agents.isFull(side))) {",
    of: "if (sides.length > 0) {",
  },
  {
    name: "a number may have two live legs",
    file: "core/src/dispatch/Judging.ts",
    instead: 'if ((yield* calls.onNumber(lane.lane_id, to_number)) !== null) return { _tag: "NumberLive", dial, row }',
    of: "",
  },
  {
    name: "a freed line is told to nobody",
    file: "core/src/dispatch/FreedNews.ts",
    instead: "if (yield* lanes.any(organizationId)) yield* look(organizationId)",
    of: "",
  },
  {
    name: "a campaign's end is not looked at",
    file: "core/src/dispatch/rules/Lane.ts",
    instead: "if (campaign.end_time !== null && campaign.end_time <= now)",
    of: "if (campaign.end_time !== null && campaign.end_time < 0)",
  },
  {
    name: "a campaign's start is not looked at",
    file: "core/src/dispatch/rules/Lane.ts",
    instead: "if (campaign.start_time !== null && campaign.start_time > now) {",
    of: "if (campaign.start_time !== null && campaign.start_time < 0) {",
  },
  {
    name: "a window includes its end",
    file: "core/src/dispatch/rules/CallingWindow.ts",
    instead: "sinceMidnight < hours.end * minuteMs",
    of: "sinceMidnight <= hours.end * minuteMs",
  },
  {
    name: "a zone's offset is that of an hour ago",
    file: "core/src/dispatch/rules/ZoneOffsets.ts",
    instead: "const index = stretchAt(table, at)",
    of: "const index = stretchAt(table, at - 3_600_000)",
  },
  {
    name: "the week begins a day late",
    file: "core/src/dispatch/rules/CallingWindow.ts",
    instead: "const weekdayOfEpoch = 3",
    of: "const weekdayOfEpoch = 2",
  },
  {
    name: "one retry too many",
    file: "core/src/dispatch/rules/RetryPlan.ts",
    instead: "attempt.retries_used >= policy.max_retries",
    of: "attempt.retries_used > policy.max_retries",
  },
  {
    name: "retries back off twice as fast",
    file: "core/src/dispatch/rules/RetryPlan.ts",
    instead: "exponential_backoff: 2 ** (n - 1)",
    of: "exponential_backoff: 2 ** n",
  },
  {
    name: "a dial of unknown outcome is tried again",
    file: "core/src/dispatch/rules/RetryPlan.ts",
    instead: 'if (attempt.unknown_outcome) return { retry: false, because: "unknown_outcome" }',
    of: "",
  },
  {
    name: "one event of a commit is sealed, not all",
    file: "core/src/webhooks/Outbox.ts",
    instead: "const parts = heard.map(",
    of: "const parts = heard.slice(0, 1).map(",
  },
  {
    name: "an ended call is not told of where it was not answered",
    file: "core/src/calls/rules/CallEvents.ts",
    instead: 'after.status !== "canceled" &&',
    of: 'after.status !== "canceled" && after.status !== "busy" &&',
  },
  {
    name: "a delivery is tried a fifth time",
    file: "core/src/webhooks/rules/DeliverySchedule.ts",
    instead: "limits.webhookAttemptOffsetsMs[attempts]",
    of: "limits.webhookAttemptOffsetsMs[Math.min(attempts, attempts < 5 ? 3 : 4)]",
  },
  {
    name: "attempts are counted from the one before",
    file: "core/src/webhooks/rules/DeliverySchedule.ts",
    instead: "Math.max(lastEnd, firstStart + offset)",
    of: "lastEnd + 1_000",
  },
  {
    name: "the rate limit lets one more pass",
    file: "core/src/limits/rules/SlidingWindow.ts",
    instead:
      "  const room = roomMs(rolled, limit, msIntoCurrent)\n  const allowed = room > 0\n  return {\n    allowed,\n    state:",
    of: "  const room = roomMs(rolled, limit, msIntoCurrent)\n  const allowed = room >= 0\n  return {\n    allowed,\n    state:",
  },
  {
    name: "the minute before weighs nothing",
    file: "core/src/limits/rules/SlidingWindow.ts",
    instead: "previous: window === state.window + 1 ? state.current : 0",
    of: "previous: 0",
  },
  {
    name: "the chain links two records back",
    file: "core/src/audit/rules/AuditChain.ts",
    instead: "    prev_hash: head.hash,\n  }\n  return",
    of: "    prev_hash: head.sequence % 50 === 49 ? emptyChain.hash : head.hash,\n  }\n  return",
  },
  {
    name: "what has completed may ring again",
    file: "core/src/calls/rules/CallStatus.ts",
    instead: "  completed: none,\n",
    of: '  completed: ["ringing", "in-progress"],\n',
  },
  {
    name: "a contact that was reached is reached no more",
    file: "core/src/contacts/rules/ContactProgress.ts",
    instead: 'reached: contact.reached || after.status === "completed",',
    of: 'reached: after.status === "completed",',
  },
  {
    name: "a batch's end completes its campaign, whoever joins it meanwhile",
    file: "core/src/campaigns/steps/FinishingBatch.ts",
    instead: ": yield* counted(campaign_id)",
    of: ': yield* glance("again", "A plant.", counted(campaign_id))',
  },
  {
    name: "whoever joins a campaign does not look whether it has ended",
    file: "core/src/campaigns/steps/CampaignReads.ts",
    instead: "yield* campaignOf(organizationId, campaignId)",
    of: 'yield* glance("again", "A plant.", campaignOf(organizationId, campaignId))',
  },
  {
    name: "whoever joins a campaign is seen by nobody who decides on all batches",
    file: "core/src/batches/rules/BatchRow.ts",
    instead: "[batchesOf(campaign_id)]",
    of: "[]",
  },
  {
    name: "a campaign is steered, whoever joins it meanwhile",
    file: "core/src/campaigns/steps/CampaignReads.ts",
    instead: "all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId)))",
    of: 'glance("again", "A plant.", all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId))))',
  },
  {
    name: "a contact waits for a call that has ended meanwhile",
    file: "core/src/contacts/steps/NumberTurns.ts",
    instead: ', put("call", call, call)]',
    of: "]",
  },
  {
    name: "the end of a call frees nobody who waits for its number",
    file: "core/src/calls/steps/CallCommit.ts",
    instead: ".slice(0, limits.numberHeirs)",
    of: ".slice(heirs.length)",
  },
  {
    name: "the first who waits for a number has its turn, whatever became of the batch",
    file: "core/src/calls/steps/CallCommit.ts",
    instead: ".slice(0, limits.numberHeirs)",
    of: ".slice(0, 1)",
  },
  {
    name: "a number that is still named is released",
    file: "core/src/numbers/steps/ReleaseNumber.ts",
    instead: "if (isCalledFrom) {",
    of: "if (number.revision < 0) {",
  },
  {
    name: "whose attempt was given up keeps its turn at the number",
    file: "core/src/dispatch/steps/ConcludeContact.ts",
    instead: "        // It had its turn.\n        ...heirsFreed(heirs, now),\n",
    of: "",
  },
  {
    name: "a contact is dialled for an agent that has left meanwhile",
    file: "core/src/dispatch/steps/DialContact.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
  },
  {
    name: "a contact is dialled from a number that was given up meanwhile",
    file: "core/src/dispatch/steps/DialContact.ts",
    instead: "        ...(number === null ? [] : [stillRegistered(number)]),\n",
    of: "",
  },
  {
    name: "a direct dial is made by an agent that has left meanwhile",
    file: "core/src/calls/steps/DialNow.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
  },
  {
    name: "a booked call is made by an agent that has left meanwhile",
    file: "core/src/calls/steps/DialBooked.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
  },
  {
    name: "a number is given up that was named meanwhile",
    ...glanced("core/src/numbers/steps/ReleaseNumber.ts", "set(numberCallers, number)"),
  },
  {
    name: "an agent answers a number that was given up meanwhile",
    ...glanced("core/src/inbound/steps/BindAgent.ts", "numberNamed(organization_id, request)"),
  },
  {
    name: "a key is minted by one that was revoked meanwhile",
    ...glanced("core/src/keys/steps/MintKey.ts", "holder(caller)"),
  },
  {
    name: "of two keys each revokes the other",
    ...glanced("core/src/keys/steps/RevokeKey.ts", "holder(caller)"),
  },
  {
    name: "a campaign that goes by priority is called batch after batch",
    file: "core/src/memory/ContactTable.ts",
    instead: "if (!byPriority) return place",
    of: "if (batch !== undefined) return place",
  },
  {
    name: "what is called together passes over a higher priority in another batch",
    file: "core/src/dispatch/LeftContacts.ts",
    instead: "if (priorityOf(next.entry) !== priorityOf(entry)) break",
    of: "if (priorityOf(next.entry) > priorityOf(entry)) break",
  },
]
