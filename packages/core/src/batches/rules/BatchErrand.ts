/** A batch is moved on by how far it has come, and then its campaign. */
export interface SettlesBatch {
  readonly errand: "batch.settle"
  /** The batch. */
  readonly subject: string
}

/** Moves a batch on by how far it has come. Doing so again changes nothing. */
export const settlesBatch = (batchId: string): SettlesBatch => ({ errand: "batch.settle", subject: batchId })
