import { Effect, type Scope } from "effect"
import { Batches } from "../../batches/Batches.ts"
import type { Call } from "../../calls/rules/Call.ts"
import type { CampaignBody } from "../../campaigns/rules/CampaignSettings.ts"
import { Campaigns } from "../../campaigns/Campaigns.ts"
import type { ContactEntry } from "../../contacts/rules/Contact.ts"
import type { Commit } from "../../engine/rules/Commit.ts"
import type { DialCommand } from "../../telephony/rules/Dial.ts"
import { agentId, caller, organizationId, type Script, World } from "./World.ts"

/** Numbers that nobody has, one for each index. */
export const numberOf = (index: number): string => `+1555${String(1_000_000 + index)}`

export const contactsOf = (count: number, from = 0): ReadonlyArray<ContactEntry> =>
  Array.from({ length: count }, (_, index) => ({ to_number: numberOf(from + index), variables: { n: from + index } }))

/** A leg that ends with a status after some seconds, having been answered or not. */
export const ending = (status: "completed" | "failed" | "busy" | "no-answer" | "error", seconds = 15): Script => ({
  end: { status, duration_seconds: status === "completed" ? seconds : 0 },
  reports: [
    [300, "initiated"],
    ...(status === "completed" ? ([[1_000, "answered"]] as const) : []),
    [seconds * 1_000, "ended"],
    [seconds * 1_000 + 1_000, "final"],
  ],
})

/** A world with an engine, and the services for campaigns as a test calls them. */
export const campaigning = (script: (command: DialCommand) => Script): Effect.Effect<Campaigning, never, Scope.Scope> =>
  Effect.gen(function* () {
    const world = new World({ script })
    yield* world.start()
    return new Campaigning(world)
  })

export class Campaigning {
  readonly world: World

  constructor(world: World) {
    this.world = world
  }

  readonly campaigns = <A, E>(use: (campaigns: Campaigns["Service"]) => Effect.Effect<A, E>) =>
    this.world.run(Effect.flatMap(Campaigns, use))

  readonly batches = <A, E>(use: (batches: Batches["Service"]) => Effect.Effect<A, E>) =>
    this.world.run(Effect.flatMap(Batches, use))

  readonly create = (contacts: ReadonlyArray<ContactEntry>, body: CampaignBody = {}) =>
    this.campaigns((campaigns) =>
      campaigns.create(
        caller,
        { name: "Test", agent_id: agentId, ...body },
        contacts.length === 0 ? null : { contacts, file_name: null },
      ),
    )

  readonly stats = (campaignId: string) => this.campaigns((campaigns) => campaigns.stats(organizationId, campaignId))

  readonly find = (campaignId: string) => this.campaigns((campaigns) => campaigns.find(organizationId, campaignId))

  /** Every contact of a campaign, in order. */
  readonly contacts = (campaignId: string) =>
    this.campaigns((campaigns) =>
      Effect.map(campaigns.contacts(organizationId, campaignId, { page: 1, page_size: 1_000 }), ({ items }) => items),
    )

  /** The calls of the world as they are by now, in the order in which they were placed. */
  calls(): ReadonlyArray<Call> {
    const calls = new Map<string, Call>()
    for (const commit of this.world.commits) fold(calls, commit)
    return [...calls.values()]
  }
}

/** Applies a commit to the calls that are known. */
export const fold = (calls: Map<string, Call>, commit: Commit): void => {
  for (const change of commit.changes) {
    if (change.put === "call") calls.set(change.row.execution_id, change.row)
    if (change.put === "erased_call") calls.delete(change.call.execution_id)
  }
}
