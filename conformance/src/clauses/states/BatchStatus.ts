import { gap, required, specified } from "../Clause.ts"

export const batchStatus = specified("States and transitions > Batch status", [
  required("BATCH-STATUS-1", "http", "Only the spelling `cancelled`"),
  required(
    "BATCH-STATUS-2",
    "http",
    "and that a finished batch cannot be paused (409 with the message naming status) are given.",
  ),
  gap("BATCH-STATUS-G1", "http", "The set of batch statuses and their transitions: not shown."),
])
