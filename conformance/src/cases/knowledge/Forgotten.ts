import type { Case } from "../../run/Case.ts"
import { isObject } from "../../http/Json.ts"
import { addFiles, bytesOf, makeBase, pdf } from "../../trial/Documents.ts"

/** A whole JPEG of one pixel. */
const jpeg = bytesOf(
  atob(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=",
  ),
)

const forgotten: Case = {
  id: "knowledge/forgotten",
  title: "What stood in a document is not found any more once it is deleted",
  clauses: ["KB-DELETE-1"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { collection } = await makeBase(trial, client, { name: "a.pdf", bytes: pdf("The lighthouse is closed.") })
    const documents = `/v2/knowledge-bases/${collection}/documents`
    const ask = () => client.post(`/v2/knowledge-bases/${collection}/query`, { query: "lighthouse" })
    const before = await ask()
    check.must(before.items().length > 0)
    const id = (await client.get(documents)).items().filter(isObject)[0]?.["document_id"]
    trial.made(await client.delete(`${documents}/${String(id)}`), 200)
    const after = await ask()
    check.equal("not-found", "KB-DELETE-1", after.items().length, 0, after)
  },
}

const pictures: Case = {
  id: "knowledge/pictures",
  title: "A JPEG is taken by either of its names",
  clauses: ["KB-ADD-6"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const { collection } = await makeBase(trial, client, { name: "a.pdf", bytes: pdf("A page.") })
    for (const name of ["one.jpg", "two.jpeg"]) {
      check.status(name, "KB-ADD-6", await addFiles(client, collection, { name, bytes: jpeg }), 201)
    }
  },
}

export const forgottenCases: ReadonlyArray<Case> = [forgotten, pictures]
