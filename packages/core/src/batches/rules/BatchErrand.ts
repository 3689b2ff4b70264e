import type { Batch } from "./Batch.ts"

/** A batch is moved on by how far it has come, and then its campaign. */
export interface SettlesBatch {
  readonly errand: "batch.settle"
  /** The batch. */
  readonly subject: string
  readonly organization_id: string
}

/** Moves a batch on by how far it has come. Doing so again changes nothing. */
export const settlesBatch = ({
  batch_id,
  organization_id,
}: Pick<Batch, "batch_id" | "organization_id">): SettlesBatch => ({
  errand: "batch.settle",
  subject: batch_id,
  organization_id,
})
