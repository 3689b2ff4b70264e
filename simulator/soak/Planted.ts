import { type LoadHookSync, registerHooks, type ResolveHookSync, stripTypeScriptTypes } from "node:module"
import type { Interleavings } from "@carillon/core/testing"
import { type Plant, planted } from "./Plants.ts"

/** The explorer of interleavings, and the engine that it explores. */
type Explorer = typeof Interleavings

/** Where the explorer's source stands, by the name under which it is imported. */
const entry = import.meta.resolve("@carillon/core/testing")
const sources = entry.slice(0, entry.lastIndexOf("/testing/") + 1)

/** Ends the address of each module of an engine that is loaded here; the engine without a bug is the first. */
const marked = (url: string, nth: number): string => `${url}?planted=${nth}`
const mark = /\?planted=(\d+)$/
const sound = 0

type Resolved = ReturnType<ResolveHookSync>

/** An engine with bugs in it, and which modules it has for itself: all others it shares with the sound one. */
interface Engine {
  readonly plants: ReadonlyArray<Plant>
  readonly own: ReadonlySet<string>
}

const engines: Array<Engine> = []

/** The sources without a bug, as JavaScript: those of the sound engine, and of others that only import what has one. */
const stripped = new Map<string, string>()

/** What each module imports, by the name that it has for it: as seen while the sound engine was loaded. */
const imports = new Map<string, Map<string, Resolved>>()

const importsOf = (url: string): Map<string, Resolved> => {
  const known = imports.get(url) ?? new Map<string, Resolved>()
  imports.set(url, known)
  return known
}

/** The modules that have bugs in them, and whatever imports one of these. */
const ownModules = (plants: ReadonlyArray<Plant>): ReadonlySet<string> => {
  const own = new Set([...imports.keys()].filter((url) => plants.some(({ file }) => url.endsWith(file))))
  // A set that grows meanwhile is walked to its new end.
  for (const module of own) {
    for (const [url, imported] of imports) {
      if ([...imported.values()].some((one) => one.url === module)) own.add(url)
    }
  }
  return own
}

const resolve: ResolveHookSync = (specifier, context, nextResolve) => {
  const { parentURL = "" } = context
  const nth = mark.exec(parentURL)?.[1]
  if (nth === undefined) return nextResolve(specifier, context)
  const known = importsOf(parentURL.replace(mark, ""))
  const resolved = known.get(specifier) ?? nextResolve(specifier, context)
  known.set(specifier, resolved)
  const { url } = resolved
  const isOwn = engines[Number(nth)]?.own.has(url) === true
  return {
    ...resolved,
    url: url.startsWith(sources) ? marked(url, isOwn ? Number(nth) : sound) : url,
    shortCircuit: true,
  }
}

const load: LoadHookSync = (url, context, nextLoad) => {
  const nth = mark.exec(url)?.[1]
  if (nth === undefined) return nextLoad(url, context)
  const file = url.replace(mark, "")
  importsOf(file)
  const plants = (engines[Number(nth)]?.plants ?? []).filter((plant) => file.endsWith(plant.file))
  const known = plants.length === 0 ? stripped.get(file) : undefined
  if (known !== undefined) return { format: "module", source: known, shortCircuit: true }
  const { source = "" } = nextLoad(url, context)
  const text = typeof source === "string" ? source : new TextDecoder().decode(source)
  const plain = stripTypeScriptTypes(plants.reduce(planted, text))
  if (plants.length === 0) stripped.set(file, plain)
  return { format: "module", source: plain, shortCircuit: true }
}

const loaded = async (plants: ReadonlyArray<Plant>): Promise<Explorer> => {
  const nth = engines.push({ plants, own: ownModules(plants) }) - 1
  const module: { readonly Interleavings: Explorer } = await import(marked(entry, nth))
  return module.Interleavings
}

/** The explorer on an engine that has these bugs in it. It stays in memory as long as the process. */
export const explorerWith = async (...plants: ReadonlyArray<Plant>): Promise<Explorer> => {
  if (engines.length === sound) {
    registerHooks({ resolve, load })
    await loaded([])
  }
  return await loaded(plants)
}
