// The last step before packages are published, in the release workflow alone: refuses a tag that is not their version, and enters the repository
// into each, which npm holds against the provenance. TAG is the tag, GITHUB_REPOSITORY the repository.
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { published } from "./packages/Published.ts"
import { releaseFaults } from "./packages/Release.ts"

const { GITHUB_REPOSITORY: repository, TAG: tag } = process.env
if (repository === undefined || tag === undefined) throw new Error("TAG and GITHUB_REPOSITORY have to be set.")
const packages = published()
const faults = releaseFaults(tag, packages)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)
for (const { folder } of packages) {
  const file = join(dirname(import.meta.dirname), folder, "package.json")
  const manifest: object = JSON.parse(readFileSync(file, "utf8"))
  const url = `git+https://github.com/${repository}.git`
  const entered = { ...manifest, repository: { type: "git", url, directory: folder } }
  writeFileSync(file, `${JSON.stringify(entered, null, 2)}\n`)
}
