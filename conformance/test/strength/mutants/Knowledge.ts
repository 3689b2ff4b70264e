/** Mistakes with knowledge bases, and with the routes that the specification only names. */
import {
  answers,
  at,
  body,
  cut,
  failing,
  forgives,
  fresh,
  headers,
  ignores,
  made,
  over,
  plus,
  queries,
  recodes,
  refuses,
  restates,
  row,
  rows,
  set,
  textOf,
  together,
  where,
  wire,
} from "../Defects.ts"
import { objectOf } from "../Mutant.ts"
import { c, each, m } from "../Table.ts"

const create = "POST /v2/knowledge-bases"
const add = "POST /v2/knowledge-bases/*/documents"
const list = "GET /v2/knowledge-bases/*/documents"
const remove = "DELETE /v2/knowledge-bases/*/documents/*"
const removeBase = "DELETE /v2/knowledge-bases/*"
const uploads = [create, add]
const limitOf = (route: string, limit: number) => headers(route, (h) => h.set("x-ratelimit-limit", String(limit)))
const emptyPage = { data: [], pagination: { page: 1, page_size: 20, total: 0, total_pages: 0, has_more: false } }
const result = {
  collection: "c",
  retrieval_id: "r",
  files_accepted: [],
  chunks_indexed: 1,
  metadata_recorded: true,
  warnings: [],
}
const message = (r: { readonly json: unknown }) => textOf(objectOf(r.json)["message"])

/** Routes that ask for a scope although they should not. */
const gated = (holds: (method: string, path: string) => boolean, scope: string) =>
  wire(() => async (asked, next) => {
    if (!holds(asked.method, asked.path)) return next(asked)
    const seen = await next({
      ...asked,
      method: "GET",
      path: "/v2/scopes",
      query: new URLSearchParams(),
      headers: new Headers(
        asked.headers.has("authorization") ? [["authorization", asked.headers.get("authorization") ?? ""]] : [],
      ),
      json: undefined,
    })
    const granted = at(seen.json, "key.granted")
    return Array.isArray(granted) && !granted.includes(scope) ? failing(seen, 1102, 403) : next(asked)
  })

const knowledge = [
  m(
    "KB-ROUTES-1",
    "A knowledge base is addressed by its id.",
    answers(["GET /v2/knowledge-bases/*", list], (r) => (r.status === 200 ? failing(r, 1200, 404) : r)),
  ),
  c(
    "KB-ROUTES-1",
    "A document is added by the base's retrieval_id alone.",
    refuses(add, () => true, 1200, 404),
  ),
  m("KB-UPLOAD-1", "document_id is missing.", row(list, cut("document_id"))),
  c(
    "KB-UPLOAD-1",
    "collection of an upload is its document.",
    row(list, (r) => ({ ...r, collection: r["document_id"] })),
  ),
  m(
    "KB-UPLOAD-2",
    "files is the name of the first.",
    row(
      list,
      over("files", (v) => (Array.isArray(v) ? v[0] : v)),
    ),
  ),
  c(
    "KB-UPLOAD-2",
    "An upload of several files is several entries.",
    rows(list, (l) =>
      l.flatMap((r) =>
        Array.isArray(r["files"]) && r["files"].length > 1
          ? r["files"].map((f: unknown) => ({ ...r, files: [f] }))
          : [r],
      ),
    ),
  ),
  m("KB-UPLOAD-3", "chunks_indexed is text.", row(list, over("chunks_indexed", String))),
  c("KB-UPLOAD-3", "chunks_indexed of an entry is not that of its upload.", row(list, over("chunks_indexed", plus(1)))),
  m("KB-UPLOAD-4", "updated_at is missing.", row(list, cut("updated_at"))),
  c("KB-UPLOAD-4", "status of an entry is a number.", row(list, set("status", 1))),
  m("KB-RESULT-1", "collection is missing.", body(uploads, cut("collection"))),
  c("KB-RESULT-1", "collection is that of another.", body(add, set("collection", "other"))),
  m("KB-RESULT-2", "retrieval_id is missing.", body(uploads, cut("retrieval_id"))),
  c(
    "KB-RESULT-2",
    "retrieval_id changes with each upload.",
    fresh(() => {
      let n = 0
      return body(
        uploads,
        over("retrieval_id", (v) => `${textOf(v)}${(n += 1)}`),
      )
    }),
  ),
  m(
    "KB-RESULT-3",
    "files_accepted is a number.",
    body(
      uploads,
      over("files_accepted", (v) => [v].flat().length),
    ),
  ),
  c(
    "KB-RESULT-3",
    "Of two files one is accepted.",
    body(
      uploads,
      over("files_accepted", (v) => (Array.isArray(v) ? v.slice(0, 1) : v)),
    ),
  ),
  m("KB-RESULT-4", "chunks_indexed is missing.", body(uploads, cut("chunks_indexed"))),
  c("KB-RESULT-4", "chunks_indexed is 0 for a readable file.", body(uploads, set("chunks_indexed", 0))),
  m("KB-RESULT-5", "metadata_recorded is false.", body(uploads, set("metadata_recorded", false))),
  c("KB-RESULT-5", "metadata_recorded is text.", body(uploads, over("metadata_recorded", String))),
  m("KB-RESULT-6", "warnings is null.", body(uploads, set("warnings", null))),
  c(
    "KB-RESULT-6",
    "warnings of an upload of two files is text.",
    body(
      uploads,
      where((r) => Array.isArray(r["files_accepted"]) && r["files_accepted"].length > 1, set("warnings", "")),
    ),
  ),
  m("KB-DELETED-1", "record_id is missing.", body([remove, removeBase], cut("record_id"))),
  c("KB-DELETED-1", "deleted is text.", body(remove, over("deleted", String))),
  m("KB-DELETED-2", "uploads_removed comes with a document.", body(remove, set("uploads_removed", 1))),
  c("KB-DELETED-2", "uploads_removed is missing from a base.", body(removeBase, cut("uploads_removed"))),
  c(
    "KB-DELETED-2",
    "uploads_removed counts chunks.",
    body(removeBase, (r) => ({ ...r, uploads_removed: Number(r["uploads_removed"]) + 7 })),
  ),
  m("KB-DELETED-3", "vectors_removed is missing.", body([remove, removeBase], cut("vectors_removed"))),
  c(
    "KB-DELETED-3",
    "vectors_removed is 0 whatever was removed.",
    body([remove, removeBase], set("vectors_removed", 0)),
  ),
  m(
    "KB-SCOPE-1",
    "Reads need agents:read.",
    gated((method, path) => method === "GET" && path.startsWith("/v2/knowledge-bases"), "agents:read"),
  ),
  c(
    "KB-SCOPE-1",
    "Lists of documents need calls:read.",
    gated((method, path) => method === "GET" && path.endsWith("/documents"), "calls:read"),
  ),
  m(
    "KB-SCOPE-2",
    "Uploads need agents:write.",
    gated((method, path) => method === "POST" && path.startsWith("/v2/knowledge-bases"), "agents:write"),
  ),
  c(
    "KB-SCOPE-2",
    "Deletions need agents:write.",
    gated((method, path) => method === "DELETE" && path.startsWith("/v2/knowledge-bases"), "agents:write"),
  ),
  each("KB-CREATE-1 RATE-BUCKET-3", "Creating a base counts in default.", limitOf(create, 1000)),
  each("KB-ADD-1 RATE-BUCKET-3", "Adding counts in default.", limitOf(add, 1000)),
  m(
    "KB-CREATE-2",
    "Creating a base ingests nothing.",
    body(create, (r) => ({ ...r, files_accepted: [], chunks_indexed: 0 })),
  ),
  c(
    "KB-CREATE-2",
    "Creating a base takes text files.",
    forgives(
      create,
      1000,
      201,
      () => result,
      (_, r) => r.status === 415,
    ),
  ),
  c(
    "KB-CREATE-2",
    "Creating a base takes eleven files.",
    forgives(
      create,
      1000,
      201,
      () => result,
      (_, r) => r.status === 413,
    ),
  ),
  m(
    "KB-ADD-2",
    "The field is called file.",
    refuses(add, () => true, 1002, 400),
  ),
  c(
    "KB-ADD-2",
    "Of repeated fields the first counts.",
    body(add, (r) => ({ ...r, files_accepted: [r["files_accepted"]].flat().slice(0, 1) })),
  ),
  m(
    "KB-ADD-3",
    "Eleven files are taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (_, r) => r.status === 413 && /file/i.test(message(r)) && !/MB|large|size/i.test(message(r)),
    ),
  ),
  m(
    "KB-ADD-3",
    "Ten files are refused.",
    answers(add, (r) => ([objectOf(r.json)["files_accepted"]].flat().length === 10 ? failing(r, 1000, 413) : r)),
  ),
  m(
    "KB-ADD-4",
    "A file over 25 MB is taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (a, r) => r.status === 413 && Number(a.headers.get("content-length") ?? 0) < 50 * 1024 * 1024,
    ),
  ),
  c(
    "KB-ADD-4",
    "A file of 20 MB is refused.",
    answers(add, (r, a) => {
      const n = Number(a.headers.get("content-length") ?? 0)
      return n > 20 * 1024 * 1024 && r.status === 201 ? failing(r, 1000, 413) : r
    }),
  ),
  m(
    "KB-ADD-5",
    "A request over 50 MB is taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (a, r) => r.status === 413 && Number(a.headers.get("content-length") ?? 0) >= 50 * 1024 * 1024,
    ),
  ),
  c(
    "KB-ADD-5",
    "A request of 40 MB is refused.",
    answers(add, (r, a) => {
      const n = Number(a.headers.get("content-length") ?? 0)
      return n > 40 * 1024 * 1024 && r.status === 201 ? failing(r, 1000, 413) : r
    }),
  ),
  m(
    "KB-ADD-6",
    "Text is taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (_, r) => r.status === 415,
    ),
  ),
  c(
    "KB-ADD-6",
    "PNG is refused.",
    answers(add, (r) => (/\.png/i.test(textOf(objectOf(r.json)["files_accepted"] ?? "")) ? failing(r, 1000, 415) : r)),
  ),
  c(
    "KB-ADD-6",
    "JPEG is refused.",
    answers(add, (r) =>
      /\.jpe?g/i.test(textOf(objectOf(r.json)["files_accepted"] ?? "")) ? failing(r, 1000, 415) : r,
    ),
  ),
  m("KB-ADD-7", "Ingest goes on in the background.", restates(add, 201, 202)),
  c("KB-ADD-7", "An upload answers before its chunks are there.", body(uploads, set("chunks_indexed", 0))),
  each(
    "KB-ADD-8 KB-ERROR-3",
    "A chunked upload is taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (_, r) => r.status === 411,
    ),
  ),
  c(
    "KB-ADD-8",
    "A chunked upload that creates a base is taken.",
    forgives(
      create,
      1000,
      201,
      () => result,
      (_, r) => r.status === 411,
    ),
  ),
  c(
    "KB-ERROR-3",
    "A chunked upload is 400.",
    answers(add, (r) => (r.status === 411 ? { ...r, status: 400 } : r)),
  ),
  m(
    "KB-ADD-9",
    "Two uploads at once are served.",
    forgives(
      uploads,
      1300,
      201,
      () => result,
      (_, r) => message(r).includes("upload"),
    ),
  ),
  c(
    "KB-ADD-9",
    "The refusal of a second upload has no Retry-After.",
    headers(uploads, (h, r) => {
      if (r.status === 429) h.delete("retry-after")
    }),
  ),
  c(
    "KB-ADD-9",
    "A second upload is 409.",
    recodes(uploads, 1300, 1201, 409, (_, r) => message(r).includes("upload")),
  ),
  m("KB-ADD-10", "Adding is 200.", restates(add, 201, 200)),
  m(
    "KB-ADD-11",
    "A file that is there is not added.",
    fresh(() => {
      const seen = new Set<string>()
      return body(add, (r, a) => {
        const key = `${a.path} ${textOf(r["files_accepted"])}`
        const isSeen = seen.has(key)
        seen.add(key)
        return isSeen ? { ...r, chunks_indexed: 0 } : r
      })
    }),
  ),
  c(
    "KB-ADD-11",
    "A file that is there is 409.",
    fresh(() => {
      const seen = new Set<string>()
      return answers(add, (r, a) => {
        const key = `${a.path} ${textOf(objectOf(r.json)["files_accepted"] ?? "")}`
        const isSeen = seen.has(key) && r.status === 201
        seen.add(key)
        return isSeen ? failing(r, 1201, 409) : r
      })
    }),
  ),
  c(
    "KB-ADD-11",
    "A second copy replaces the first in the list.",
    rows(list, (l) => {
      const seen = new Set<string>()
      return l.filter((r) => {
        const k = textOf(r["files"])
        const isNew = !seen.has(k)
        seen.add(k)
        return isNew
      })
    }),
  ),
  m("KB-ADD-12", "Chunks go when a file is added again.", body(remove, set("vectors_removed", 0))),
  m(
    "KB-ERROR-1",
    "An unknown base is made.",
    forgives(add, 1200, 201, () => result),
  ),
  c(
    "KB-ERROR-1",
    "Documents of an unknown base are an empty page.",
    forgives(list, 1200, 200, () => emptyPage),
  ),
  m("KB-ERROR-2", "A name that is there is 400.", recodes(create, 1201, 1000, 400)),
  c(
    "KB-ERROR-2",
    "A name that is there is opened.",
    forgives(create, 1201, 201, () => result),
  ),
  m(
    "KB-ERROR-4",
    "Too much is 400.",
    answers(uploads, (r) => (r.status === 413 ? { ...r, status: 400 } : r)),
  ),
  c(
    "KB-ERROR-4",
    "Too many files are 422.",
    answers(uploads, (r) => (r.status === 413 ? failing(r, 1001, 422) : r)),
  ),
  m(
    "KB-ERROR-5",
    "A wrong type is 400.",
    answers(uploads, (r) => (r.status === 415 ? { ...r, status: 400 } : r)),
  ),
  c(
    "KB-ERROR-5",
    "A wrong type is 422.",
    answers(uploads, (r) => (r.status === 415 ? failing(r, 1001, 422) : r)),
  ),
  m(
    "KB-ERROR-6",
    "A bad name is 422.",
    recodes(create, 1000, 1001, 422, (_, r) => r.status === 400),
  ),
  c(
    "KB-ERROR-6",
    "An empty file is taken.",
    forgives(
      uploads,
      1000,
      201,
      () => result,
      (_, r) => r.status === 400 && /empty/i.test(message(r)),
    ),
  ),
  c(
    "KB-ERROR-6",
    "An unreadable file is taken.",
    forgives(
      uploads,
      1000,
      201,
      () => result,
      (_, r) => r.status === 400 && /read/i.test(message(r)),
    ),
  ),
  m("KB-LIST-1", "page is ignored.", ignores(list, "page")),
  c(
    "KB-LIST-1",
    "page_size is ignored from page 2 on.",
    queries(list, (q) => {
      if (q.get("page") === "2") q.delete("page_size")
    }),
  ),
  m(
    "KB-LIST-2",
    "Uploads come oldest first.",
    rows(list, (l) => [...l].reverse()),
  ),
  c(
    "KB-LIST-2",
    "The list is called documents.",
    body(list, ({ data, ...rest }) => ({ ...rest, documents: data })),
  ),
  m("KB-LIST-3", "has_more is false.", body(list, set("pagination.has_more", false))),
  m(
    "KB-DELETE-1",
    "A deleted document is listed.",
    fresh(() => {
      const all: Array<Record<string, unknown>> = []
      return rows(list, (l) => {
        for (const r of l) if (!all.some((o) => o["document_id"] === r["document_id"])) all.push(r)
        return [...l, ...all.filter((o) => !l.some((r) => r["document_id"] === o["document_id"]))]
      })
    }),
  ),
  c(
    "KB-DELETE-1",
    "Chunks of a deleted document are found.",
    wire(() => {
      const found: Array<unknown> = []
      return async (asked, next) => {
        const reply = await next(asked)
        if (!asked.path.endsWith("/query") || reply.status !== 200) return reply
        const data = [objectOf(reply.json)["data"]].flat()
        if (data.length > 0) found.push(...data)
        return data.length === 0 && found.length > 0 ? { ...reply, json: { data: found } } : reply
      }
    }),
  ),
  m(
    "KB-DELETE-2",
    "Deleting twice is 200.",
    fresh(() => {
      const gone = new Set<string>()
      return answers(remove, (r, a) => {
        if (gone.has(a.path))
          return made(r, 200, { deleted: true, collection: "c", record_id: "r", vectors_removed: 0 })
        if (r.status === 200) gone.add(a.path)
        return r
      })
    }),
  ),
  m(
    "KB-DELETE-3",
    "Deleting is 204.",
    answers(remove, (r) => (r.status === 200 ? { ...r, status: 204, json: undefined, text: "" } : r)),
  ),
  m(
    "KB-DELETE-4",
    "An unknown document is 200.",
    forgives(remove, 1200, 200, () => ({ deleted: false, collection: "c", record_id: "r", vectors_removed: 0 })),
  ),
  c("KB-DELETE-4", "A foreign document is 403.", recodes(remove, 1200, 1102, 403)),
  m(
    "KB-DELETE-5",
    "The base goes with its last document.",
    fresh(() => {
      const gone = new Set<string>()
      return together(
        answers(remove, (r, a) => {
          if (r.status === 200) gone.add(a.path.split("/")[3] ?? "")
          return r
        }),
        answers(["GET /v2/knowledge-bases/*", list], (r, a) =>
          gone.has(a.path.split("/")[3] ?? "") ? failing(r, 1200, 404) : r,
        ),
      )
    }),
  ),
  m(
    "CONSTANT-14",
    "Eleven files are taken.",
    forgives(
      add,
      1000,
      201,
      () => result,
      (_, r) => r.status === 413,
    ),
  ),
]

const named = [
  m("OTHER-1", "Usage counts in default.", limitOf("GET /v2/usage", 1000)),
  c(
    "OTHER-1",
    "There is no usage.",
    refuses("GET /v2/usage", () => true, 1200, 404),
  ),
  m(
    "OTHER-2",
    "There are no phone numbers.",
    refuses("GET /v2/phone-numbers", () => true, 1200, 404),
  ),
  c(
    "OTHER-2",
    "There are no providers.",
    refuses("GET /v2/providers", () => true, 1200, 404),
  ),
  c(
    "OTHER-2",
    "There are no inbound agents.",
    refuses("GET /v2/inbound-agents", () => true, 1200, 404),
  ),
  m(
    "OTHER-3",
    "There is no audit trail.",
    refuses("GET /v2/audit-logs", () => true, 1200, 404),
  ),
  c(
    "OTHER-3",
    "A record of the trail cannot be read.",
    refuses("GET /v2/audit-logs/aud_*", () => true, 1200, 404),
  ),
  c(
    "OTHER-3",
    "Foreign records can be read.",
    forgives("GET /v2/audit-logs/*", 1200, 200, () => ({})),
  ),
  m(
    "OTHER-4",
    "The trail cannot be verified.",
    refuses("GET /v2/audit-logs/verify", () => true, 1200, 404),
  ),
  c(
    "OTHER-4",
    "Verifying needs no scope.",
    forgives("GET /v2/audit-logs/verify", 1102, 200, () => ({ valid: true })),
  ),
  c("OTHER-4", "The chain is never valid.", body("GET /v2/audit-logs/verify", set("valid", false))),
]

export const knowledgeAndOthers = [...knowledge, ...named]
