// The tiers of core, and who may import whom. What tier a module is in follows from its path alone (decision 90).
import { posix } from "node:path"
import { specifiersOf, valuesFrom } from "./Imports.ts"

/** From below: a module imports its own tier and those below it. */
const order = ["rules", "ports", "steps", "services"] as const

type Tier = (typeof order)[number]

/**
 * What lies beside the tiers. `entry` is what other packages import, `memory` implements the ports, `carrier` is what adapters of carriers share,
 * `testing` is for tests.
 */
const beside = ["entry", "memory", "carrier", "testing"] as const

type Place = Tier | (typeof beside)[number]

/** Where nothing is said of a folder it is a noun: its tiers are folders in it, and what lies outside of them are its services. */
const whole: Readonly<Record<string, Place>> = {
  time: "rules",
  phone: "rules",
  domain: "entry",
  ports: "entry",
  memory: "memory",
  carrier: "carrier",
  testing: "testing",
}

/** The modules at the root. The collections are all that the engine knows of nouns; no other module that it may import imports one. */
const collections: Readonly<Record<string, Tier>> = {
  "Changes.ts": "rules",
  "Errands.ts": "rules",
  "Rows.ts": "rules",
  "Ports.ts": "ports",
  "Sources.ts": "ports",
}
const atRoot: Readonly<Record<string, Place>> = {
  ...collections,
  "CallLimits.ts": "rules",
  "Counted.ts": "rules",
  "Errors.ts": "rules",
  "GrowingBytes.ts": "rules",
  "HostWords.ts": "rules",
  "Json.ts": "rules",
  "Limits.ts": "rules",
  "Measure.ts": "rules",
  "Pagination.ts": "rules",
  "Pipelines.ts": "rules",
  "SentFile.ts": "rules",
  "WebUrl.ts": "rules",
  "Engine.ts": "services",
  "HostIds.ts": "services",
  "index.ts": "entry",
}

const may: Readonly<Record<Place, ReadonlySet<Place>>> = {
  rules: new Set<Place>(["rules"]),
  ports: new Set<Place>(["rules", "ports"]),
  steps: new Set<Place>(["rules", "ports", "steps"]),
  services: new Set<Place>(order),
  entry: new Set<Place>(order),
  memory: new Set<Place>(["rules", "ports", "memory"]),
  carrier: new Set<Place>([...order, "carrier"]),
  testing: new Set<Place>([...order, ...beside]),
}

/** Of Effect: what makes or asks for services, which a rule does not. Nobody sees what is used of all of it at once. */
const ofServices = new Set(["Context", "Layer", "Clock", "Semaphore", "*"])

const isTier = (name: string): name is Tier => order.some((tier) => tier === name)

/** The place of a module, by its path in `src`; null for one at the root of which nothing is said. */
export const placeOf = (path: string): Place | null => {
  const folders = path.split("/").slice(0, -1)
  const [first] = folders
  if (first === undefined) return atRoot[path] ?? null
  return whole[first] ?? folders.findLast(isTier) ?? "services"
}

/** Whether everything may be built on a module that knows no noun. */
const isBasic = (place: Place | null): boolean => place === "rules" || place === "ports"

const folderOf = (path: string): string | null => (path.includes("/") ? (path.split("/")[0] ?? null) : null)

/** Whether the engine, and the modules at the root that it is made of, may import a module: none of a noun. */
const isNounless = (path: string): boolean => {
  const folder = folderOf(path)
  return folder === null ? isBasic(placeOf(path)) : folder === "engine" || whole[folder] === "rules"
}

/** Whether a module may import no noun. */
const knowsNoNoun = (path: string): boolean => {
  const folder = folderOf(path)
  if (folder === null) return !(path in collections) && isBasic(placeOf(path))
  return folder === "engine" || whole[folder] === "rules"
}

/** What is wrong with the imports of core, by the texts of its modules and their paths in `src`. */
export const tierProblems = (sources: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(sources).flatMap(([path, source]) => {
    const place = placeOf(path)
    if (place === null) return [`${path}: scripts/dependencies/Tiers.ts does not say its tier`]
    const services = place === "rules" ? valuesFrom(path, source, "effect").filter((name) => ofServices.has(name)) : []
    const imported = specifiersOf(path, source)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => posix.join(posix.dirname(path), specifier))
    return [
      ...services.map((name) => `${path}: a rule has no service, and imports ${name}`),
      ...imported.flatMap((target) => {
        const where = placeOf(target)
        // One that is not there, or of which nothing is said, is named elsewhere.
        if (where !== null && !may[place].has(where)) return [`${path}: ${place} must not import ${where} (${target})`]
        if (knowsNoNoun(path) && !isNounless(target)) return [`${path}: must not import a noun (${target})`]
        return []
      }),
    ]
  })
