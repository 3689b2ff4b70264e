import { required, specified } from "../Clause.ts"

export const knowledgeBase = specified("Resources and their fields > Knowledge base and uploads", [
  required("KB-ROUTES-1", "http", "A knowledge base is addressed by `collection` (its name, path parameter)."),
  required("KB-UPLOAD-1", "http", "Upload entry (list): `document_id` (string), `collection`"),
  required("KB-UPLOAD-2", "http", "`files` (array of file names; one entry is one upload, which may hold many files)"),
  required("KB-UPLOAD-3", "http", "`chunks_indexed` (integer)"),
  required("KB-UPLOAD-4", "http", "`status` (string), `created_at`, `updated_at`."),
  required("KB-RESULT-1", "http", "Upload result: `collection`"),
  required("KB-RESULT-2", "http", "`retrieval_id` (identifier to give an agent's `rag_config`)"),
  required("KB-RESULT-3", "http", "`files_accepted` (array)"),
  required("KB-RESULT-4", "http", "`chunks_indexed` (zero means nothing extracted)"),
  required(
    "KB-RESULT-5",
    "http",
    "`metadata_recorded` (boolean; false means retrieval works but listings will not show the upload)",
  ),
  required("KB-RESULT-6", "http", "`warnings` (array, usually empty)."),
  required("KB-DELETED-1", "http", "Deletion result: `deleted` (boolean), `collection`, `record_id`"),
  required("KB-DELETED-2", "http", "`uploads_removed` (only for knowledge-base deletion)"),
  required("KB-DELETED-3", "http", "`vectors_removed` (integer indexed chunks removed, default 0)."),
])
