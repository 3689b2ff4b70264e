import { chmodSync, globSync } from "node:fs"
import { join } from "node:path"
import { installOwn } from "./OwnPackages.ts"

/** A runtime that is not Node. */
export interface Runtime {
  readonly name: "Bun" | "Deno"
  readonly command: string
  /** What stands before the name of a file of the sources. Deno may reach the network and read variables, and nothing else. */
  readonly args: ReadonlyArray<string>
}

const folder = join(import.meta.dirname, "runtimes")
const source = "--conditions=@carillon/source"

/** Bun and Deno as the lockfile of their folder has them: each is a package with a binary for every platform. A sentence says why they cannot be had. */
export const runtimes = (): ReadonlyArray<Runtime> | string => {
  const missing = installOwn(folder)
  if (missing !== null) return missing
  const [bun] = globSync("node_modules/@oven/bun-*/bin/bun*", { cwd: folder })
  const [deno] = globSync("node_modules/@deno/*/deno*", { cwd: folder })
  if (bun === undefined || deno === undefined) {
    return `npm has no Bun or no Deno for ${process.platform} ${process.arch}`
  }
  const found: ReadonlyArray<Runtime> = [
    { name: "Bun", command: join(folder, bun), args: [source] },
    { name: "Deno", command: join(folder, deno), args: ["run", "--no-prompt", "--allow-net", "--allow-env", source] },
  ]
  for (const { command } of found) chmodSync(command, 0o755)
  return found
}
