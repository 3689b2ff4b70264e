import { sha256 } from "@noble/hashes/sha2.js"
import { hexText } from "../../engine/rules/FlatText.ts"
import { transientUtf8 } from "../../engine/rules/Utf8Bytes.ts"
import type { JsonObject } from "../../Json.ts"
import { formatUtc } from "../../time/Timestamp.ts"
import type { AuditEntry, auditOutcomes } from "../../engine/rules/AuditEntry.ts"
import { canonicalJson } from "./CanonicalJson.ts"

/**
 * One record of an organization's audit chain, in the very form in which it is published, so that anyone who holds the JSON
 * can compute `hash` anew: SHA-256 over the RFC 8785 canonical JSON of the record without `hash`.
 */
export type AuditRecord = {
  readonly event_id: string
  /** 1, 2, 3, … without gaps. */
  readonly sequence: number
  readonly organization_id: string
  readonly actor: { readonly type: "api_key" | "system"; readonly key_id: string | null }
  readonly action: string
  readonly resource: { readonly type: string; readonly id: string | null }
  readonly outcome: (typeof auditOutcomes)[number]
  readonly error_code: number | null
  readonly http_status: number | null
  readonly request_id: string | null
  readonly details: JsonObject
  /** ISO-8601 UTC. */
  readonly created_at: string
  /** `hash` of the record before; 64 zeros on the first. */
  readonly prev_hash: string
  readonly hash: string
}

/** The end of a chain: where the next record goes. */
export interface ChainHead {
  readonly sequence: number
  readonly hash: string
}

/** The head of a chain without records. */
export const emptyChain: ChainHead = { sequence: 0, hash: "0".repeat(64) }

/** The head after a record. */
export const headOf = (record: AuditRecord): ChainHead => ({ sequence: record.sequence, hash: record.hash })

/** Makes the next record of a chain. Throws a `TypeError` where `details` hold what JSON cannot carry (see `canonicalJson`). */
export const append = (head: ChainHead, entry: AuditEntry): AuditRecord => {
  const content: RecordContent = {
    event_id: entry.event_id,
    sequence: head.sequence + 1,
    organization_id: entry.organization_id,
    actor: entry.actor,
    action: entry.action,
    resource: entry.resource,
    outcome: entry.outcome,
    error_code: entry.error_code,
    http_status: entry.http_status,
    request_id: entry.request_id,
    details: entry.details,
    created_at: formatUtc(entry.created_at),
    prev_hash: head.hash,
  }
  return { ...content, hash: hashOf(content) }
}

type RecordContent = Omit<AuditRecord, "hash">

const hashOf = (content: RecordContent): string => hexText(sha256(transientUtf8(canonicalJson(content))))

/**
 * What someone remembers of an earlier verification: this head, after this many records. A chain that has grown since still
 * holds both; one whose tail was cut, or that was written anew, does not.
 */
export interface ExpectedTail {
  readonly expectedHead?: string
  readonly expectedCount?: number
}

/**
 * Why a chain does not verify. At a record: `edited` (its hash is not that of its content), `broken_link` (it does not
 * follow the one before), `gap` (records are missing before it), `out_of_order` (it comes again or too late),
 * `other_organization`. At the end: `tail_missing` (fewer records than expected), `head_mismatch` (the expected head is not
 * where it should be).
 */
export const chainFaults = [
  "edited",
  "broken_link",
  "gap",
  "out_of_order",
  "other_organization",
  "tail_missing",
  "head_mismatch",
] as const

export type ChainFault = (typeof chainFaults)[number]

/**
 * The result of a verification. `checked` counts the records that hold, up to the first that does not, with those before them that
 * are no longer kept, so that it can be expected together with `head_hash`; `broken_at` is the `event_id` of the first that does not
 * hold; null where every record holds and only the tail is wrong.
 */
export interface ChainReport {
  readonly valid: boolean
  readonly checked: number
  readonly first_event_id: string | null
  readonly last_event_id: string | null
  readonly head_hash: string
  readonly broken_at: string | null
  readonly reason: ChainFault | null
}

/** A verification under way: plain data of constant size, however long the chain. */
export interface ChainVerification {
  readonly expected: ExpectedTail
  readonly head: ChainHead
  readonly checked: number
  readonly organization_id: string | null
  readonly first_event_id: string | null
  readonly last_event_id: string | null
  /** Whether the expected head was met where it should be. */
  readonly headSeen: boolean
  readonly fault: { readonly event_id: string; readonly reason: ChainFault } | null
}

/**
 * Begins a verification with the first record of the chain or, where records before it are no longer kept, with the head of those. What
 * is expected of what is no longer kept cannot be looked at; a head of which nobody says where it was may be there.
 */
export const beginVerification = (expected: ExpectedTail = {}, origin: ChainHead = emptyChain): ChainVerification => ({
  expected,
  head: origin,
  checked: origin.sequence,
  organization_id: null,
  first_event_id: null,
  last_event_id: null,
  headSeen: isExpectedHead(expected, origin) || origin.sequence > (expected.expectedCount ?? 0),
  fault: null,
})

/** Takes the next record in; after the first fault nothing more is looked at. */
export const verifyNext = (state: ChainVerification, record: AuditRecord): ChainVerification => {
  if (state.fault !== null) return state
  const reason = faultOf(state, record)
  if (reason !== null) return { ...state, fault: { event_id: record.event_id, reason } }
  const head = headOf(record)
  return {
    expected: state.expected,
    head,
    checked: state.checked + 1,
    organization_id: record.organization_id,
    first_event_id: state.first_event_id ?? record.event_id,
    last_event_id: record.event_id,
    headSeen: state.headSeen || isExpectedHead(state.expected, head),
    fault: null,
  }
}

const faultOf = (state: ChainVerification, record: AuditRecord): ChainFault | null => {
  if (state.organization_id !== null && record.organization_id !== state.organization_id) return "other_organization"
  if (record.sequence > state.head.sequence + 1) return "gap"
  if (record.sequence !== state.head.sequence + 1) return "out_of_order"
  if (record.prev_hash !== state.head.hash) return "broken_link"
  return isAsAppended(record) ? null : "edited"
}

const isAsAppended = (record: AuditRecord): boolean => {
  const { hash, ...content } = record
  try {
    return hash === hashOf(content)
  } catch {
    // What has no canonical form cannot have been appended.
    return false
  }
}

const isExpectedHead = (expected: ExpectedTail, head: ChainHead): boolean =>
  head.hash === expected.expectedHead && head.sequence === (expected.expectedCount ?? head.sequence)

/** Ends a verification. */
export const endVerification = (state: ChainVerification): ChainReport => {
  const reason = state.fault?.reason ?? tailFault(state)
  return {
    valid: reason === null,
    checked: state.checked,
    first_event_id: state.first_event_id,
    last_event_id: state.last_event_id,
    head_hash: state.head.hash,
    broken_at: state.fault?.event_id ?? null,
    reason,
  }
}

const tailFault = (state: ChainVerification): ChainFault | null => {
  const { expectedHead, expectedCount } = state.expected
  if (expectedCount !== undefined && state.head.sequence < expectedCount) return "tail_missing"
  return expectedHead !== undefined && !state.headSeen ? "head_mismatch" : null
}

/** Verifies a whole chain at once. */
export const verifyChain = (records: Iterable<AuditRecord>, expected: ExpectedTail = {}): ChainReport => {
  let state = beginVerification(expected)
  for (const record of records) {
    state = verifyNext(state, record)
    if (state.fault !== null) break
  }
  return endVerification(state)
}
