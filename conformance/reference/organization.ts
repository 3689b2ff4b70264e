import type { Agent } from "./agents.ts"
import type { AuditRecord } from "./audit.ts"
import type { Batch } from "./batches.ts"
import type { Call } from "./calls.ts"
import type { Campaign } from "./campaigns.ts"
import type { Delivery } from "./deliveries.ts"
import type { Experiment } from "./experiments.ts"
import type { Binding } from "./inbound.ts"
import type { Collection } from "./knowledge.ts"
import { mint } from "./ids.ts"
import type { PhoneNumber } from "./numbers.ts"
import type { Provider } from "./providers.ts"
import type { Subscription } from "./subscriptions.ts"
import { Table } from "./table.ts"

/** How many lines an organization wants; null where it did not choose. */
export interface Concurrency {
  organization: number | null
  per_agent: number | null
  enforced: boolean
}

interface Kept {
  readonly fingerprint: string
  /** Null while the first request still runs. */
  answer: { readonly status: number; readonly body: unknown } | null
  readonly at: number
}

const limits = { rows: 100_000, few: 10_000, answers: 20_000 } as const

/** Everything that one tenant has. Nothing reaches into another one: a foreign id is simply not in these tables. */
export class Organization {
  readonly organization_id = mint("org")
  readonly developer = { id: mint("dev"), name: "Developer", email: "developer@example.com" }
  name = "Organization"
  plan = "standard"
  wallet = { balance: 1_000_000, currency: "USD" }
  concurrency: Concurrency = { organization: null, per_agent: null, enforced: true }
  webhook_secret: string | null = null
  /** An upload holds the one place from its first byte to its answer. */
  uploading = false
  readonly agents = new Table<Agent>(limits.rows)
  readonly experiments = new Table<Experiment>(limits.few)
  readonly calls = new Table<Call>(limits.rows)
  readonly campaigns = new Table<Campaign>(limits.few)
  readonly batches = new Table<Batch>(limits.few)
  readonly collections = new Table<Collection>(limits.few)
  readonly subscriptions = new Table<Subscription>(limits.few)
  readonly deliveries = new Table<Delivery>(limits.rows)
  readonly numbers = new Table<PhoneNumber>(limits.few)
  readonly providers = new Table<Provider>(limits.few)
  readonly bindings = new Table<Binding>(limits.few)
  readonly audit = new Table<AuditRecord>(limits.rows)
  /** The last link of the audit chain. */
  auditHead: AuditRecord | null = null
  readonly answers = new Table<Kept>(limits.answers)
  /** Requests counted by bucket. */
  readonly rates = new Map<string, { minute: number; current: number; previous: number }>()

  /** The ids of calls that were folded into another one. */
  readonly folded = new Table<string>(limits.few)

  ownsNumber(phone: string): boolean {
    return this.numbers.find(({ phone_number }) => phone_number === phone) !== undefined
  }
}
