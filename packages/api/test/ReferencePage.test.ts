import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { openApiDocument } from "../src/OpenApi.ts"
import { referencePage } from "../src/ReferencePage.ts"

describe("the reference page", () => {
  it("carries the document and its script, and loads nothing from elsewhere", async () => {
    const document = openApiDocument({ servers: [{ url: "https://calls.example" }] })
    const page = await Effect.runPromise(referencePage(document))
    assert.isTrue(page.startsWith("<!doctype html>"))
    assert.include(page, JSON.stringify(document.servers))
    for (const path of Object.keys(document.paths)) assert.include(page, JSON.stringify(path))
    assert.isFalse(
      /<(?:script|link|img|iframe)[^>]*\s(?:src|href)=/i.test(page.replace(/<script>[\s\S]*?<\/script>/g, "")),
    )
  })
})
