import type { JsonObject } from "../../Json.ts"

/** What the carrier needs to place one leg. `execution_id` is the key under which it can be asked about for ever. */
export interface DialCommand {
  readonly execution_id: string
  readonly organization_id: string
  readonly agent_id: string
  readonly campaign_id: string | null
  readonly contact_id: string | null
  readonly retry_count: number
  readonly is_follow_up: boolean
  /** Replaces the agent's own prompt where it is not null. */
  readonly prompt: string | null
  readonly to_number: string
  readonly from_number: string | null
  readonly timeout_seconds: number
  readonly record: boolean
  readonly variables: JsonObject
}

/**
 * The carrier's answer to a dial. `Unknown`: it may or may not be live, and is never dialled again. `Refused` is definite:
 * no leg exists. `insufficient_funds`: nobody pays for this call. `throttled` carries the carrier's own Retry-After in seconds where it gave one. An accepted dial
 * without a caller ID tells which registered number the carrier chose.
 */
export type DialOutcome =
  | { readonly _tag: "Accepted"; readonly call_sid: string | null; readonly from_number?: string }
  | {
      readonly _tag: "Refused"
      readonly kind: "unreachable" | "rejected" | "invalid_destination" | "insufficient_funds"
    }
  | { readonly _tag: "Refused"; readonly kind: "throttled"; readonly retryAfterSeconds: number | null }
  | { readonly _tag: "Unknown" }
