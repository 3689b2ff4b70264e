import { spawnSync } from "node:child_process"
import { join } from "node:path"

const compiler = join(import.meta.dirname, "../node_modules/typescript/bin/tsc")

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
  const { output, status } = spawnSync(process.execPath, [compiler, "-p", folder, "--singleThreaded"], {
    encoding: "utf8",
  })
  return { status, said: output.join("") }
}
