import { readFileSync } from "node:fs"
import { Carillon } from "@carillon/http"
import { assert, expect, it } from "vitest"
import { keepFor } from "../examples/retention.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

it("keeps for a time as the guide says", async () => {
  assert.include(text("guides/retention.md"), text("examples/retention.ts"))
  const carillon = await Carillon.inMemory({
    carrier: {
      dial: async () => ({ _tag: "Unknown" }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    },
    metrics: false,
  })
  try {
    const { organization } = await carillon.organizations.open({ name: "Acme" })
    const { organization_id } = organization
    assert.strictEqual((await keepFor(carillon, organization_id, 90)).retention_days, 90)
    assert.isNull((await keepFor(carillon, organization_id, null)).retention_days)
    await expect(keepFor(carillon, organization_id, 1)).rejects.toMatchObject({ _tag: "InvalidField" })
  } finally {
    await carillon.close()
  }
})
