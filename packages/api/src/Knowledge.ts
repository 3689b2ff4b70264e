import { limits } from "@carillon/core"
import type { SentFile } from "@carillon/core/domain"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  BodyBytes,
  chosen,
  described,
  documentedAs,
  EndpointOrigin,
  FieldAliases,
  NeedsContentLength,
  RateLimitBucket,
} from "./Annotations.ts"
import { Conflict, LengthRequired, PayloadTooLarge, UnsupportedMediaType } from "./Errors.ts"
import { pageOf, pageQuery } from "./Pagination.ts"
import { organizationQuery } from "./Query.ts"
import {
  Flag,
  Integer,
  integerBetween,
  listOf,
  nullable,
  objectOf,
  oneOf,
  Quantity,
  Text,
  textUpTo,
  Timestamp,
} from "./Scalars.ts"
import { isSentFile } from "./SentFiles.ts"

/** Characters that the description of a knowledge base may have. */
export const knowledgeDescriptionMax = 2000

const isFiles = (value: unknown): value is ReadonlyArray<SentFile> => Array.isArray(value) && value.every(isSentFile)

const mib = (bytes: number): string => `${bytes / 1024 ** 2} MiB`

/** The `files` of an upload. What they are is judged by the engine. */
export const UploadedFiles = documentedAs(Schema.Unknown.pipe(Schema.refine(isFiles, { message: "must be files" })), {
  type: "array",
  minItems: 1,
  maxItems: limits.knowledgeFiles,
  items: { type: "string", format: "binary" },
  description: `PDF, PNG or JPEG, judged by content: at most ${limits.knowledgeFiles} files of ${mib(limits.knowledgeFileBytes)} each, ${mib(limits.knowledgeUploadBytes)} for the whole request. Repeat the field for each file.`,
})

/** The form of `POST /v2/knowledge-bases/{collection}/documents`. */
export const KnowledgeUpload = objectOf({ files: UploadedFiles }).annotate({ identifier: "KnowledgeUpload" })

/** The form of `POST /v2/knowledge-bases`. */
export const KnowledgeCreate = objectOf({
  collection: chosen(Text, "1 to 100 letters, digits, hyphens and underscores; unique. `name` is an alias."),
  description: chosen(Schema.optionalKey(textUpTo(knowledgeDescriptionMax))),
  files: UploadedFiles,
  chunk_size: chosen(
    Schema.optionalKey(integerBetween(limits.knowledgeChunkSize.min, limits.knowledgeChunkSize.max)),
    `Characters of a chunk at most; ${limits.knowledgeChunkSize.default} when omitted.`,
  ),
  overlapping: chosen(
    Schema.optionalKey(integerBetween(limits.knowledgeOverlapping.min, limits.knowledgeChunkSize.max)),
    `Characters that a chunk may share with the one before, fewer than \`chunk_size\`; ${limits.knowledgeOverlapping.default} when omitted, or a quarter of a \`chunk_size\` that is no larger.`,
  ),
}).annotate({ identifier: "KnowledgeCreate" })

/** The upload result (specification, "Knowledge base and uploads"). */
export const KnowledgeUploadResult = Schema.Struct({
  collection: Text,
  retrieval_id: described(Text, "Identifier to give an agent's `rag_config`."),
  files_accepted: listOf(Text),
  chunks_indexed: described(Integer, "Zero means that nothing was extracted."),
  metadata_recorded: described(Flag, "False means that retrieval works but listings will not show the upload."),
  warnings: described(listOf(Text), "Usually empty."),
}).annotate({ identifier: "KnowledgeUploadResult", description: "What became of an upload." })
export type KnowledgeUploadResult = typeof KnowledgeUploadResult.Type

/** A knowledge base as it is read. */
export const KnowledgeBase = Schema.Struct({
  collection: chosen(Text),
  description: chosen(nullable(Text)),
  retrieval_id: chosen(Text),
  documents: chosen(Integer, "Uploads."),
  chunks_indexed: chosen(Integer),
  created_at: chosen(Timestamp),
  updated_at: chosen(Timestamp),
}).annotate({
  identifier: "KnowledgeBase",
  description: "A named set of uploaded documents.",
  "x-origin": "chosen",
})
export type KnowledgeBase = typeof KnowledgeBase.Type

/** A page of knowledge bases. */
export const KnowledgeBasePage = pageOf(KnowledgeBase).annotate({ identifier: "KnowledgeBasePage" })

/** An upload entry: one upload, which may hold several files. */
export const KnowledgeDocument = Schema.Struct({
  document_id: Text,
  collection: Text,
  files: described(listOf(Text), "Names of the files."),
  chunks_indexed: Integer,
  status: described(oneOf(["processed", "failed"]), "`failed`: nothing could be extracted from any file."),
  created_at: Timestamp,
  updated_at: Timestamp,
}).annotate({ identifier: "KnowledgeDocument", description: "One upload into a knowledge base." })
export type KnowledgeDocument = typeof KnowledgeDocument.Type

/** A page of upload entries. */
export const KnowledgeDocumentPage = pageOf(KnowledgeDocument).annotate({ identifier: "KnowledgeDocumentPage" })

/** The deletion result. */
export const KnowledgeDeletion = Schema.Struct({
  deleted: Schema.Literal(true),
  collection: Text,
  record_id: described(Text, "The `document_id`, or the `retrieval_id` of a knowledge base."),
  uploads_removed: described(Schema.optionalKey(Integer), "Only where a whole knowledge base was deleted."),
  vectors_removed: described(Integer, "Indexed chunks that were removed."),
}).annotate({ identifier: "KnowledgeDeletion", description: "What a deletion removed." })
export type KnowledgeDeletion = typeof KnowledgeDeletion.Type

/** The body of `POST /v2/knowledge-bases/{collection}/query`. */
export const KnowledgeQuery = objectOf({
  query: chosen(
    textUpTo(limits.knowledgeQueryCharacters).check(Schema.isPattern(/\S/u, { message: "must not be empty" })),
  ),
  top_k: chosen(
    Schema.optionalKey(integerBetween(limits.knowledgeTopK.min, limits.knowledgeTopK.max)),
    `Answers at most; ${limits.knowledgeTopK.default} when omitted.`,
  ),
}).annotate({ identifier: "KnowledgeQuery", "x-origin": "chosen" })

/** A chunk that answers a query. */
export const KnowledgeHit = Schema.Struct({
  document_id: chosen(Text),
  file: chosen(Text),
  chunk: chosen(Integer, "Its place within the file, from 0."),
  score: chosen(Quantity, "Compares within one answer only; higher is better."),
  text: chosen(Text),
}).annotate({ identifier: "KnowledgeHit", description: "A chunk that answers a query.", "x-origin": "chosen" })
export type KnowledgeHit = typeof KnowledgeHit.Type

/** 200 of `POST /v2/knowledge-bases/{collection}/query`, best first. */
export const KnowledgeHits = Schema.Struct({ data: listOf(KnowledgeHit) }).annotate({
  identifier: "KnowledgeHits",
  "x-origin": "chosen",
})

const organizationOnly = Schema.Struct(organizationQuery)
const pages = Schema.Struct({ ...pageQuery, ...organizationQuery })
const basePath = { collection: Schema.String }
const documentPath = { collection: Schema.String, document_id: Schema.String }

const uploadErrors = [Conflict, LengthRequired, PayloadTooLarge, UnsupportedMediaType] as const

/** Filling, asking and deleting knowledge bases (specification, "Knowledge bases"). */
export const KnowledgeGroup = HttpApiGroup.make("knowledge").add(
  HttpApiEndpoint.post("create", "/knowledge-bases", {
    query: organizationOnly,
    payload: KnowledgeCreate.pipe(HttpApiSchema.asMultipart()),
    success: KnowledgeUploadResult.pipe(HttpApiSchema.status(201)),
    error: uploadErrors,
  })
    .annotate(RateLimitBucket, "knowledge.upload")
    .annotate(FieldAliases, { name: "collection" })
    .annotate(BodyBytes, limits.knowledgeUploadBytes)
    .annotate(NeedsContentLength, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Create a knowledge base",
        description: "Ingests the files before it answers; one upload of an organization at a time.",
      }),
    ),
  HttpApiEndpoint.get("list", "/knowledge-bases", { query: pages, success: KnowledgeBasePage })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "List knowledge bases", description: "Newest first." })),
  HttpApiEndpoint.get("get", "/knowledge-bases/:collection", {
    params: basePath,
    query: organizationOnly,
    success: KnowledgeBase,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(OpenApi.annotations({ summary: "Read a knowledge base", description: "By its name." })),
  HttpApiEndpoint.delete("remove", "/knowledge-bases/:collection", {
    params: basePath,
    query: organizationOnly,
    success: KnowledgeDeletion,
    error: Conflict,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({
        summary: "Delete a knowledge base",
        description: "With all its documents. One that an agent uses cannot be deleted (1201).",
      }),
    ),
  HttpApiEndpoint.post("upload", "/knowledge-bases/:collection/documents", {
    params: basePath,
    query: organizationOnly,
    payload: KnowledgeUpload.pipe(HttpApiSchema.asMultipart()),
    success: KnowledgeUploadResult.pipe(HttpApiSchema.status(201)),
    error: uploadErrors,
  })
    .annotate(RateLimitBucket, "knowledge.upload")
    .annotate(BodyBytes, limits.knowledgeUploadBytes)
    .annotate(NeedsContentLength, true)
    .annotateMerge(
      OpenApi.annotations({
        summary: "Add documents",
        description: "The same file again adds a second copy of its chunks.",
      }),
    ),
  HttpApiEndpoint.get("documents", "/knowledge-bases/:collection/documents", {
    params: basePath,
    query: pages,
    success: KnowledgeDocumentPage,
  }).annotateMerge(OpenApi.annotations({ summary: "List documents", description: "Uploads, newest first." })),
  HttpApiEndpoint.delete("removeDocument", "/knowledge-bases/:collection/documents/:document_id", {
    params: documentPath,
    query: organizationOnly,
    success: KnowledgeDeletion,
    error: Conflict,
  }).annotateMerge(
    OpenApi.annotations({
      summary: "Delete a document",
      description: "One upload and every chunk that it produced, for good. The knowledge base stays.",
    }),
  ),
  HttpApiEndpoint.post("query", "/knowledge-bases/:collection/query", {
    params: basePath,
    query: organizationOnly,
    payload: KnowledgeQuery,
    success: KnowledgeHits,
    error: PayloadTooLarge,
  })
    .annotate(EndpointOrigin, "chosen")
    .annotateMerge(
      OpenApi.annotations({ summary: "Ask a knowledge base", description: "The chunks that answer best." }),
    ),
)
