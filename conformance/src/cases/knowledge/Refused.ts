import type { Case } from "../../run/Case.ts"
import {
  addFiles,
  bytesOf,
  collectionName,
  createBase,
  uploadForm,
  makeBase,
  pdf,
  type UploadFile,
} from "../../trial/Documents.ts"

const bases = "/v2/knowledge-bases"
const mib = 1024 * 1024

/** A PDF that is padded to so many bytes behind its end. */
const padded = (bytes: number): Uint8Array => {
  const file = new Uint8Array(bytes)
  file.set(pdf("Parking is free"))
  return file
}

const file = (bytes: Uint8Array, name = "a.pdf"): UploadFile => ({ name, bytes })

const refused: Case = {
  id: "knowledge/upload/refused",
  title: "What cannot be taken is refused with its own status, and nothing of it is kept",
  clauses: [
    "KB-ADD-3",
    "KB-ADD-4",
    "KB-ADD-5",
    "KB-ADD-6",
    "KB-ADD-P1",
    "KB-ERROR-1",
    "KB-ERROR-2",
    "KB-ERROR-4",
    "KB-ERROR-5",
    "KB-ERROR-6",
    "KB-ERROR-P1",
    "KB-ERROR-P2",
    "KB-ROUTES-P4",
    "CONSTANT-14",
  ],
  requires: ["fixtures", "clock"],
  run: async (trial) => {
    const { check, clock } = trial
    const { client } = await trial.organization()
    const good = file(pdf("Parking is free"))
    const { collection } = await makeBase(trial, client, good)
    const rows: ReadonlyArray<
      readonly [name: string, clauses: ReadonlyArray<string>, status: number, files: ReadonlyArray<UploadFile>]
    > = [
      ["eleven-files", ["KB-ERROR-P1"], 413, Array.from({ length: 11 }, () => good)],
      ["many-files", ["KB-ERROR-P1"], 413, Array.from({ length: 150 }, () => good)],
      ["large-file", ["KB-ADD-4", "KB-ERROR-4"], 413, [file(padded(26 * mib))]],
      ["large-request", ["KB-ADD-5", "KB-ERROR-4"], 413, Array.from({ length: 3 }, () => file(padded(18 * mib)))],
      ["text", ["KB-ADD-P1"], 415, [good, file(bytesOf("Dear sir"))]],
      ["gif", ["KB-ADD-6", "KB-ERROR-5"], 415, [file(bytesOf("GIF89a....."), "a.gif")]],
      ["empty", ["KB-ERROR-6"], 400, [good, file(new Uint8Array())]],
      ["unreadable-image", ["KB-ERROR-6"], 400, [file(bytesOf("\x89PNG\r\n\x1a\nno image at all"), "a.png")]],
      ["unreadable", ["KB-ERROR-6"], 400, [good, file(pdf("Parking is free").subarray(0, 60))]],
    ]
    for (const [name, clauses, status, files] of rows) {
      check.refused(name, clauses, await addFiles(client, collection, ...files), 1000, status)
    }
    // The bucket of uploads is small.
    await clock.advance(120_000)
    check.refused("unknown-base", "KB-ERROR-1", await addFiles(client, collectionName(trial), good), 1200)
    check.refused("name-taken", ["KB-ERROR-2", "KB-ROUTES-P4"], await createBase(client, collection, good), 1201)
    // Which names are bad is a reading; whoever takes one has a base more.
    let taken = 0
    for (const [name, bad] of [
      ["bad-name", "not a name!"],
      ["long-name", "a".repeat(101)],
    ] as const) {
      const answer = await createBase(client, bad, good)
      check.refused(name, "KB-ERROR-P2", answer, 1000, 400)
      if (answer.succeeded) taken += 1
    }
    const truncated = uploadForm({}, [good])
    const raw = truncated.raw.slice(0, -12)
    const headers = { ...truncated.headers, "content-length": String(raw.length) }
    const cut = await client.send("POST", `${bases}/${collection}/documents`, { headers, raw })
    check.rejected("truncated", "KB-ERROR-6", cut)
    const kept = await client.get(`${bases}/${collection}/documents`)
    check.equal("nothing-kept", "KB-ERROR-6", kept.items().length, 1, kept)
    const listed = await client.get(bases)
    // Whether bases are listed is not shown (KB-ROUTES-G1).
    if (listed.status === 200) {
      check.equal("no-base-kept", ["KB-ERROR-2", "KB-ERROR-6"], listed.items().length, 1 + taken, listed)
    }
  },
}

const concurrent: Case = {
  id: "knowledge/upload/one-at-a-time",
  title: "A second upload of an organization at the same time is refused, and another organization's is not",
  clauses: ["KB-ADD-9", "KB-ADD-P2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const other = await trial.organization()
    const small = file(pdf("Parking is free"))
    const { collection } = await makeBase(trial, client, small)
    const { collection: theirs } = await makeBase(trial, other.client, small)
    const upload = (files: number) =>
      addFiles(client, collection, ...Array.from({ length: files }, () => file(padded(4 * mib))))
    const [elsewhere, ...here] = await Promise.all([
      addFiles(other.client, theirs, small),
      upload(5),
      upload(5),
      upload(5),
    ])
    check.status("other-organization", "KB-ADD-9", elsewhere, 201)
    const taken = here.filter(({ status }) => status === 201).length
    const busy = here.filter(({ status }) => status === 429)
    check.holds("one-is-taken", "KB-ADD-9", taken >= 1, "an upload that is taken", here[0])
    check.holds(
      "the-others-wait",
      "KB-ADD-9",
      busy.length >= 1 && taken + busy.length === here.length,
      "429 for an upload beside another",
      here[1],
    )
    for (const answer of busy) {
      check.refused("busy", "KB-ADD-9", answer, 1300)
      const after = answer.header("retry-after")
      check.that("retry-after", "KB-ADD-9", Number(after) >= 1, {
        expected: "retry-after: a second or more",
        got: after ?? "no such header",
        at: answer,
      })
    }
    check.status("free-again", "KB-ADD-P2", await upload(1), 201)
  },
}

const largest: Case = {
  id: "knowledge/upload/largest",
  title: "A file and a request that are nearly as large as they may be are taken",
  clauses: ["KB-ADD-4", "KB-ADD-5", "KB-ERROR-P3"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.organization()
    const { collection } = await makeBase(trial, client, file(pdf("Parking is free")))
    // Below 25 and 50 million bytes, whichever megabyte is meant.
    const half = file(padded(22 * mib))
    const both = await addFiles(client, collection, half, half)
    check.status("request", ["KB-ADD-4", "KB-ADD-5"], both, 201)
    // Above 25 million bytes.
    check.status("file", "KB-ERROR-P3", await addFiles(client, collection, file(padded(25 * mib))), 201)
  },
}

export const refusedUploadCases: ReadonlyArray<Case> = [refused, concurrent, largest]
