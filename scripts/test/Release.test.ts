import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { type Published, published } from "../packages/Published.ts"
import { releaseFaults } from "../packages/Release.ts"

const root = dirname(dirname(import.meta.dirname))
const text = (path: string) => readFileSync(join(root, path), "utf8")

const one = (name: string, version: string, dependencies: Readonly<Record<string, string>> = {}): Published => ({
  folder: name,
  manifest: { name: `@carillon/${name}`, version, dependencies },
})

describe("a release", () => {
  it("has one version everywhere, which is its tag's", () => {
    const core = one("core", "0.1.0")
    const http = one("http", "0.1.0", { "@carillon/core": "0.1.0", effect: "4.1.0" })
    assert.deepStrictEqual(releaseFaults("v0.1.0", [core, http]), [])
    assert.lengthOf(releaseFaults("v0.2.0", [core, http]), 2)
    assert.lengthOf(releaseFaults("0.1.0", [core]), 1)
    assert.lengthOf(releaseFaults("v0.1.0", [core, one("http", "0.2.0")]), 1)
    assert.lengthOf(releaseFaults("v0.1.0", [core, one("http", "0.1.0", { "@carillon/core": "0.0.0" })]), 1)
  })

  it("is what the packages of this repository can become", () => {
    const packages = published()
    const [first] = packages
    assert.deepStrictEqual(releaseFaults(`v${first?.manifest.version}`, packages), [])
    const names = new Set(packages.map(({ manifest }) => manifest.name))
    const named = readdirSync(join(root, ".changeset"))
      .filter((file) => file.endsWith(".md"))
      .flatMap((file) => [...text(`.changeset/${file}`).matchAll(/^"(@carillon\/.+)": (\w+)$/gm)])
    for (const [line, name = "", bump = ""] of named) {
      assert.isTrue(names.has(name), line)
      // Before 1.0 nothing is major: what breaks is minor.
      assert.include(["minor", "patch"], bump, line)
    }
  })

  it("is published by a workflow that may do nothing else, of actions that are pinned", () => {
    for (const file of readdirSync(join(root, ".github/workflows"))) {
      const written = text(`.github/workflows/${file}`)
      assert.deepStrictEqual(parse(written).permissions, {})
      for (const [, used = ""] of written.matchAll(/uses: (\S+)/g)) assert.match(used, /@[0-9a-f]{40}$/)
    }
    const { publish } = parse(text(".github/workflows/release.yml")).jobs
    assert.deepStrictEqual(publish.permissions, { contents: "read", "id-token": "write" })
    const commands = publish.steps.flatMap(({ run }: { readonly run?: string }) => run ?? [])
    assert.isBelow(commands.indexOf("bash .ci/run < /dev/null"), commands.indexOf("npx changeset publish --no-git-tag"))
  })
})
