import { gap, required, specified } from "../Clause.ts"

export const batches = specified("Endpoints > Batches", [
  required("BATCH-ROUTES-1", "http", "Routes: `POST /v2/batches`"),
  required("BATCH-ROUTES-2", "http", "`POST /v2/batches/upload` (201)"),
  required("BATCH-ROUTES-3", "http", "`GET /v2/batches`"),
  required("BATCH-ROUTES-4", "http", "`GET /v2/batches/{batch_id}`, `GET /v2/batches/{batch_id}/executions`"),
  required("BATCH-ROUTES-5", "http", "`POST /v2/batches/{batch_id}/schedule`"),
  required("BATCH-ROUTES-6", "http", "`/stop`, `/pause`"),
  required("BATCH-ROUTES-7", "http", "`/resume` (202)."),
  required("BATCH-ROUTES-8", "fixtures", "Scopes: `batches:write` for creates, upload, schedule, stop, pause, resume"),
  required("BATCH-ROUTES-9", "fixtures", "`calls:read` for the three GET reads."),
  required("BATCH-ROUTES-10", "http", "Buckets: create, upload and schedule in `calls.create`"),
  required("BATCH-ROUTES-11", "http", "`GET /v2/batches/{batch_id}/executions` in `executions.list`"),
  required("BATCH-ROUTES-12", "http", "the rest in default."),
  required("BATCH-CREATE-1", "http", "`concurrency_limit` on the batch create body is accepted and stored"),
  required("BATCH-CREATE-2", "telephony", "but has no effect."),
  gap("BATCH-ROUTES-G1", "http", "Request and response bodies of the batch routes: not shown."),
])
