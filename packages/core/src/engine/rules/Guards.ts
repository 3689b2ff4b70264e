import type { Dependency } from "../../Errors.ts"

/** Sets of rows of which decisions read all, or that one is absent, with what keeps their members: a guard fails under its name. */
const kept = {
  campaign_batches: "call_storage",
  batch_contacts: "call_storage",
  agent_subscriptions: "webhook_store",
  phone_number_callers: "call_storage",
  number_holders: "account_service",
  organization_numbers: "account_service",
  knowledge_users: "agent_service",
  organization_import: "call_storage",
} as const satisfies { readonly [set in string]: Dependency }

export type GuardKind = keyof typeof kept

/**
 * Stands for a set of rows that no single row stands for. Its version is raised by every commit that adds to the set, so that whoever
 * has decided by all of its rows, or by the absence of one, can expect the version that stood before they were read.
 */
export interface Guard {
  readonly set: GuardKind
  readonly id: string
}

/** The set of the batches that a campaign has. */
export const batchesOf = (campaignId: string): Guard => ({ set: "campaign_batches", id: campaignId })

/** What makes use of a phone number: campaigns, batches and booked calls that name it as their caller ID, and its inbound agent. */
export const callersFrom = (phoneNumberId: string): Guard => ({ set: "phone_number_callers", id: phoneNumberId })

/** The set of the organizations that have a number registered. */
export const holdersOf = (phoneNumber: string): Guard => ({ set: "number_holders", id: phoneNumber })

/** The numbers that an organization has registered. */
export const numbersOf = (organizationId: string): Guard => ({ set: "organization_numbers", id: organizationId })

/** The contacts of a batch that is not shown yet. It is raised by who gives them up, so that they are not shown afterwards. */
export const contactsOf = (batchId: string): Guard => ({ set: "batch_contacts", id: batchId })

/** The set of the subscriptions of an agent. */
export const subscriptionsOf = (agentId: string): Guard => ({ set: "agent_subscriptions", id: agentId })

/** The agents of an organization that answer from knowledge bases, whichever. */
export const knowledgeUsersOf = (organizationId: string): Guard => ({ set: "knowledge_users", id: organizationId })

/** The pieces of a file that an import has written: raised by each, so that none is written twice and one that broke off goes on. */
export const importOf = (organizationId: string, sha256: string): Guard => ({
  set: "organization_import",
  id: `${organizationId} ${sha256}`,
})

/** Under whose name the reads and commits of a guard fail. */
export const dependencyOfGuard = ({ set }: Guard): Dependency => kept[set]

/** A guard as one text. */
export const guardName = ({ id, set }: Guard): string => `${set} ${id}`
