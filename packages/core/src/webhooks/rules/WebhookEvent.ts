import { flatText } from "../../engine/rules/FlatText.ts"
import { sha256 } from "@noble/hashes/sha2.js"
import { idPrefixes } from "../../engine/rules/IdKinds.ts"
import { transientUtf8 } from "../../engine/rules/Utf8Bytes.ts"
import type { Call } from "../../calls/rules/Call.ts"
import { type EventType, eventTypes } from "./EventType.ts"

/**
 * One event of the outbox, written in the commit that made it true. `body` is what every attempt sends, byte for byte; where it goes is
 * decided in the same commit if that is known and afterwards if not, so that no subscription ever holds up a call.
 */
export interface WebhookEvent {
  readonly event_id: string
  readonly organization_id: string
  readonly revision: number
  readonly event_type: EventType
  readonly execution_id: string
  readonly agent_id: string
  readonly body: string
  readonly raised_at: number
  /** When its deliveries were written; null while it waits in the outbox. */
  readonly routed_at: number | null
  readonly expires_at: number
  /** Kept for the host itself, whoever else listens: it has a place in the order of kept events until it expires. */
  readonly kept?: true
  /** What it told was erased, and it is not sent any more (`Erasure.ts`). */
  readonly erased?: true
}

/** A kept event in its place. Places count from 1. */
export interface PlacedEvent {
  readonly place: number
  readonly event: WebhookEvent
}

const characters = Array.from("0123456789abcdefghjkmnpqrstvwxyz", (character) => character.charCodeAt(0))
const idLength = 22

/**
 * The id of an event: a function of the call, the type and its place among the call's events of that type, so that no crash between
 * raising and sending can change it (decisions.md, "Webhooks").
 */
export const eventIdOf = (executionId: string, type: EventType, sequence: number): string => {
  const digest = sha256(transientUtf8(`event\0${executionId}\0${type}\0${sequence}`))
  const codes: Array<number> = []
  for (let index = 0; index < idLength; index++) codes.push(characters[(digest[index] ?? 0) & 31] ?? 0)
  return idPrefixes.event + flatText(codes)
}

/** The ids of all events that a call may have raised. Only corrections are told more than once. */
export const eventIdsOf = ({ execution_id, processing }: Call): ReadonlyArray<string> => [
  ...eventTypes.map((type) => eventIdOf(execution_id, type, 1)),
  ...Array.from({ length: Math.max(0, processing.corrections - 1) }, (_, nth) =>
    eventIdOf(execution_id, "call_corrected", nth + 2),
  ),
]
