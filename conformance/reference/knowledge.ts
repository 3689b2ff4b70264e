import { mebibyte, readBytes } from "./body.ts"
import { chunksOf, textOf } from "./documents.ts"
import { conflict, invalid, malformed, missing, notFound, Refusal } from "./errors.ts"
import { integer, text } from "./fields.ts"
import { mint } from "./ids.ts"
import { type Part, readParts } from "./multipart.ts"
import type { Organization } from "./organization.ts"
import { pageOf } from "./query.ts"
import type { Answer, Context, Route } from "./route.ts"

interface Upload {
  readonly document_id: string
  readonly collection: string
  readonly files: ReadonlyArray<string>
  readonly chunks: ReadonlyArray<{ readonly file: string; readonly text: string }>
  readonly created_at: string
}

/** Documents that an agent can answer from. */
export interface Collection {
  readonly collection: string
  readonly description: string | null
  readonly retrieval_id: string
  readonly chunk_size: number
  readonly overlapping: number
  uploads: Array<Upload>
  readonly created_at: string
  updated_at: string
}

const maxFiles = 10
const maxUploads = 1_000
const fileMaxBytes = 25 * mebibyte
const requestMaxBytes = 50 * mebibyte

const retryAfterSeconds = "5"

const refuse = (status: 411 | 413, message: string) => new Refusal(1000, message, { status })

/** An organization uploads one thing at a time, from the first byte to the answer. */
const alone = async (context: Context, act: (parts: ReadonlyArray<Part>) => Answer): Promise<Answer> => {
  const { organization, request } = context
  const length = request.headers["content-length"]
  if (length === undefined) throw refuse(411, "A Content-Length header is required.")
  if (Number(length) > requestMaxBytes) throw refuse(413, "The request is larger than 50 MiB.")
  if (organization.uploading) {
    throw new Refusal(1300, "Another upload for this organization is in progress.", {
      headers: { "Retry-After": retryAfterSeconds },
    })
  }
  organization.uploading = true
  try {
    const bytes = await readBytes(request, requestMaxBytes)
    return act(readParts(bytes, request.headers["content-type"] ?? ""))
  } finally {
    organization.uploading = false
  }
}

const field = (parts: ReadonlyArray<Part>, name: string): string | undefined =>
  parts.find((part) => part.name === name)?.bytes.toString()

const count = (parts: ReadonlyArray<Part>, name: string, fallback: number, min: number): number => {
  const given = field(parts, name)
  if (given === undefined) return fallback
  return integer(min, 100_000)(/^\d{1,9}$/.test(given) ? Number(given) : given, name)
}

/** The files of a form, each read. */
const filesOf = (
  parts: ReadonlyArray<Part>,
  { chunk_size, overlapping }: Pick<Collection, "chunk_size" | "overlapping">,
) => {
  const files = parts.filter(({ name }) => name === "files")
  if (files.length === 0) throw missing("files")
  if (files.length > maxFiles) throw refuse(413, `A request may have at most ${maxFiles} files.`)
  if (files.some(({ bytes }) => bytes.length > fileMaxBytes)) throw refuse(413, "A file may have at most 25 MiB.")
  const names = files.map(({ filename }, index) => filename ?? `file-${index + 1}`)
  const chunks = files.flatMap(({ bytes }, index) =>
    chunksOf(textOf(bytes), chunk_size, overlapping).map((piece) => ({ file: names[index] ?? "", text: piece })),
  )
  return { names, chunks }
}

const add = (context: Context, base: Collection, { chunks, names }: ReturnType<typeof filesOf>): Answer => {
  const { world } = context
  if (base.uploads.length === maxUploads) throw conflict("This knowledge base holds as many documents as it can.")
  const now = world.clock.iso()
  const upload = { document_id: mint("doc"), collection: base.collection, files: names, chunks, created_at: now }
  base.uploads.push(upload)
  base.updated_at = now
  context.touch("knowledge_base", base.collection)
  const warnings = chunks.length === 0 ? ["No text was found in the uploaded files."] : []
  const body = {
    collection: base.collection,
    document_id: upload.document_id,
    retrieval_id: base.retrieval_id,
    files_accepted: names,
    chunks_indexed: chunks.length,
    metadata_recorded: true,
    warnings,
  }
  return { status: 201, body }
}

const create = (context: Context): Promise<Answer> =>
  alone(context, (parts) => {
    const { organization, world } = context
    const collection = field(parts, "collection") ?? field(parts, "name")
    if (collection === undefined) throw missing("collection")
    if (!/^[\w-]{1,100}$/.test(collection))
      throw malformed("The name of a knowledge base has letters, digits, - and _.")
    const chunk_size = count(parts, "chunk_size", 512, 1)
    const overlapping = count(parts, "overlapping", 128, 0)
    if (overlapping >= chunk_size) throw invalid("overlapping", "must be smaller than chunk_size")
    const files = filesOf(parts, { chunk_size, overlapping })
    if (organization.collections.get(collection) !== undefined) throw conflict("This knowledge base already exists.")
    const now = world.clock.iso()
    const description = field(parts, "description") ?? null
    const base = {
      collection,
      description,
      retrieval_id: mint("kb"),
      chunk_size,
      overlapping,
      uploads: [],
      created_at: now,
      updated_at: now,
    }
    organization.collections.put(collection, base)
    return add(context, base, files)
  })

const baseOf = ({ id, organization }: Context): Collection => {
  const found = organization.collections.get(id)
  if (found === undefined) throw notFound("Knowledge base")
  return found
}

const upload = (context: Context): Promise<Answer> | Answer => {
  const base = baseOf(context)
  return alone(context, (parts) => add(context, base, filesOf(parts, base)))
}

const show = ({ uploads, ...base }: Collection) => ({
  collection: base.collection,
  description: base.description,
  retrieval_id: base.retrieval_id,
  documents: uploads.length,
  chunks_indexed: uploads.reduce((sum, { chunks }) => sum + chunks.length, 0),
  created_at: base.created_at,
  updated_at: base.updated_at,
})

const showUpload = ({ chunks, collection, created_at, document_id, files }: Upload) => ({
  document_id,
  collection,
  files,
  chunks_indexed: chunks.length,
  status: "processed",
  created_at,
  updated_at: created_at,
})

const isUsed = ({ agents }: Organization, collection: string): boolean =>
  agents.find(({ settings, status }) => status !== "ARCHIVED" && settings["knowledge_base"] === collection) !==
  undefined

const removeBase = (context: Context): Answer => {
  const { collection, retrieval_id, uploads } = baseOf(context)
  context.touch("knowledge_base", collection)
  if (isUsed(context.organization, collection)) throw conflict("An agent uses this knowledge base.")
  context.organization.collections.delete(collection)
  const vectors_removed = uploads.reduce((sum, { chunks }) => sum + chunks.length, 0)
  const body = { deleted: true, collection, record_id: retrieval_id, uploads_removed: uploads.length, vectors_removed }
  return { status: 200, body }
}

const removeDocument = (context: Context): Answer => {
  const base = baseOf(context)
  const found = base.uploads.find(({ document_id }) => document_id === context.params[1])
  if (found === undefined) throw notFound("Document")
  base.uploads = base.uploads.filter((one) => one !== found)
  base.updated_at = context.world.clock.iso()
  context.touch("document", found.document_id)
  const { collection } = base
  return {
    status: 200,
    body: { deleted: true, collection, record_id: found.document_id, vectors_removed: found.chunks.length },
  }
}

const wordsOf = (source: string): ReadonlyArray<string> => source.toLowerCase().match(/[\p{L}\p{N}]{1,64}/gu) ?? []

const search = async (context: Context): Promise<Answer> => {
  const body = await context.fields()
  const query = body.required("query", text(1, 10_000))
  const most = body.optional("top_k", integer(1, 100)) ?? 5
  const wanted = new Set(wordsOf(query))
  const found = baseOf(context).uploads.flatMap(({ chunks, document_id }) =>
    chunks.map(({ file, text: piece }, chunk) => {
      const score = wordsOf(piece).filter((word) => wanted.has(word)).length
      return { document_id, file, chunk, score, text: piece }
    }),
  )
  const best = found.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score)
  return { status: 200, body: { data: best.slice(0, most) } }
}

const all = "/v2/knowledge-bases"
const one = `${all}/{collection}`

export const knowledgeRoutes: ReadonlyArray<Route> = [
  { method: "POST", path: all, bucket: "knowledge.upload", action: "knowledge_base.create", handle: create },
  {
    method: "GET",
    path: all,
    handle: ({ organization, query }) => ({
      status: 200,
      body: pageOf(query, organization.collections.newestFirst(), show),
    }),
  },
  { method: "GET", path: one, handle: (context) => ({ status: 200, body: show(baseOf(context)) }) },
  { method: "DELETE", path: one, action: "knowledge_base.delete", handle: removeBase },
  { method: "POST", path: `${one}/documents`, bucket: "knowledge.upload", action: "document.upload", handle: upload },
  {
    method: "GET",
    path: `${one}/documents`,
    handle: (context) => ({
      status: 200,
      body: pageOf(context.query, baseOf(context).uploads.toReversed(), showUpload),
    }),
  },
  { method: "DELETE", path: `${one}/documents/{document_id}`, action: "document.delete", handle: removeDocument },
  { method: "POST", path: `${one}/query`, handle: search },
]
