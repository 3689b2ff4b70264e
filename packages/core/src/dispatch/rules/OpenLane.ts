import type { Batch } from "../../batches/rules/Batch.ts"
import type { SeenHours } from "../../callees/rules/SeenCallee.ts"
import type { Campaign } from "../../campaigns/rules/Campaign.ts"

/** What a dispatcher knows of a lane that may dial. */
export interface OpenLane {
  readonly lane_id: string
  readonly campaign: Campaign | null
  readonly batches: ReadonlyMap<string, Batch>
  readonly in_hours: boolean
  /** The hours of callees as they stood when it was looked at. */
  readonly hours: SeenHours
  /** The marks of its contacts that were open then; null where no hours bind its calls. */
  readonly marks: ReadonlyArray<string> | null
  readonly ceiling: number | null
  used: number
  dialable: number
}
