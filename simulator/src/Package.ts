import { readFileSync } from "node:fs"

/** Name and version of this package, as published. */
export const readPackage = (): { readonly name: string; readonly version: string } => {
  const { name, version }: { readonly name: string; readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  )
  return { name, version }
}
