import { isObject } from "../../http/Json.ts"
import type { Case } from "../../run/Case.ts"
import { makeAgent } from "../../trial/Agents.ts"
import { addFiles, createBase, uploadForm, makeBase, pdf } from "../../trial/Documents.ts"

const bases = "/v2/knowledge-bases"

const deleted: Case = {
  id: "knowledge/delete/document-and-base",
  title: "A document goes with its chunks and for good; the base stays, until it is deleted itself",
  clauses: [
    "KB-DELETE-1",
    "KB-DELETE-2",
    "KB-DELETE-3",
    "KB-DELETE-5",
    "KB-DELETED-1",
    "KB-DELETED-2",
    "KB-DELETED-3",
    "KB-ADD-12",
    "KB-ROUTES-P2",
    "KB-ROUTES-P3",
  ],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const file = { name: "a.pdf", bytes: pdf("Parking is free") }
    const { collection, made } = await makeBase(trial, client, file)
    const documents = `${bases}/${collection}/documents`
    const id = (await client.get(documents)).items().filter(isObject)[0]?.["document_id"]
    const answer = await client.delete(`${documents}/${String(id)}`)
    check.status("answered", "KB-DELETE-3", answer, 200)
    check.equal("deleted", "KB-DELETED-1", answer.at("deleted"), true, answer)
    check.equal("its-base", "KB-DELETED-1", answer.at("collection"), collection, answer)
    check.equal("no-count-of-uploads", "KB-DELETED-2", answer.at("uploads_removed"), undefined, answer)
    check.equal(
      "its-chunks",
      ["KB-DELETED-3", "KB-DELETE-1", "KB-ADD-12"],
      answer.at("vectors_removed"),
      made.at("chunks_indexed"),
      answer,
    )
    check.refused("for-good", "KB-DELETE-2", await client.delete(`${documents}/${String(id)}`), 1200)
    const left = await client.get(documents)
    check.status("base-stays", "KB-DELETE-5", left, 200)
    check.equal("nothing-listed", "KB-DELETE-1", left.items().length, 0, left)

    trial.made(await addFiles(client, collection, file), 201)
    const agentId = (await makeAgent(trial, client, { knowledge_base: collection })).string("agent_id")
    check.refused("in-use", "KB-ROUTES-P3", await client.delete(`${bases}/${collection}`), 1201)
    trial.made(await client.patch(`/v2/agents/${agentId}`, { knowledge_base: null }), 200)
    const gone = await client.delete(`${bases}/${collection}`)
    check.status("base-deleted", "KB-ROUTES-P2", gone, 200)
    // That a base can be deleted is a reading; the result of a deletion is not.
    const deletion = [...(gone.succeeded ? ["KB-DELETED-2"] : []), "KB-ROUTES-P2"]
    check.equal("uploads", deletion, gone.at("uploads_removed"), 1, gone)
    check.refused("base-gone", "KB-ROUTES-P2", await client.get(documents), 1200)
  },
}

const foreign: Case = {
  id: "knowledge/delete/foreign",
  title: "A knowledge base of another organization cannot be told from one that never was",
  clauses: ["KB-DELETE-4", "KB-ERROR-1", "TENANCY-2", "KB-ROUTES-P4", "KB-SCOPE-1", "KB-SCOPE-2"],
  requires: ["fixtures"],
  run: async (trial) => {
    const { check } = trial
    const a = await trial.organization({ keys: [{}, { scopes: [] }] })
    const b = await trial.organization()
    const { collection } = await makeBase(trial, a.client, { name: "a.pdf", bytes: pdf("Parking is free") })
    const list = await a.client.get(`${bases}/${collection}/documents`)
    const id = String(list.at("data.0.document_id"))
    const asks: ReadonlyArray<readonly [name: string, method: string, path: string]> = [
      ["documents", "GET", "/documents"],
      ["delete-document", "DELETE", `/documents/${id}`],
    ]
    for (const [name, method, path] of asks) {
      const theirs = await b.client.send(method, `${bases}/${collection}${path}`)
      const nobodys = await b.client.send(method, `${bases}/never-was${path}`)
      check.refused(`${name}-foreign`, ["KB-DELETE-4", "TENANCY-2"], theirs, 1200)
      check.equal(`${name}-same-bytes`, "TENANCY-2", theirs.text, nobodys.text, theirs)
    }
    const parts = uploadForm({}, [{ name: "a.pdf", bytes: pdf("Mine now") }])
    check.refused(
      "upload-foreign",
      ["KB-ERROR-1", "TENANCY-2"],
      await b.client.send("POST", `${bases}/${collection}/documents`, parts),
      1200,
    )
    const own = await createBase(b.client, collection, { name: "a.pdf", bytes: pdf("Parking is free") })
    // A name may be unavailable because another organization has it, which is said of no other id.
    check.status("same-name-elsewhere", "KB-ROUTES-P4", own, 201)
    const scopeless = a.clients[1]
    if (scopeless === undefined) return
    check.status("read-without-scopes", "KB-SCOPE-1", await scopeless.get(`${bases}/${collection}/documents`), 200)
    check.status(
      "write-without-scopes",
      "KB-SCOPE-2",
      await scopeless.delete(`${bases}/${collection}/documents/${id}`),
      200,
    )
  },
}

export const knowledgeDeleteCases: ReadonlyArray<Case> = [deleted, foreign]
