import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type LockedPackages, mayLackIntegrity, missingFrom, unvouched } from "../lockfile/Lockfile.ts"

const integrity = "sha512-of-the-tarball"

const packages: LockedPackages = {
  "": { version: "1.0.0" },
  "packages/api": { version: "0.0.0" },
  "node_modules/@carillon/api": { link: true },
  "node_modules/effect": { version: "4.1.0", integrity },
  "node_modules/oxfmt": {
    version: "0.78.0",
    dev: true,
    integrity,
    optionalDependencies: { "@oxfmt/binding-linux-x64-gnu": "0.78.0", "@oxfmt/binding-darwin-arm64": "0.78.0" },
  },
  "node_modules/@oxfmt/binding-linux-x64-gnu": { version: "0.78.0", dev: true, optional: true, integrity },
}

/** The places that a lockfile with one package more or changed is refused for. */
const refused = (changes: LockedPackages) =>
  unvouched({ ...packages, ...changes })
    .filter((entry) => !mayLackIntegrity(entry))
    .map(([place]) => place)

describe("a lockfile", () => {
  it("has every optional package that some package names, with the platform that it is for", () => {
    const place = "node_modules/@oxfmt/binding-darwin-arm64"
    const entry = { version: "0.78.0", dev: true, optional: true, cpu: ["arm64"], os: ["darwin"] }
    assert.deepStrictEqual(missingFrom(packages), [[place, entry]])
    assert.deepStrictEqual(missingFrom({ ...packages, [place]: entry }), [])
  })

  it("vouches for every package; links and folders of the workspace have nothing to vouch for", () => {
    assert.deepStrictEqual(refused({}), [])
    assert.deepStrictEqual(refused({ "node_modules/effect": { version: "4.1.0" } }), ["node_modules/effect"])
    const nested = "packages/api/node_modules/effect"
    assert.deepStrictEqual(refused({ [nested]: { version: "4.0.0" } }), [nested])
  })

  it("may lack an integrity only where the package is optional, for a platform, and of a tool that is named", () => {
    const place = "node_modules/@oxfmt/binding-darwin-arm64"
    const entry = { version: "0.78.0", optional: true, os: ["darwin"], cpu: ["arm64"] }
    assert.deepStrictEqual(refused({ [place]: entry }), [])
    assert.deepStrictEqual(refused({ [place]: { ...entry, optional: false } }), [place])
    assert.deepStrictEqual(refused({ [place]: { version: "0.78.0", optional: true } }), [place])
    const other = "node_modules/@other/binding-darwin-arm64"
    assert.deepStrictEqual(refused({ [other]: entry }), [other])
  })
})

describe("the pinned Node", () => {
  const { optionalDependencies }: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
  )
  const versions = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"))

  it("is one on Linux and Windows, and of the same line on macOS, where npm does not have that one", () => {
    const exact = versions.filter(([name]) => !name.includes("darwin")).map(([, version]) => version)
    assert.lengthOf(exact, 3)
    assert.lengthOf([...new Set(exact)], 1)
    assert.lengthOf([...new Set(versions.map(([, version]) => version.split(".")[0]))], 1)
  })
})
