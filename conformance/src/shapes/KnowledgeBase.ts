import * as Kind from "./Kind.ts"
import { field, type Shape } from "./Shape.ts"

/** What an upload is answered with. */
export const uploadResult: Shape = {
  name: "upload-result",
  fields: [
    field("collection", Kind.text, "KB-RESULT-1"),
    field("retrieval_id", Kind.text, "KB-RESULT-2"),
    field("files_accepted", Kind.arrayOf(Kind.text), "KB-RESULT-3"),
    field("chunks_indexed", Kind.integer, "KB-RESULT-4"),
    field("metadata_recorded", Kind.boolean, "KB-RESULT-5"),
    field("warnings", Kind.arrayOf(Kind.text), "KB-RESULT-6"),
  ],
}

/** An upload as it is listed. */
export const uploadEntry: Shape = {
  name: "upload-entry",
  fields: [
    field("document_id", Kind.text, "KB-UPLOAD-1"),
    field("collection", Kind.text, "KB-UPLOAD-1"),
    field("files", Kind.arrayOf(Kind.text), "KB-UPLOAD-2"),
    field("chunks_indexed", Kind.integer, "KB-UPLOAD-3"),
    field("status", Kind.text, "KB-UPLOAD-4"),
    field("created_at", Kind.timestamp, "KB-UPLOAD-4"),
    field("updated_at", Kind.timestamp, "KB-UPLOAD-4"),
  ],
}

/** What a deletion is answered with. */
export const knowledgeDeletion: Shape = {
  name: "knowledge-deletion",
  fields: [
    field("deleted", Kind.boolean, "KB-DELETED-1"),
    field("collection", Kind.text, "KB-DELETED-1"),
    field("record_id", Kind.text, "KB-DELETED-1"),
    field("vectors_removed", Kind.integer, "KB-DELETED-3"),
  ],
}
