import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { addFiles, makeBase, pdf, png } from "../../trial/Documents.ts"

const bases = "/v2/knowledge-bases"

const uploaded: Case = {
  id: "knowledge/upload/processed",
  title: "Files are ingested before the answer, listed newest first, and each upload is an entry of its own",
  clauses: [
    "KB-CREATE-1",
    "KB-CREATE-2",
    "KB-CREATE-P1",
    "KB-ADD-1",
    "KB-ADD-2",
    "KB-ADD-7",
    "KB-ADD-10",
    "KB-ADD-11",
    "KB-RESULT-1",
    "KB-RESULT-3",
    "KB-RESULT-4",
    "KB-RESULT-5",
    "KB-LIST-1",
    "KB-LIST-2",
    "KB-LIST-3",
    "KB-UPLOAD-1",
    "KB-UPLOAD-2",
    "KB-UPLOAD-3",
    "KB-UPLOAD-P1",
    "KB-ROUTES-1",
    "KB-ROUTES-P1",
    "KB-SCOPE-1",
    "RATE-BUCKET-3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { collection, made } = await makeBase(trial, client, {
      name: "refunds.pdf",
      bytes: pdf("Refunds take ten days"),
    })
    check.status("created", ["KB-CREATE-2", "KB-ADD-10"], made, 201)
    const ceiling = Number(made.headers.get("x-ratelimit-limit"))
    check.holds("bucket", ["KB-CREATE-1", "RATE-BUCKET-3"], ceiling < 600, "the small ceiling of uploads", made)
    check.equal("its-name", ["KB-RESULT-1", "KB-CREATE-P1"], made.at("collection"), collection, made)
    check.equal("its-files", "KB-RESULT-3", made.at("files_accepted"), ["refunds.pdf"], made)
    const chunks = made.number("chunks_indexed")
    check.holds("its-chunks", ["KB-RESULT-4", "KB-ADD-7"], chunks >= 1, "at least one chunk", made)

    const two = await addFiles(
      client,
      collection,
      { name: "refunds.pdf", bytes: pdf("Refunds take ten days") },
      { name: "parking.pdf", bytes: pdf("Parking is free") },
    )
    check.status("added", ["KB-ADD-10", "KB-ADD-2"], two, 201)
    check.equal("same-bucket", "KB-ADD-1", Number(two.headers.get("x-ratelimit-limit")), ceiling, two)
    check.equal(
      "both-files",
      ["KB-ADD-2", "KB-RESULT-3"],
      two.at("files_accepted"),
      ["refunds.pdf", "parking.pdf"],
      two,
    )
    check.holds("second-copy", "KB-ADD-11", two.number("chunks_indexed") >= 2, "chunks of both files", two)
    check.equal("same-base", "KB-RESULT-1", two.at("retrieval_id"), made.at("retrieval_id"), two)

    const list = await client.get(`${bases}/${collection}/documents`)
    check.status("listed", ["KB-LIST-1", "KB-ROUTES-1", "KB-SCOPE-1"], list, 200)
    const rows = list.items().filter(isObject)
    check.equal(
      "newest-first",
      ["KB-LIST-2", "KB-UPLOAD-2"],
      rows.map(({ files }) => files),
      [["refunds.pdf", "parking.pdf"], ["refunds.pdf"]],
      list,
    )
    check.equal(
      "of-this-base",
      "KB-UPLOAD-1",
      rows.map((row) => row["collection"]),
      [collection, collection],
      list,
    )
    check.equal("chunks-listed", "KB-UPLOAD-3", rows.at(-1)?.["chunks_indexed"], chunks, list)
    check.equal("status", "KB-UPLOAD-P1", rows.at(-1)?.["status"], "processed", list)
    const first = await client.get(`${bases}/${collection}/documents`, { page_size: 1 })
    check.equal("more-follow", "KB-LIST-3", first.at("pagination.has_more"), true, first)
    const second = await client.get(`${bases}/${collection}/documents`, { page_size: 1, page: 2 })
    check.equal("no-more", "KB-LIST-3", second.at("pagination.has_more"), false, second)
    check.equal("last-page", "KB-LIST-2", second.at("data.0.document_id"), rows.at(-1)?.["document_id"], second)

    const base = await client.get(`${bases}/${collection}`)
    check.status("read", "KB-ROUTES-P1", base, 200)
    check.equal("documents", "KB-ROUTES-P1", base.at("documents"), 2, base)
  },
}

const images: Case = {
  id: "knowledge/upload/image",
  title: "An image is taken by its content, whatever it is called",
  clauses: ["KB-ADD-6", "KB-ADD-P1", "KB-RESULT-4", "KB-RESULT-6"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { collection } = await makeBase(trial, client, { name: "a.pdf", bytes: pdf("Parking is free") })
    const taken = await addFiles(client, collection, { name: "scan.png", bytes: png() })
    check.status("taken", "KB-ADD-6", taken, 201)
    const misnamed = await addFiles(client, collection, { name: "letter.docx", bytes: pdf("Parking is free") })
    check.status("by-content", "KB-ADD-P1", misnamed, 201)
  },
}

const query: Case = {
  id: "knowledge/query/best-first",
  title: "A question finds the chunks that have something to do with it",
  clauses: ["KB-QUERY-P1", "KB-QUERY-P2"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { collection } = await makeBase(
      trial,
      client,
      { name: "refunds.pdf", bytes: pdf("Refunds are paid within ten days") },
      { name: "parking.pdf", bytes: pdf("Parking is free") },
    )
    const ask = (body: object) => client.post(`${bases}/${collection}/query`, body)
    const found = await ask({ query: "When are refunds paid?" })
    check.status("answered", "KB-QUERY-P1", found, 200)
    check.equal("best", "KB-QUERY-P1", found.at("data.0.file"), "refunds.pdf", found)
    const one = await ask({ query: "refunds parking", top_k: 1 })
    check.equal("no-more-than-asked", "KB-QUERY-P1", one.items().length, 1, one)
    check.refused("empty", "KB-QUERY-P2", await ask({ query: "" }), 1001)
  },
}

export const uploadCases: ReadonlyArray<Case> = [uploaded, images, query]
