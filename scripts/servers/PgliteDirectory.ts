import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"

/** A directory of an embedded PostgreSQL, which nobody has used yet. */
export interface PgliteDirectory {
  readonly directory: string
  readonly remove: () => void
}

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))

const version = (): string => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(join(dirname(entry), "../package.json"), "utf8"),
  )
  return manifest.version
}

/** What a database is before its first use: made once for each version, because to make it takes far longer than to copy it. */
const template = async (): Promise<string> => {
  const made = join(cache, `pglite-${version()}`)
  if (existsSync(made)) return made
  mkdirSync(cache, { recursive: true })
  const own = mkdtempSync(join(cache, "pglite-"))
  try {
    await (await PGlite.create(join(own, "data"))).close()
    renameSync(join(own, "data"), made)
  } catch (error) {
    // Another process made it meanwhile.
    if (!existsSync(made)) throw error
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
  return made
}

/** A new database in a directory of its own, without the seconds that PostgreSQL takes to make one from nothing. */
export const newPglite = async (): Promise<PgliteDirectory> => {
  const directory = mkdtempSync(join(tmpdir(), "carillon-pglite-"))
  cpSync(await template(), directory, { recursive: true })
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) }
}
