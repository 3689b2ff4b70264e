import { readFileSync } from "node:fs"
import { Carillon } from "@carillon/http"
import { assert, it } from "vitest"
import { erase } from "../examples/erasure.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

it("erases as the guide says", async () => {
  assert.include(text("guides/erasure.md"), text("examples/erasure.ts"))
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
    const report = await erase(carillon, organization.organization_id, "+12125550142")
    assert.deepStrictEqual(Object.keys(report), ["calls", "contacts", "events", "under_way", "elsewhere", "is_whole"])
  } finally {
    await carillon.close()
  }
})
