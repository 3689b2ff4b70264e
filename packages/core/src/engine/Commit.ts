import type { Agent } from "../agents/Agent.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Call, CallMedia } from "../calls/Call.ts"
import type { ApiKey } from "../keys/ApiKey.ts"
import type { KnowledgeBase, KnowledgeUpload } from "../knowledge/KnowledgeBase.ts"
import type { SlotLevel } from "../limits/SlotLevels.ts"
import type { Organization, PhoneNumber, Platform } from "../organizations/Organization.ts"
import type { Wakeup, WakeupKind } from "./Wakeups.ts"

/** Every kind of row there is. A row carries its own `revision`, which each put raises by one, starting at 1. */
export interface Rows {
  readonly platform: Platform
  readonly organization: Organization
  readonly phone_number: PhoneNumber
  readonly api_key: ApiKey
  readonly agent: Agent
  readonly call: Call
  readonly call_media: CallMedia
  readonly knowledge_base: KnowledgeBase
  readonly knowledge_upload: KnowledgeUpload
}

export type RowKind = keyof Rows

/** Rows that customers delete for good; all others end in a status. */
export type RemovableKind = "knowledge_base" | "knowledge_upload"

/**
 * One change. A put expects the revision before its own, so the row that was read is the row that is replaced, and a removal
 * the revision that was read. A second knowledge base of one name is a conflict; one that is removed takes its uploads with it.
 * A debit is relative, so that calls that end together do not conflict over the wallet.
 */
export type Change =
  | { readonly [K in RowKind]: { readonly put: K; readonly row: Rows[K] } }[RowKind]
  | {
      readonly put: "removal"
      readonly organization_id: string
      readonly kind: RemovableKind
      readonly id: string
      readonly revision: number
    }
  | { readonly put: "debit"; readonly organization_id: string; readonly amount: number }

/** A fact that others may be told of (webhooks), raised in the commit that made it true. */
export interface DomainEvent {
  readonly type: "call_ringing" | "call_started" | "call_completed"
  readonly organization_id: string
  readonly execution_id: string
  readonly at: number
}

/** One level that a dial must fit into; `ceiling` null means that the level refuses nothing. */
export interface SlotDemand {
  readonly level: SlotLevel
  readonly key: string
  readonly ceiling: number | null
}

/** A step's outcome as data: what must still hold, what changes, when to look again, what to tell, what to record. */
export interface Commit {
  readonly id: string
  readonly organization_id: string
  readonly expect: ReadonlyArray<{ readonly kind: RowKind; readonly id: string; readonly revision: number }>
  readonly changes: ReadonlyArray<Change>
  readonly wakeups: ReadonlyArray<
    { readonly set: Wakeup } | { readonly clear: { readonly kind: WakeupKind; readonly subject: string } }
  >
  readonly events: ReadonlyArray<DomainEvent>
  readonly audit: ReadonlyArray<AuditEntry>
}

/** A commit before it has an id; everything left out is empty. */
export type CommitDraft = Pick<Commit, "organization_id"> & Partial<Omit<Commit, "id" | "organization_id">>

/** What a rule answers to a view: what to write, what to say, and what to do once it is written. */
export interface Decision<Reply, Effect = never> {
  readonly commit: CommitDraft | null
  readonly reply: Reply
  readonly effects: ReadonlyArray<Effect>
}

/** A decision to change nothing. */
export const unchanged = <Reply>(reply: Reply): Decision<Reply> => ({ commit: null, reply, effects: [] })

/** A decision to write, and then to perform the effects. */
export const write = <Reply, Effect = never>(
  commit: CommitDraft,
  reply: Reply,
  effects: ReadonlyArray<Effect> = [],
): Decision<Reply, Effect> => ({ commit, reply, effects })
