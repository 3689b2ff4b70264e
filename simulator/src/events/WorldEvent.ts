import type { CallStatus, EventType } from "@carillon/core"
import type { DeliveryStatus, ErrorClass } from "@carillon/core/domain"
import type { Batch, Campaign } from "@carillon/core/ports"
import type { ClockMode } from "../clock/VirtualClock.ts"
import type { Faults } from "../faults/Fault.ts"

/** What is said of a world: every domain event of the engine, and what changed around it. */
export type WorldFact =
  /** A fact that customers may be told of, whether anybody listens or not. */
  | {
      readonly type: EventType
      readonly organization_id: string
      readonly execution_id: string
      /** Its place among the call's events of this type, from 1. */
      readonly nth: number
    }
  /** A call is there, or its status has changed. */
  | {
      readonly type: "call"
      readonly organization_id: string
      readonly execution_id: string
      readonly agent_id: string
      readonly campaign_id: string | null
      readonly batch_id: string | null
      readonly direction: "inbound" | "outbound"
      readonly to_number: string
      readonly from_number: string | null
      readonly status: CallStatus
      /** Null for one that is new. */
      readonly previous_status: CallStatus | null
    }
  | {
      readonly type: "campaign"
      readonly organization_id: string
      readonly campaign_id: string
      readonly name: string
      readonly status: Campaign["status"]
      readonly previous_status: Campaign["status"] | null
    }
  | {
      readonly type: "batch"
      readonly organization_id: string
      readonly batch_id: string
      readonly campaign_id: string | null
      readonly status: Batch["status"]
      readonly previous_status: Batch["status"] | null
    }
  /** A delivery was written, or an attempt of it has ended. */
  | {
      readonly type: "delivery"
      readonly organization_id: string
      readonly delivery_id: string
      readonly event_id: string
      readonly event_type: EventType
      readonly execution_id: string
      readonly callback_host: string | null
      readonly signed: boolean
      readonly status: DeliveryStatus
      readonly attempts: number
      readonly http_status: number | null
      readonly error_class: ErrorClass | null
    }
  /** Control has changed the faults; these are in force now. */
  | { readonly type: "faults"; readonly faults: Faults["current"] }
  | { readonly type: "clock"; readonly mode: ClockMode["mode"]; readonly speed: number }
  /** The engine's process was dropped, and another one started on the same world. */
  | { readonly type: "crash"; readonly generation: number }
  | { readonly type: "violation"; readonly name: string; readonly detail: string }

/** A fact with its place in the history of the world, from 1, and its virtual time in epoch milliseconds. */
export interface WorldEvent {
  readonly sequence: number
  readonly at: number
  readonly fact: WorldFact
}
