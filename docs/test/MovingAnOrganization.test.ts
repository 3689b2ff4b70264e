import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Carillon } from "@carillon/http"
import { assert, it } from "vitest"
import { exportTo, importFrom } from "../examples/moving-an-organization.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const installation = () =>
  Carillon.inMemory({
    carrier: {
      dial: async () => ({ _tag: "Unknown" }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    },
    metrics: false,
  })

it("moves an organization as the guide says", async () => {
  assert.include(text("guides/moving-an-organization.md"), text("examples/moving-an-organization.ts"))
  const [from, to] = [await installation(), await installation()]
  const folder = mkdtempSync(join(tmpdir(), "carillon-moving-"))
  try {
    const file = join(folder, "acme.jsonl")
    const { organization } = await from.organizations.open({ name: "Acme", phone_numbers: ["+12125550100"] })
    const { sha256 } = await exportTo(from, organization.organization_id, file)
    const report = await importFrom(to, file)
    assert.deepInclude(report, { organization_id: organization.organization_id, sha256, pieces_before: 0 })
    assert.deepStrictEqual(await to.organizations.find(organization.organization_id), organization)
    const { key } = await to.organizations.giveKey(organization.organization_id, "Second")
    assert.isNotEmpty(key)
  } finally {
    rmSync(folder, { recursive: true })
    await Promise.all([from.close(), to.close()])
  }
})
