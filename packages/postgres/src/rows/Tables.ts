import type { Call } from "@carillon/core"
import { BatchStatus, isTerminal } from "@carillon/core/domain"
import {
  holdsLine,
  isWatched,
  knowledgeBasesOf,
  laneOf,
  listedContacts,
  type RowKind,
  type Rows,
  watchedCall,
} from "@carillon/core/ports"
import { orderKeyOf, searchKeyOf } from "../Documents.ts"
import { type Table, table } from "./Table.ts"

const text = <Row>(of: (row: Row) => string | null) => ({ type: "text", of }) as const
/** A time, or a count. */
const time = <Row>(of: (row: Row) => number | null) => ({ type: "bigint", of }) as const
const flag = <Row>(of: (row: Row) => boolean) => ({ type: "boolean", of }) as const

interface Owned {
  readonly organization_id: string | null
  readonly created_at: number
}

const organization_id = text((row: Owned) => row.organization_id)
const created_at = time((row: Owned) => row.created_at)

export const platforms = table("platform", {
  name: "platform",
  id: "platform_id",
  columns: {},
})

/** The balance lies beside the document. It is written by what changes it alone (`Debit`, `BalanceChange`), and a put leaves it alone. */
export const organizations = table("organization", {
  name: "organizations",
  id: "organization_id",
  columns: { balance: { type: "double precision", of: (row) => row.wallet.balance } },
  kept: ["balance"],
})

export const purges = table("purge", {
  name: "purges",
  id: "organization_id",
  columns: {},
})

export const apiKeys = table("api_key", {
  name: "api_keys",
  id: "key_id",
  columns: { organization_id, created_at, hash: text((row) => row.hash) },
})

export const phoneNumbers = table("phone_number", {
  name: "phone_numbers",
  id: "phone_number_id",
  columns: { organization_id, created_at, phone_number: text((row) => row.phone_number) },
})

export const providers = table("provider", {
  name: "providers",
  id: "provider_id",
  columns: { organization_id, created_at, provider_name: text((row) => row.provider_name) },
})

export const inboundAgents = table("inbound_agent", {
  name: "inbound_agents",
  id: "inbound_agent_id",
  columns: { organization_id, created_at, phone_number_id: text((row) => row.phone_number_id) },
})

export const agents = table("agent", {
  name: "agents",
  id: "agent_id",
  columns: {
    organization_id,
    created_at,
    updated_at: time((row) => row.updated_at),
    status: text((row) => row.status),
    category: text((row) => row.category),
    knowledge_bases: { type: "text[]", of: knowledgeBasesOf },
    name_order: { type: "bytea", of: (row) => orderKeyOf(row.display_name) },
    name_search: { type: "bytea", of: (row) => searchKeyOf(row.display_name) },
  },
})

export const experiments = table("experiment", {
  name: "experiments",
  id: "version_id",
  columns: {
    organization_id,
    created_at,
    main_agent_id: text((row) => row.main_agent_id),
    status: text((row) => row.status),
  },
})

/** The health of the endpoint belongs to the attempts on it, and a put leaves it alone. */
export const subscriptions = table("subscription", {
  name: "subscriptions",
  id: "subscription_id",
  columns: {
    organization_id,
    agent_id: text((row) => row.agent_id),
    failing_since: time((row) => row.health.failing_since),
    last_failure: { type: "json", of: (row) => row.health.last_failure },
  },
  kept: ["failing_since", "last_failure"],
})

export const campaigns = table("campaign", {
  name: "campaigns",
  id: "campaign_id",
  columns: {
    organization_id,
    created_at,
    status: text((row) => row.status),
    watched: flag(isWatched),
    ending: flag((row) => row.end_time !== null && (row.status === "created" || row.status === "active")),
  },
})

export const campaignEntries = table("campaign_entry", {
  name: "campaign_entries",
  id: "entry_id",
  columns: { campaign_id: text((row) => row.campaign_id), number: time((row) => row.number) },
})

export const batches = table("batch", {
  name: "batches",
  id: "batch_id",
  columns: {
    organization_id,
    created_at,
    status: text((row) => row.status),
    agent_id: text((row) => row.agent_id),
    campaign_id: text((row) => row.campaign_id),
    lane_id: text(laneOf),
    finished: flag((row) => BatchStatus.isFinishedBatch(row.status)),
    // A process of an earlier release leaves it null where it adds a batch.
    listed_contacts: time(listedContacts),
  },
})

/** The organization's number of a call that was dialled or has arrived, and is not over. */
const liveNumberOf = (call: Call): string | null => {
  const isLive =
    call.dial !== "none" && call.dial !== "refused" && call.folded_into === null && !isTerminal(call.status)
  return isLive ? (call.direction === "outbound" ? call.from_number : call.to_number) : null
}

/** A write tells whether the row before held a line, because a line taken or given back changes the load of its lane. */
export const calls = table("call", {
  name: "calls",
  id: "execution_id",
  columns: {
    organization_id,
    created_at,
    listed: flag((row) => row.folded_into === null),
    status: text((row) => row.status),
    direction: text((row) => row.direction),
    voicemail: flag((row) => row.answered_by_voicemail === true),
    agent_id: text((row) => row.agent_id),
    batch_id: text((row) => row.batch_id),
    campaign_id: text((row) => row.campaign_id),
    contact_id: text((row) => row.contact_id),
    parent_execution_id: text((row) => row.parent_execution_id),
    to_number: text((row) => row.to_number),
    from_number: text((row) => row.from_number),
    lane_id: text((row) => row.campaign_id ?? row.batch_id),
    holds_line: flag(holdsLine),
    live_number: text(liveNumberOf),
    due: flag((row) => row.due_at !== null),
    processing: flag((row) => row.processing.due_at !== null),
    // Of calls that the breaker of their campaign looks at. A process of an earlier release leaves them null.
    watched_end: time((row) => watchedCall(row)?.ended_at ?? null),
    watched_seconds: { type: "double precision", of: (row) => watchedCall(row)?.duration_seconds ?? null },
  },
  remembered: "held_line = t.holds_line",
  returning: "t.held_line as took",
})

export const callees = table("callee", {
  name: "callees",
  id: "callee_id",
  columns: {
    organization_id: text((row) => row.organization_id),
    suppressed: flag((row) => row.suppressions.length > 0),
  },
})

export const calleeHours = table("callee_hours", {
  name: "callee_hours",
  id: "organization_id",
  columns: {},
})

export const callMedia = table("call_media", {
  name: "call_media",
  id: "execution_id",
  columns: { organization_id: text((row) => row.organization_id) },
})

export const knowledgeBases = table("knowledge_base", {
  name: "knowledge_bases",
  id: "retrieval_id",
  columns: { organization_id, created_at, collection: text((row) => row.collection) },
})

export const knowledgeUploads = table("knowledge_upload", {
  name: "knowledge_uploads",
  id: "document_id",
  columns: { organization_id, created_at, retrieval_id: text((row) => row.retrieval_id) },
})

export const events = table("event", {
  name: "events",
  id: "event_id",
  columns: {
    organization_id: text((row) => row.organization_id),
    waiting: flag((row) => row.routed_at === null),
    expires_at: time((row) => row.expires_at),
  },
})

export const deliveries = table("delivery", {
  name: "deliveries",
  id: "delivery_id",
  columns: {
    organization_id,
    created_at,
    event_id: text((row) => row.event_id),
    event_type: text((row) => row.event_type),
    execution_id: text((row) => row.execution_id),
    subscription_id: text((row) => row.subscription_id),
    status: text((row) => row.status),
    due: flag((row) => row.due_at !== null),
    expires_at: time((row) => row.expires_at),
  },
})

/** Where the rows of each kind lie. Contacts lie with what was handed in of them, and are written as they are read, by their places. */
export const tables: { readonly [K in Exclude<RowKind, "contact">]: Table<Rows[K]> } = {
  platform: platforms,
  organization: organizations,
  purge: purges,
  api_key: apiKeys,
  provider: providers,
  phone_number: phoneNumbers,
  inbound_agent: inboundAgents,
  experiment: experiments,
  agent: agents,
  subscription: subscriptions,
  campaign: campaigns,
  campaign_entry: campaignEntries,
  batch: batches,
  callee: callees,
  callee_hours: calleeHours,
  call: calls,
  call_media: callMedia,
  knowledge_base: knowledgeBases,
  knowledge_upload: knowledgeUploads,
  event: events,
  delivery: deliveries,
}
