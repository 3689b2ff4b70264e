import { registerHooks, stripTypeScriptTypes } from "node:module"
import type { Interleavings } from "@carillon/core/testing"
import { type Plant, planted } from "./Plants.ts"

/** The explorer of interleavings, and the engine that it explores. */
type Explorer = typeof Interleavings

/** Where the explorer's source stands, by the name under which it is imported. */
const entry = import.meta.resolve("@carillon/core/testing")
const sources = entry.slice(0, entry.lastIndexOf("/testing/") + 1)

/** Ends the address of each module of an engine with a bug in it: it is loaded anew, beside the sound one. */
const mark = /\?planted=(\d+)$/

const engines: Array<ReadonlyArray<Plant>> = []
const stripped = new Map<string, string>()
let isHooked = false

/** The source of a module with the bugs in it that are for its file. */
const sourceWith = (url: string, source: string, plants: ReadonlyArray<Plant>): string =>
  plants.filter(({ file }) => url.endsWith(file)).reduce(planted, source)

const hook = (): void => {
  if (isHooked) return
  isHooked = true
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context)
      const of = mark.exec(context.parentURL ?? "")?.[0] ?? ""
      return resolved.url.startsWith(sources) && !mark.test(resolved.url)
        ? { ...resolved, url: resolved.url + of }
        : resolved
    },
    load: (url, context, nextLoad) => {
      const nth = mark.exec(url)?.[1]
      if (nth === undefined) return nextLoad(url, context)
      const file = url.replace(mark, "")
      const plants = (engines[Number(nth)] ?? []).filter((plant) => file.endsWith(plant.file))
      const known = plants.length === 0 ? stripped.get(file) : undefined
      if (known !== undefined) return { format: "module", source: known, shortCircuit: true }
      const { source = "" } = nextLoad(url, context)
      const text = typeof source === "string" ? source : new TextDecoder().decode(source)
      const plain = stripTypeScriptTypes(sourceWith(file, text, plants))
      if (plants.length === 0) stripped.set(file, plain)
      return { format: "module", source: plain, shortCircuit: true }
    },
  })
}

/** The explorer on an engine that has these bugs in it. It stays in memory as long as the process. */
export const explorerWith = async (...plants: ReadonlyArray<Plant>): Promise<Explorer> => {
  hook()
  const nth = engines.push(plants) - 1
  const module: { readonly Interleavings: Explorer } = await import(`${entry}?planted=${nth}`)
  return module.Interleavings
}
