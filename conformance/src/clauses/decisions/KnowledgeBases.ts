import { chosen, profile } from "../Clause.ts"

export const knowledgeBaseDecisions = chosen("Knowledge bases", [
  profile(
    "KB-CREATE-P1",
    "http",
    "`POST /v2/knowledge-bases` multipart: `collection` (1-100, letters, digits, `-`, `_`; alias `name`), `description?`, `files` (1..10), `chunk_size?` (default 512), `overlapping?` (default 128).",
  ),
  profile(
    "KB-ROUTES-P1",
    "http",
    "`GET /v2/knowledge-bases` and `GET /v2/knowledge-bases/{collection}`: `{collection, description, retrieval_id, documents, chunks_indexed, created_at, updated_at}`.",
  ),
  profile(
    "KB-ROUTES-P2",
    "http",
    "`DELETE /v2/knowledge-bases/{collection}`: 200 the deletion result with `uploads_removed`",
  ),
  profile("KB-ROUTES-P3", "http", "409 while an agent uses it."),
  profile(
    "KB-QUERY-P1",
    "http",
    "`POST /v2/knowledge-bases/{collection}/query` (extension) `{query, top_k?}` → `{data: [{document_id, file, chunk, score, text}]}`.",
  ),
  profile("KB-UPLOAD-P1", "http", "Upload status: `processed`, `failed`."),
  profile("KB-ADD-P1", "http", "The file type is judged by content, not by name."),
])
