import { globSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"

const src = new URL("../src/", import.meta.url)

/**
 * Statements that read fields of a document. Customers name keys and write texts at which every operator of `json` fails, so each of them says
 * here why it may.
 */
const reasons: Readonly<Record<string, string>> = {
  "reads/Usage.ts": "leaves out what is opaque (`isOpaque`), and takes those rows whole",
  "queries/NextContact.ts": "a contact's own document has nothing that a customer wrote: that is its entry",
}

it("no statement reads into a document without a reason", () => {
  const found = globSync("**/*.ts", { cwd: src.pathname }).filter((file) =>
    /\b(?:row|contact|entry|document)\s*#?->|json_\w+\((?:\w+\.)?(?:row|contact|entry|document)\b/.test(
      readFileSync(new URL(file, src), "utf8"),
    ),
  )
  expect(found.toSorted()).toEqual(Object.keys(reasons).toSorted())
})
