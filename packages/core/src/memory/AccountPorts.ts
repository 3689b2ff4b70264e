import { Effect, Layer } from "effect"
import { AgentStore } from "../agents/ports/AgentStore.ts"
import { agentLister } from "../agents/ports/ListedAgent.ts"
import { ExperimentStore } from "../experiments/ports/ExperimentStore.ts"
import { KeyStore } from "../keys/ports/KeyStore.ts"
import { NumberStore } from "../numbers/ports/NumberStore.ts"
import { AccountStore } from "../organizations/ports/AccountStore.ts"
import type { Organization } from "../organizations/rules/Organization.ts"
import { ProviderStore } from "../providers/ports/ProviderStore.ts"
import type { MemoryTables } from "./MemoryTables.ts"
import { after, bounded, pageOf } from "./RowPages.ts"

const organizationIdOf = (organization: Organization): string => organization.organization_id

/** The ports of what an organization has: agents and experiments, keys, numbers and providers. */
export const accountPorts = (tables: MemoryTables) =>
  Layer.mergeAll(
    Layer.succeed(AgentStore, {
      find: (organizationId, agentId) => Effect.sync(() => tables.agents.find(organizationId, agentId) ?? null),
      page: (organizationId, query, page) => bounded(() => tables.agents.page(organizationId, query, page)),
      list: (organizationId, query, request) =>
        Effect.suspend(() => {
          const { items, total } = tables.agents.page(organizationId, query, request)
          return Effect.map(Effect.forEach(items, agentLister()), (listed) => ({ items: listed, total }))
        }),
      usesKnowledgeBase: (organizationId, collection) =>
        Effect.sync(() => tables.agents.usesKnowledgeBase(organizationId, collection)),
    }),
    Layer.succeed(KeyStore, {
      findByHash: (hash) => Effect.sync(() => tables.keys.byHash(hash) ?? null),
      find: (organizationId, keyId) => Effect.sync(() => tables.keys.of(organizationId).get(keyId) ?? null),
      page: (organizationId, { page, page_size }) =>
        bounded(() => {
          const keys = [...tables.keys.of(organizationId).values()]
            .sort((a, b) => a.created_at - b.created_at)
            .reverse()
          return pageOf(keys, { page, page_size })
        }),
    }),
    Layer.succeed(AccountStore, {
      organization: (organizationId) => Effect.sync(() => tables.organizations.get(organizationId) ?? null),
      organizations: (id, limit) =>
        Effect.sync(() => after(tables.organizations.values(), organizationIdOf, id, limit)),
      platform: Effect.sync(() => tables.platform),
      purge: (organizationId) => Effect.sync(() => tables.purges.get(organizationId) ?? null),
      number: (organizationId, number) => Effect.sync(() => tables.phoneNumbers.findByKey(organizationId, number)),
      numbers: (organizationId) =>
        Effect.sync(() => tables.phoneNumbers.rows(organizationId).map(({ phone_number }) => phone_number)),
      numberCount: (organizationId) => Effect.sync(() => tables.phoneNumbers.count(organizationId)),
      numbersFrom: (organizationId, first, limit) =>
        Effect.sync(() => tables.phoneNumbers.rowsFrom(organizationId, first, limit)),
    }),
    Layer.succeed(ExperimentStore, {
      find: (organizationId, versionId) => Effect.sync(() => tables.experiments.find(organizationId, versionId)),
      active: (organizationId, agentId) => Effect.sync(() => tables.experiments.findByKey(organizationId, agentId)),
      page: (organizationId, agentId, status, page) =>
        bounded(() =>
          tables.experiments.page(
            organizationId,
            page,
            (experiment) => experiment.main_agent_id === agentId && (status === null || experiment.status === status),
          ),
        ),
    }),
    Layer.succeed(NumberStore, {
      find: (organizationId, id) => Effect.sync(() => tables.phoneNumbers.find(organizationId, id)),
      page: (organizationId, page) => bounded(() => tables.phoneNumbers.page(organizationId, page)),
      holders: (numbers) => Effect.sync(() => numbers.map((number) => tables.phoneNumbers.holders(number))),
      live: (organizationId, numbers) =>
        Effect.sync(() => numbers.map((number) => tables.calls.inProgress(organizationId, number))),
      binding: (organizationId, id) => Effect.sync(() => tables.inboundAgents.find(organizationId, id)),
      bindingOf: (organizationId, numberId) =>
        Effect.sync(() => tables.inboundAgents.findByKey(organizationId, numberId)),
      bindings: (organizationId, page) => bounded(() => tables.inboundAgents.page(organizationId, page)),
    }),
    Layer.succeed(ProviderStore, {
      find: (organizationId, name) => Effect.sync(() => tables.providers.findByKey(organizationId, name)),
      page: (organizationId, page) => bounded(() => tables.providers.page(organizationId, page)),
      after: (organizationId, id, limit) =>
        Effect.sync(() => after(tables.providers.rows(organizationId), ({ provider_id }) => provider_id, id, limit)),
    }),
  )
