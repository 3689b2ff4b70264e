import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const sources = join(root, "packages", "core", "src")

it("names every module that commits", () => {
  const page = readFileSync(join(root, "docs", "internals", "what-commits-rest-on.md"), "utf8")
  const committing = globSync("**/*.ts", { cwd: sources }).filter(
    (file) =>
      !file.startsWith("testing") && /steps\.(run|commit|admit)\(/.test(readFileSync(join(sources, file), "utf8")),
  )
  expect(committing.length).toBeGreaterThan(15)
  const names = committing.map((file) => `\`${file.replace(/\.ts$/, "")}\``)
  expect(names.filter((name) => !page.includes(name))).toEqual([])
})
