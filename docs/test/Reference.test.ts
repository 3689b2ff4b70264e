import { readFileSync } from "node:fs"
import { assert, it } from "vitest"
import { errorsPage } from "../../scripts/pages/ErrorsPage.ts"
import { metricsPage } from "../../scripts/pages/MetricsPage.ts"

it("the page of error codes says what the code says: run `npm run node -- scripts/pages.ts` where it does not", () => {
  assert.strictEqual(readFileSync(new URL("../reference/errors.md", import.meta.url), "utf8"), errorsPage())
})

it("the page of metrics says what the code says: run `npm run node -- scripts/pages.ts` where it does not", () => {
  assert.strictEqual(readFileSync(new URL("../reference/metrics.md", import.meta.url), "utf8"), metricsPage())
})
