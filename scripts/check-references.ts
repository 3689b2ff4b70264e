// Holds what is published to what is published: each citation in sources, and so in the typings that are made of them, and in the
// documentation names a title of the specification or of the readings that exists; each decision and page that is named is there; and each
// link between files leads to a file and to a place in it.
import { globSync, readFileSync } from "node:fs"
import { dirname, sep } from "node:path"
import { brokenReferences } from "./references/References.ts"

/** What packages are made of, and every page. Quotes are held to their document by a test of their own. */
const sources = ["packages/*/src/**/*.{ts,js}", "{simulator,conformance}/src/**/*.{ts,js}", "simulator/soak/**/*.ts"]
const isQuote = (path: string): boolean => path.startsWith("conformance/src/clauses/decisions/")
const isMade = (path: string): boolean => /(^|\/)(node_modules|dist|\.git|\.changeset)(\/|$)/.test(path)

process.chdir(dirname(import.meta.dirname))

const found = (patterns: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync([patterns].flat(), { exclude: isMade }).map((path) => path.split(sep).join("/"))

const paths = new Set(found(["**/*", "**/.*", ".*/**/*"]))
const pages = new Map(
  [...paths].filter((path) => path.endsWith(".md")).map((path) => [path, readFileSync(path, "utf8")]),
)
const texts = [
  ...found(sources)
    .filter((path) => !isQuote(path))
    .map((path) => ({ path, content: readFileSync(path, "utf8") })),
  ...[...pages].map(([path, content]) => ({ path, content })),
]
const broken = texts.flatMap((text) => brokenReferences(text, { paths, pages }))
for (const problem of broken) console.error(problem)
process.exitCode = broken.length === 0 ? 0 : 1
