import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "vitest"
import { published } from "../../scripts/packages/Published.ts"

const root = join(import.meta.dirname, "../..")

const pages = globSync(
  [
    "README.md",
    "{packages/*,simulator,conformance}/README.md",
    "docs/guides/*.md",
    "docs/site/*.md",
    "docs/examples/*/README.md",
  ],
  { cwd: root },
)

const place = "releases.md#until-the-first-release"

/** Whether a block for the shell takes a package of ours from npm. */
const takesOurs = (page: string): boolean =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].some(([, block = ""]) =>
    /\b(?:npx|npm install)\b.*@carillon\//.test(block),
  )

it("whoever takes a package from npm is told that it is not there yet, and nobody is once it is", () => {
  const isReleased = published().some(({ manifest }) => manifest.version !== "0.0.0")
  const takers = pages.filter((page) => takesOurs(readFileSync(join(root, page), "utf8")))
  assert.isAbove(takers.length, 10)
  const told = pages.filter((page) => readFileSync(join(root, page), "utf8").includes(place))
  assert.deepStrictEqual(told.toSorted(), isReleased ? [] : takers.toSorted())
})
