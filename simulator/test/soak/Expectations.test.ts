import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { relapses, untold } from "../../soak/Relapses.ts"

const packages = join(import.meta.dirname, "../../../packages")
const page = readFileSync(join(import.meta.dirname, "../../../docs/internals/interleavings.md"), "utf8")

/** What carries out what is expected, in memory or in a commit, and what only tests. */
const plumbing = /^core\/src\/(?:audit|engine|memory|testing)\//

/** The texts by which a commit comes to rest on something, or lets others see it. */
const expectation = new RegExp(
  [
    /(?<!const )\bagentAsRead\b(?= *[(\])])/,
    /(?<!const )\bstillRegistered\(/,
    /(?<!put: "removal", organization_id, )\bkind: "[a-z_]+"(?: as const)?, id: [^}\n]*\brevision\b(?!.*satisfies Expectation)/,
    /\bguard: \w+\([^)\n]*\), version\b/,
    /\bput: "guard"/,
    /\bfree: \{/,
    /\bexpect: (?:of\.)?standing\b/,
    /\bexpect,\s+changes\b/,
    /\bexpect: \[own\]/,
    /\bnamed\.expect\b/,
    /\bjoined\([^\n]* (?:named|parts)\)/,
    /\bput\("call", call, call\)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
)

/** Where a text stands in a source, from its first character to after its last. */
const spanOf = (source: string, text: string): readonly [from: number, to: number] => {
  const from = source.indexOf(text)
  return [from, from + text.length]
}

const takenBack = relapses.flatMap(({ besides, file, instead }) => [
  { file, text: instead },
  ...(besides === undefined ? [] : [{ file, text: besides.instead }]),
])

const held = [...takenBack, ...untold]

test("whatever a commit rests on has a relapse, or a reason why none is found", () => {
  const unheld: Array<string> = []
  let count = 0
  for (const file of globSync("core/src/**/*.ts", { cwd: packages })) {
    if (plumbing.test(file)) continue
    const source = readFileSync(join(packages, file), "utf8")
    const spans = held.filter((one) => one.file === file).map(({ text }) => spanOf(source, text))
    for (const { 0: text, index } of source.matchAll(expectation)) {
      const isImport = source.slice(source.lastIndexOf("\n", index) + 1, index).startsWith("import ")
      if (isImport) continue
      count += 1
      if (spans.some(([from, to]) => from <= index && index + text.length <= to)) continue
      unheld.push(`${file}:${source.slice(0, index).split("\n").length} ${text}`)
    }
  }
  expect(unheld).toEqual([])
  // Nothing is shown where nothing is found.
  expect(count).toBeGreaterThan(30)
})

test.each(untold)("$name: stands in the source once, and the page says why nobody can tell", ({ file, name, text }) => {
  expect(readFileSync(join(packages, file), "utf8").split(text)).toHaveLength(2)
  expect(page).toContain(`| ${name} |`)
})
