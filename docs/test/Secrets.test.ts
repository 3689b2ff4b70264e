import { readFileSync } from "node:fs"
import { Carillon } from "@carillon/http"
import { assert, it } from "vitest"
import { reseal, secretsOf } from "../examples/secrets.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

it("seals and seals anew as the guide says", async () => {
  assert.include(text("guides/secrets.md"), text("examples/secrets.ts"))
  const carillon = await Carillon.inMemory({
    carrier: {
      dial: async () => ({ _tag: "Unknown" }),
      hangup: async () => "Sent",
      find: async () => ({ _tag: "NoAnswer" }),
    },
    secrets: secretsOf(`2026-11=${Buffer.alloc(32, 1).toString("base64")}`),
    metrics: false,
  })
  try {
    const { organization } = await carillon.organizations.open({ name: "Acme", webhook_secret: "whsec_planted" })
    assert.match(organization.webhook_secret ?? "", /^carillon-sealed:2026-11:/)
    assert.deepStrictEqual(await reseal(carillon), { secrets: 1, resealed: 0, unreadable: 0 })
  } finally {
    await carillon.close()
  }
})
