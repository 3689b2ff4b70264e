import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import axe from "axe-core"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { findBrowser } from "../../../scripts/browser.ts"
import { clauses } from "../../src/clauses/Clauses.ts"
import { render } from "../../src/report/Format.ts"
import { matrixHtml } from "../../src/report/Matrix.ts"
import { readPast } from "../../src/report/Past.ts"
import type { Report } from "../../src/run/Report.ts"
import { everyVerdict } from "./Sample.ts"

const executablePath = findBrowser()

// A run without a browser says so in its last lines (scripts/NotTested.ts).
if (executablePath === null) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run them in
  test.skip("cannot be run: the reports in a browser (there is no Chromium here; `npm run browser` installs one)", () => {})
}

/** What a hostile server might write into a report; the browser must show it and do nothing of it. */
const hostile = `</pre><script>document.title = "taken"</script><img src=x onerror="document.title='taken'">`

const sample = everyVerdict()

const report: Report = {
  ...sample,
  cases: sample.cases.map((each) => (each.verdict === "error" ? { ...each, reason: hostile } : each)),
}

const matrixOf = (...reports: ReadonlyArray<Report>): string =>
  matrixHtml(
    reports.flatMap((each, index) => readPast(`run-${index}.json`, render(each, "json")) ?? []),
    clauses,
  )

const pages = {
  html: render(report, "html"),
  coverage: render(report, "coverage"),
  matrix: matrixOf(report, { ...report, clauseStates: { "ME-1": "held" } }),
} as const

describe.skipIf(executablePath === null)("the reports in a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "reports-"))
  const complaints: Array<string> = []
  let browser: Browser
  let page: Page

  const fileOf = (name: keyof typeof pages): string => pathToFileURL(join(folder, `${name}.html`)).href

  beforeAll(async () => {
    for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), text)
    browser = await chromium.launch({ executablePath: executablePath ?? "" })
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light" })
    page.setDefaultTimeout(15_000)
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(error.message))
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) complaints.push(request.url())
    })
  })

  beforeEach(async () => {
    await page.emulateMedia({ colorScheme: "light" })
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto("about:blank")
  })

  afterAll(async () => {
    await browser.close()
    rmSync(folder, { recursive: true })
  })

  const shown = async (): Promise<ReadonlyArray<string>> =>
    page.locator("details.case:visible > summary > code").allTextContents()

  test("say on the first screen how it ended, how far it came and why, and do nothing that a server wrote", async () => {
    await page.goto(fileOf("html"))
    for (const text of ["no level reached", "not judged", "Fields: `organization_id` (string)", "curl -i"]) {
      const box = await page.getByText(text).first().boundingBox()
      expect([text, (box?.y ?? Infinity) + (box?.height ?? 0) < 900]).toEqual([text, true])
    }
    expect(await page.title()).toContain("Conformance: ")
    expect(complaints).toEqual([])
  })

  test("find cases by their words, together with the filter", async () => {
    await page.goto(fileOf("html"))
    expect((await shown()).length).toBe(report.cases.length)
    const search = page.getByRole("searchbox", { name: "Search" })
    await search.fill("CASE  untestable")
    expect(await shown()).toEqual(["group/untestable"])
    expect(await page.locator("#found").textContent()).toBe(`1 of ${report.cases.length} cases`)
    await search.fill("document.title")
    expect(await shown()).toEqual(["group/error"])
    await page.getByRole("radio", { name: "notes" }).check()
    expect(await shown()).toEqual([])
    await search.fill("")
    expect(await shown()).toEqual(["group/note"])
    expect(complaints).toEqual([])
  })

  test("lead from a cause to the check, and open there for whoever was sent the link", async () => {
    await page.goto(fileOf("html"))
    await page.getByRole("radio", { name: "missing" }).check()
    await page.getByRole("link", { name: "group/fail:check-fail" }).first().click()
    const check = page.locator("[id='group/fail:check-fail']")
    await check.waitFor()
    expect((await check.boundingBox())?.y).toBeLessThan(900)
    await page.goto("about:blank")
    await page.goto(`${fileOf("html")}#group/xpass`)
    await page.locator("[id='group/xpass']").waitFor()
    expect(await page.locator("details.case[open]").count()).toBe(1)
    expect(complaints).toEqual([])
  })

  test("can do all but search without a script", async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false })
    await plain.goto(`${fileOf("html")}#group/fail:check-fail`)
    await plain.locator("[id='group/fail:check-fail']").waitFor()
    expect(await plain.locator("#search").isVisible()).toBe(false)
    await plain.getByRole("radio", { name: "notes" }).check()
    expect(await plain.locator("details.case:visible").count()).toBe(1)
    await plain.close()
  })

  test.each(["html", "coverage", "matrix"] as const)(
    "have nothing that axe finds, and fit a telephone: %s",
    async (name) => {
      await page.goto(fileOf(name))
      // Colours are those of a few clauses; a thousand more say nothing else and cost seconds.
      await page.evaluate(
        "document.querySelectorAll('main > p[id] ~ p[id] ~ p[id] ~ p[id]').forEach((one) => one.remove())",
      )
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
      await page.evaluate(axe.source)
      const faults = async (runOnly: ReadonlyArray<string>) =>
        page.evaluate(
          `axe.run(document, ${JSON.stringify({ runOnly })}).then(({ violations }) =>
            violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
        )
      expect(await faults(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])).toEqual([])
      await page.emulateMedia({ colorScheme: "dark" })
      expect(await faults(["color-contrast"])).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
    },
  )
})
