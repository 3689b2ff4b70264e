import { glanced, type Plant } from "./Plants.ts"

/** A repair taken back: what the explorer of interleavings must find again, and where. */
export interface Relapse extends Plant {
  /** The scene, the first operation, and what gets in: another one, or two. */
  readonly meets: readonly [scene: string, first: string, second: string, third?: string]
}

export const relapses: ReadonlyArray<Relapse> = [
  {
    name: "a batch joins its campaign unseen",
    file: "core/src/batches/BatchRow.ts",
    instead: "[batchesOf(campaign_id)]",
    of: "[]",
    meets: ["two legs ring", "campaign.cancel", "campaign.append"],
  },
  {
    name: "whoever joins a campaign is not told that it has ended meanwhile",
    file: "core/src/campaigns/CampaignReads.ts",
    instead: "yield* campaignOf(organizationId, campaignId)",
    of: 'yield* glance("again", "A plant.", campaignOf(organizationId, campaignId))',
    meets: ["the last call ends", "campaign.append", "carrier.speaks"],
  },
  {
    name: "a campaign completes by batches that were counted before",
    file: "core/src/campaigns/FinishingBatch.ts",
    instead: ": yield* counted(campaign_id)",
    of: ': yield* glance("again", "A plant.", counted(campaign_id))',
    meets: ["the last call ends", "carrier.speaks", "campaign.append"],
  },
  {
    name: "of two batches that finish at the same moment each takes the other for unfinished",
    file: "core/src/dispatch/DeskPicture.ts",
    instead: "    if (isLeft) yield* lifecycle.complete(laneId)\n",
    of: "",
    meets: ["the last call ends of a batch, and another goes on", "carrier.speaks", "batch.stop"],
  },
  {
    name: "the end of a call overlooks who waits for it",
    file: "core/src/contacts/NumberTurns.ts",
    instead: ', put("call", call, call)]',
    of: "]",
    meets: ["its number comes again as the last report comes", "wake-ups", "carrier.speaks"],
  },
  {
    name: "a campaign that is looked at too early is looked at no more",
    file: "core/src/campaigns/ExpireCampaign.ts",
    instead: "return unchanged(mayExpire(campaign, contacts > 0) ? campaign.end_time : null)",
    of: "return unchanged(null)",
    meets: ["its end has come", "rebuild", "campaign.end soon"],
  },
  {
    name: "a call that is looked at too early is looked at no more",
    file: "core/src/calls/CallProgress.ts",
    instead: "if (call.due_at > clock.now()) return call.due_at",
    of: "if (call.due_at > clock.now()) return null",
    meets: ["the carrier is asked so soon that a dial may still come", "rebuild", "wake-ups"],
  },
  {
    name: "a call is refused for a neighbour's write",
    file: "core/src/engine/Steps.ts",
    instead: "return attempts > 1\n",
    of: "return attempts > limits.commitAttempts\n",
    meets: ["an account", "call.place a contact's number", "number.change"],
  },
  {
    name: "a contact is dialled by an agent that was set INACTIVE meanwhile",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
    meets: ["a retry is due", "wake-ups", "agent.undeploy"],
  },
  {
    name: "a number is called that another process has begun to call",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        { free: { lane_id, to_number } },\n",
    of: "",
    meets: ["its number comes again by another agent as a retry is due", "wake-ups", "dispatch elsewhere"],
  },
  {
    name: "a direct dial is made by an agent that was set INACTIVE meanwhile",
    file: "core/src/calls/DialNow.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
    meets: ["an account", "call.place", "agent.undeploy"],
  },
  {
    name: "a booked call is made by an agent that was set INACTIVE meanwhile",
    file: "core/src/calls/DialBooked.ts",
    instead: "        ...agents.map(agentAsRead),\n",
    of: "",
    meets: ["a booked call is due", "wake-ups", "agent.undeploy"],
  },
  {
    name: "a knowledge base is removed that an agent was given meanwhile",
    ...glanced("core/src/knowledge/GiveUpKnowledgeBase.ts", "set(knowledgeUsers, base)"),
    meets: ["an account", "knowledge.remove", "agent.use knowledge"],
  },
  {
    name: "two that complete a campaign together overlook who joins it",
    ...glanced("core/src/campaigns/CompleteCampaign.ts", "counted(campaign_id)"),
    meets: ["the last call ends of a batch, and another goes on", "batch.stop", "carrier.speaks", "campaign.append"],
  },
  {
    name: "a campaign expires by batches that were read before",
    ...glanced(
      "core/src/campaigns/ExpireCampaign.ts",
      'all(row("campaign", campaign_id), set(unfinishedBatches, campaign_id), sum(campaign_id, batchesOf(campaign_id)))',
    ),
    meets: ["its end has come", "wake-ups", "campaign.append"],
  },
  {
    name: "a campaign is steered by batches that were read before",
    file: "core/src/campaigns/CampaignReads.ts",
    instead: "all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId)))",
    of: 'glance("again", "A plant.", all(set(campaignBatches, campaignId), sum(campaignId, batchesOf(campaignId))))',
    meets: ["two legs ring", "campaign.cancel", "campaign.append"],
  },
  {
    name: "a campaign that has ended stays so, though a batch of it goes on",
    file: "core/src/campaigns/MendCampaign.ts",
    instead: "if (campaign === null || mending === null) return",
    of: "if (campaign !== null || mending === null) return",
    meets: ["completed, though a batch of it goes on", "carrier.speaks", "campaign.append"],
  },
  {
    name: "a contact is dialled for a batch that was paused meanwhile",
    file: "core/src/dispatch/DialContact.ts",
    instead: "...(batch.started_at === null ? [] : [batchAsRead(batch)]),",
    of: "",
    meets: ["a retry is due", "wake-ups", "batch.pause"],
  },
  {
    name: "a number is named that is given up meanwhile",
    file: "core/src/numbers/CallerIds.ts",
    instead: 'each(numbers.map((number) => byKey("phone_number", organizationId, number)))',
    of: 'glanceAt("again", "A plant.", each(numbers.map((number) => byKey("phone_number", organizationId, number))))',
    besides: {
      instead: "import { byKey, each,",
      of: "import { glance as glanceAt, byKey, each,",
    },
    meets: ["an account", "batch.create for itself", "number.release idle"],
  },
  {
    name: "a number is given up that is named meanwhile, unseen",
    file: "core/src/numbers/CallerIds.ts",
    instead: "numbers.map(({ phone_number_id }) => joinSet(callersFrom(phone_number_id)))",
    of: "[]",
    meets: ["an account", "number.release idle", "batch.create for itself"],
  },
  {
    name: "a number is given up that a booked call names meanwhile, unseen",
    file: "core/src/calls/BookCall.ts",
    instead: ", ...nameCallerIds(callerId)]",
    of: "]",
    meets: ["an account", "number.release idle", "call.book"],
  },
  {
    name: "a number is given up by what was read of its callers before",
    ...glanced("core/src/numbers/ReleaseNumber.ts", "set(numberCallers, number)"),
    meets: ["an account", "number.release idle", "batch.create for itself"],
  },
  {
    name: "a number is bound that is given up meanwhile",
    ...glanced("core/src/inbound/BindAgent.ts", "numberNamed(organization_id, request)"),
    meets: ["an account", "inbound.bind", "number.release idle"],
  },
  {
    name: "a number is given up that is bound meanwhile, unseen",
    file: "core/src/inbound/InboundAgentRow.ts",
    instead: "[callersFrom(phone_number_id)]",
    of: "[]",
    meets: ["an account", "number.release idle", "inbound.bind"],
  },
  {
    name: "a direct dial shows a number that was given up meanwhile",
    file: "core/src/calls/DialNow.ts",
    instead: "        ...callerId.map((number) => stillRegistered(number)),\n",
    of: "",
    meets: ["an account", "call.place a contact's number", "number.release"],
  },
  {
    name: "a campaign that is revived does not name its numbers again",
    file: "core/src/campaigns/MoveCampaign.ts",
    instead: "      isRevived: true,\n      named,\n",
    of: "      isRevived: true,\n",
    meets: ["completed", "number.release", "campaign.revive"],
  },
  {
    name: "a campaign that is mended does not name its numbers again",
    file: "core/src/campaigns/MendCampaign.ts",
    instead: "...nameCallerIds(named), ",
    of: "",
    meets: ["completed, though a batch of it goes on", "number.release", "campaign.rename"],
  },
  {
    name: "a number is registered that another registers meanwhile",
    ...glanced("core/src/numbers/RegisterNumber.ts", "set(numberHolders, phone_number)"),
    meets: ["an account", "number.register", "number.register for another"],
  },
  {
    name: "a number is registered unseen",
    file: "core/src/numbers/PhoneNumberRow.ts",
    instead: "[holdersOf(phone_number), ",
    of: "[",
    meets: ["an account", "number.register", "number.register for another"],
  },
  {
    name: "an organization is opened with a number unseen",
    file: "core/src/numbers/PhoneNumberRow.ts",
    instead: "[holdersOf(phone_number), ",
    of: "[",
    meets: ["an account", "number.register", "organization.open"],
  },
  {
    name: "an agent is given a knowledge base unseen",
    file: "core/src/agents/AgentRow.ts",
    instead: "[knowledgeUsersOf(after.organization_id)]",
    of: "[]",
    meets: ["an account", "knowledge.remove", "agent.use knowledge"],
  },
  {
    name: "an agent has more subscriptions than it may",
    ...glanced(
      "core/src/webhooks/CreateSubscription.ts",
      "set(agentSubscriptions, { organization_id: organizationId, agent_id: agentId })",
    ),
    meets: ["an agent has all of its subscriptions but one", "subscription.create", "subscription.create"],
  },
  {
    name: "an agent is given a subscription unseen",
    file: "core/src/webhooks/WebhookRows.ts",
    instead: "[subscriptionsOf(agent_id)]",
    of: "[]",
    meets: ["an agent has all of its subscriptions but one", "subscription.create", "subscription.create"],
  },
  {
    name: "a key is made by one that was revoked meanwhile",
    ...glanced("core/src/keys/MintKey.ts", "holder(caller)"),
    meets: ["an account", "key.mint", "organization.revoke the caller's key"],
  },
  {
    name: "a key is revoked by one that was revoked meanwhile",
    ...glanced("core/src/keys/RevokeKey.ts", "holder(caller)"),
    meets: ["an account", "key.revoke", "organization.revoke the caller's key"],
  },
  {
    name: "a campaign is made with a number that is given up meanwhile",
    file: "core/src/campaigns/CreateCampaign.ts",
    instead: "      ...nameCallerIds(numbers),\n",
    of: "",
    meets: ["an account", "number.release", "campaign.create"],
  },
  {
    name: "a campaign is given a number that is given up meanwhile",
    file: "core/src/campaigns/Steering.ts",
    instead: "    ...nameCallerIds(named),\n",
    of: "",
    meets: ["paused", "number.release idle", "campaign.change number"],
  },
  {
    name: "a batch is made with a number that is given up meanwhile",
    file: "core/src/batches/CreateBatch.ts",
    instead: ", ...nameCallerIds(numbers)",
    of: "",
    meets: ["an account", "number.release idle", "batch.create for itself"],
  },
  {
    name: "a number is dialled from that its campaign names no more, and that was given up",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...(number === null ? [] : [stillRegistered(number)]),\n",
    of: "",
    besides: {
      instead: "...(isBegun(campaign) ? campaignAsRead(campaign) : []),",
      of: "",
    },
    meets: ["a retry is due", "wake-ups", "campaign.change number", "number.release"],
  },
  {
    name: "a call goes by an experiment that was paused meanwhile",
    file: "core/src/experiments/Experiments.ts",
    instead: 'routing: [{ kind: "experiment", id: ab_version_id, revision: experiment.revision }],',
    of: "routing: [],",
    meets: ["an account", "call.place", "experiment.start", "experiment.pause"],
  },
  {
    name: "a batch whose contacts are going is brought back",
    file: "core/src/batches/BatchStatus.ts",
    instead: "if (!isTheCampaigns || state.purging_since !== undefined) return state",
    of: "if (!isTheCampaigns) return state",
    meets: ["cancelled long ago", "retention.purge what is over", "campaign.revive"],
  },
  {
    name: "an organization is imported with a number that another registers meanwhile",
    ...glanced("core/src/portable/ImportPiece.ts", "set(numberHolders, phone_number)"),
    meets: ["an account", "organization.import", "number.register for another"],
  },
  {
    name: "an organization is imported with a number unseen",
    file: "core/src/portable/Arrivals.ts",
    instead: ", joinSet(holdersOf(line.row.phone_number))",
    of: "",
    meets: ["an account", "number.register for another", "organization.import"],
  },
  {
    name: "a dial does not rest on whom it calls",
    file: "core/src/callees/Callees.ts",
    instead: 'expect: [{ kind: "callee", id: calleeId(organization_id, to_number), revision: callee?.revision ?? 0 }],',
    of: "expect: [],",
    meets: ["a new campaign", "wake-ups", "suppression.add"],
  },
  {
    name: "a number that comes back begins at 1 again",
    file: "core/src/callees/CalleeRow.ts",
    instead: "first: (callee) => Math.floor(lastOf(callee) / firstEveryMs) + 1,",
    of: "",
    meets: [
      "called under caps long ago, and to be called again",
      "wake-ups",
      "retention.purge what is over",
      "suppression.add",
    ],
  },
  {
    name: "a dial does not rest on the hours of whom it calls",
    file: "core/src/callees/Callees.ts",
    instead: 'expect: [{ kind: "callee_hours", id: organizationId, revision: setting?.revision ?? 0 }],',
    of: "expect: [],",
    meets: ["a new campaign", "wake-ups", "callee_hours.never open"],
  },
  {
    name: "a contact is called whose hours were closed meanwhile",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...hours.expect,\n",
    of: "",
    meets: ["a retry is due", "wake-ups", "callee_hours.never open"],
  },
  {
    name: "a direct call is made though the hours of its callee were closed meanwhile",
    file: "core/src/calls/DialNow.ts",
    instead: "        ...hours.expect,\n",
    of: "",
    meets: ["an account", "call.place", "callee_hours.never open"],
  },
  {
    name: "a booked call is made though the hours of its callee were closed meanwhile",
    file: "core/src/calls/DialBooked.ts",
    instead: "        ...hours.expect,\n",
    of: "",
    meets: ["a booked call is due", "wake-ups", "callee_hours.never open"],
  },
  {
    name: "a contact is called uncounted though call caps were set meanwhile",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...hours.expect,\n",
    of: "",
    meets: ["a retry is due", "wake-ups", "call_caps.one a day"],
  },
  {
    name: "a contact waits a day for a dial that was taken back meanwhile",
    file: "core/src/dispatch/RestContacts.ts",
    instead: "...some.flatMap(({ callee }) => callee.expect), ",
    of: "",
    meets: ["called as often as may be by a dial that is taken back", "wake-ups", "patience ends"],
  },
  {
    name: "a contact's call does not count",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...countingDial(hours.setting?.caps, callee.callee, placed),\n",
    of: "",
    meets: ["a new campaign", "wake-ups", "call_caps.one a day"],
  },
  {
    name: "a direct call does not count",
    file: "core/src/calls/DialNow.ts",
    instead: ", ...countingDial(hours.setting?.caps, callee.callee, placed)]",
    of: "]",
    meets: ["an account", "call.place", "call_caps.one a day"],
  },
  {
    name: "a booked call does not count",
    file: "core/src/calls/DialBooked.ts",
    instead: ", ...countingDial(hours.setting?.caps, callee.callee, placed)]",
    of: "]",
    meets: ["a booked call is due", "wake-ups", "call_caps.one a day"],
  },
  {
    name: "a contact is called whose number was suppressed meanwhile",
    file: "core/src/dispatch/DialContact.ts",
    instead: "        ...callee.expect,\n",
    of: "",
    meets: ["a retry is due", "wake-ups", "suppression.add"],
  },
  {
    name: "a direct call is made to a number that was suppressed meanwhile",
    file: "core/src/calls/DialNow.ts",
    instead: "        ...callee.expect,\n",
    of: "",
    meets: ["an account", "call.place", "suppression.add"],
  },
  {
    name: "a booked call is made to a number that was suppressed meanwhile",
    file: "core/src/calls/DialBooked.ts",
    instead: "        ...callee.expect,\n",
    of: "",
    meets: ["a booked call is due", "wake-ups", "suppression.add"],
  },
]

/** A text by which a commit rests on something, and that may be dropped without the explorer seeing it. */
export interface Untold {
  readonly name: string
  readonly file: string
  readonly text: string
}

/** Why each is there all the same stands in `docs/internals/interleavings.md`, by its name. */
export const untold: ReadonlyArray<Untold> = [
  {
    name: "how many numbers an organization has",
    file: "core/src/numbers/RegisterNumber.ts",
    text: "set(organizationNumbers, organization_id)",
  },
  {
    name: "a number that an organization has more",
    file: "core/src/numbers/PhoneNumberRow.ts",
    text: "numbersOf(organization_id)",
  },
  {
    name: "how much room a campaign has",
    file: "core/src/campaigns/CampaignReads.ts",
    text: "all(sum(campaignId, batchesOf(campaignId)), set(campaignBatchBytes, campaignId))",
  },
  {
    name: "the batches of a campaign that is mended",
    file: "core/src/campaigns/MendCampaign.ts",
    text: "set(unfinishedBatches, campaign_id)",
  },
  {
    name: "the caller ID of a booked call",
    file: "core/src/calls/DialBooked.ts",
    text: "        ...callerId.map((number) => stillRegistered(number)),\n",
  },
  {
    name: "the caller ID of a call that is booked",
    file: "core/src/calls/BookCall.ts",
    text: "callerIdNamed(caller.organization_id, call.from_number)",
  },
  {
    name: "the number of a booked call that is not dialled",
    file: "core/src/calls/UndialledCall.ts",
    text: 'row("callee", calleeId(organization_id, to_number))',
  },
  {
    name: "the call caps of a booked call whose number rests",
    file: "core/src/calls/UndialledCall.ts",
    text: 'row("callee_hours", resting.organization_id)',
  },
  {
    name: "the number of a call that is not dialled for want of funds",
    file: "core/src/calls/RecordUnpaid.ts",
    text: 'row("callee", calleeId(call.organization_id, call.to_number))',
  },
  {
    name: "the batch of a contact that is not followed up",
    file: "core/src/dispatch/UnderWay.ts",
    text: "  batchAsRead(batch),\n",
  },
  {
    name: "the campaign of a contact that is not followed up",
    file: "core/src/dispatch/UnderWay.ts",
    text: "  ...campaignAsRead(campaign),\n",
  },
  {
    name: "an event that nobody listens to",
    file: "core/src/webhooks/RouteEvent.ts",
    text: 'row("event", event_id)',
  },
  {
    name: "a subscription that is removed",
    file: "core/src/webhooks/RemoveSubscription.ts",
    text: "subscriptionOf(caller.organization_id, subscription_id)",
  },
  {
    name: "contacts that are given up, and the batch that would be shown with them",
    file: "core/src/intake/GiveUpContacts.ts",
    text: 'row("batch", batch_id)',
  },
  {
    name: "contacts that are given up, as whoever shows their batch sees it",
    file: "core/src/intake/GiveUpContacts.ts",
    text: "joinSet(contactsOf(batch_id))",
  },
  {
    name: "the pieces of an import",
    file: "core/src/portable/ImportPiece.ts",
    text: 'raisedTo(importOf(organization_id, sha256), nth, "Nobody has written the piece.")',
  },
  {
    name: "a piece of an import that is written",
    file: "core/src/portable/ImportPiece.ts",
    text: "[joinSet(importOf(organization_id, sha256)), ",
  },
  {
    name: "a batch that is shown, and contacts that were given up",
    file: "core/src/batches/NewBatch.ts",
    text: 'unraised(contactsOf(batch_id), "Nobody has given up the contacts of the batch.")',
  },
]
