import type { Case } from "../../run/Case.ts"
import { addFiles, makeBase, pdf, uploadForm } from "../../trial/Documents.ts"

const limits: Case = {
  id: "knowledge/upload/limits",
  title: "Ten files are taken and eleven are not; a body that does not say how long it is is refused",
  clauses: ["KB-ADD-3", "KB-ADD-8", "KB-ERROR-3", "CONSTANT-14"],
  requires: ["http"],
  run: async (trial) => {
    const { check } = trial
    const { client } = await trial.tenant()
    const file = (nth: number) => ({ name: `page-${nth}.pdf`, bytes: pdf(`Page ${nth}`) })
    const { collection } = await makeBase(trial, client, file(0))
    const many = (count: number) => Array.from({ length: count }, (_, nth) => file(nth))
    const ten = await addFiles(client, collection, ...many(10))
    check.status("ten-files", ["KB-ADD-3", "CONSTANT-14"], ten, 201)
    check.equal("ten-accepted", "KB-ADD-3", ten.items("files_accepted").length, 10, ten)
    check.rejected("eleven-files", ["KB-ADD-3", "CONSTANT-14"], await addFiles(client, collection, ...many(11)))
    const { headers, raw } = uploadForm({}, [file(1)])
    const { "content-length": _length, ...chunked } = headers
    const path = `/v2/knowledge-bases/${collection}/documents`
    const unmeasured = await client.send("POST", path, { headers: chunked, raw, chunked: true })
    check.refused("no-length", ["KB-ADD-8", "KB-ERROR-3"], unmeasured, 1000, 411)
  },
}

/** Cases of the limits of uploads. */
export const uploadLimitCases: ReadonlyArray<Case> = [limits]
