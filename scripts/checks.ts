// Runs every check of package.json: the scripts `lint`, `fmt:check` and `check:*`. One that passes says nothing but its name.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname } from "node:path"

const root = dirname(import.meta.dirname)
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(`${root}/package.json`, "utf8"),
)

const failed = Object.keys(scripts)
  .filter((name) => /^(lint|fmt:check|check:.+)$/.test(name))
  .filter((name) => {
    const start = performance.now()
    const { output, status } = spawnSync("npm", ["run", "--silent", name], {
      cwd: root,
      encoding: "utf8",
      shell: process.platform === "win32",
    })
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`${status === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`)
    if (status !== 0) console.log(output.join("").trimEnd())
    return status !== 0
  })

if (failed.length > 0) {
  console.log(`failed: ${failed.join(", ")}`)
  process.exitCode = 1
}
