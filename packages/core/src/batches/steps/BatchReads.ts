import { refuse, row } from "../../engine/steps/Reading.ts"
import { NotFound } from "../../Errors.ts"

const noSuchBatch = new NotFound({ message: "Batch not found." })

/** A batch of an organization. */
export function* batchOf(organizationId: string, batchId: string) {
  return (yield* row("batch", batchId, { of: organizationId })) ?? (yield* refuse(noSuchBatch))
}
