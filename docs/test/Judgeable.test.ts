import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { controlDocument } from "@carillon/simulator"
import { assert, describe, it } from "vitest"
import { cases } from "../../conformance/src/cases/Cases.ts"
import { Control } from "../../conformance/src/control/Control.ts"
import { makeOrganization } from "../../conformance/src/control/Fixtures.ts"
import { type Transport, Wire } from "../../conformance/src/http/Wire.ts"
import { levelOf, readCapabilities } from "../../conformance/src/run/Capabilities.ts"

const guide = readFileSync(new URL("../guides/judgeable.md", import.meta.url), "utf8")

const transport: Transport = { fetch, secrets: new Set(), timeoutMs: 10_000, sleep: async () => {} }

/** The rows of the table of levels: level, capability, routes. */
const rows = [...guide.matchAll(/^\| L(\d) \| `(\w+)` \| (.*?) \|/gm)].map(([, level, capability, routes = ""]) => ({
  level: Number(level),
  capability,
  routes: [...routes.matchAll(/`([A-Z]+) ([^`]+)`/g)].map(([, method = "", path = ""]) => ({ method, path })),
}))

const operationOf = (method: string, path: string): unknown => controlDocument.paths[path]?.[method.toLowerCase()]

/** As the declaration calls it: fixtures are promised by `organizations`. */
const declaredAs = (capability: string): string =>
  capability === "fixtures" ? "organizations" : capability.replace(/:.*/, "")

/** What a run brings along, or everybody has. */
const ofTheRun: ReadonlySet<string> = new Set(["http", "recipient"])

describe("the guide for those who want to be judged", () => {
  it("has a row for each capability that a case needs, with its level", () => {
    const needed = new Set(cases.flatMap(({ requires }) => requires).filter((one) => !ofTheRun.has(one)))
    const expected = new Map([...needed].map((one) => [declaredAs(one), levelOf([one])]))
    assert.deepEqual(new Map(rows.map(({ capability = "", level }) => [capability, level])), expected)
  })

  it("names for each capability routes that the document promises with it", () => {
    for (const { capability, routes } of rows) {
      for (const { method, path } of routes) {
        assert.propertyVal(operationOf(method, path), "x-capability", capability, `${method} ${path}`)
      }
    }
  })

  it("names no route that there is not", () => {
    const named = [...guide.matchAll(/(GET|PUT|POST|PATCH|DELETE) (\/_sim[\w/{}.]*)/g)]
    assert.isAbove(named.length, 15)
    for (const [, method = "", path = ""] of named) assert.isObject(operationOf(method, path), `${method} ${path}`)
  })

  it("shows the adapter that is run here, and it makes organizations by the command", async () => {
    const example = new URL("../examples/adapter.ts", import.meta.url)
    assert.include(guide, readFileSync(example, "utf8"))
    const made = { organization_id: "org_1", phone_numbers: [], keys: [{ key: "gat_1", key_id: "key_1", scopes: [] }] }
    const folder = mkdtempSync(join(tmpdir(), "adapter-"))
    const command = join(folder, "make.sh")
    writeFileSync(command, `#!/bin/sh\n[ "$1" = '{"keys":[{"scopes":[]}]}' ] && echo '${JSON.stringify(made)}'\n`)
    chmodSync(command, 0o755)
    process.env["MAKE_ORGANIZATION"] = command
    process.env["PORT"] = "0"
    const { adapter } = await import("../examples/adapter.ts")
    try {
      if (!adapter.listening) await once(adapter, "listening")
      const address = adapter.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      const control = new Control(new Wire(transport), url, undefined)
      const fixture = { keys: [{ scopes: [] }] }
      assert.deepEqual(await makeOrganization(control, fixture), {
        organizationId: "org_1",
        phoneNumbers: [],
        keys: [{ key: "gat_1", keyId: "key_1" }],
      })
      const { json } = await control.send("GET", "/capabilities")
      assert.deepEqual(readCapabilities(json), new Set(["http", "fixtures"]))
      assert.strictEqual((await control.send("PUT", "/clock", {})).status, 404)
    } finally {
      adapter.close()
      rmSync(folder, { recursive: true })
    }
  })
})
