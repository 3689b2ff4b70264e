import { spawnSync } from "node:child_process"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "..")
const compiler = join(root, "node_modules/typescript/bin/tsc")

/** Where the compiler keeps what it knows of a project: the next run looks anew at what has changed since, by its content, and says the rest again. */
const knownOf = (folder: string): string =>
  join(root, "node_modules/.cache/compiled", `${relative(root, folder).replaceAll(/[^\w.-]+/g, "-")}.tsbuildinfo`)

/** What came of a compilation. */
export interface Compiled {
  /** 0 where nothing was found. */
  readonly status: number | null
  readonly said: string
}

/**
 * Compiles the project of a folder for a test. On one thread: several of them each learn the same types anew, for nearly three times the work, and other
 * tests want the other cores.
 */
export const compiled = (folder: string): Compiled => {
  const known = ["--incremental", "--tsBuildInfoFile", knownOf(folder)]
  const { output, status } = spawnSync(process.execPath, [compiler, "-p", folder, "--singleThreaded", ...known], {
    encoding: "utf8",
  })
  return { status, said: output.join("") }
}
