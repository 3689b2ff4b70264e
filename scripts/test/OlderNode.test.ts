import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../..")

/** Loaded before the program, which is told that it runs on an older Node. */
const older =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.9.0"}})'

test.for([
  ["carillon-simulator", "simulator/src/main.ts", "--port=0"],
  ["carillon-conformance", "conformance/src/main.ts", "--help"],
] as const)("%s says which Node it needs where an older one runs it", ([name, file, flag]) => {
  const args = ["--conditions=@carillon/source", "--import", older, join(root, file), flag]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 30_000 })
  expect({ status, stderr, stdout }).toEqual({
    status: 1,
    stderr: `${name}: this needs Node 22.19 or newer, and this is Node 20.9.0.\n`,
    stdout: "",
  })
})
