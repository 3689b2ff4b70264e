import { gap, required, specified } from "../Clause.ts"

export const batch = specified("Resources and their fields > Batch", [
  gap("BATCH-FIELD-G1", "http", "Batch record fields: not shown."),
  required(
    "BATCH-FIELD-1",
    "http",
    "A batch status spelled `cancelled` exists (two l's, unlike call status `canceled`).",
  ),
])
