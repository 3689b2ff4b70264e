/** Takes the pictures of the HTML report that the documentation shows: a run against the simulator with two mistakes planted. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Simulator } from "@carillon/simulator"
import { chromium } from "playwright-core"
import { findBrowser } from "../../../scripts/browser.ts"
import { render } from "../../src/report/Format.ts"
import { runConformance } from "../../src/run/Conformance.ts"

const images = fileURLToPath(new URL("../../../docs/images/", import.meta.url))

const executablePath = findBrowser()
if (executablePath === null) throw new Error("There is no Chromium here: `npm run browser` installs one.")

const simulator = await Simulator.start({ clock: "manual" })

/** A header is missing everywhere, and a word is spelled with two l's. */
const spoiled = async (request: Request): Promise<Response> => {
  const response = await simulator.fetch(request)
  const headers = new Headers(response.headers)
  headers.delete("x-ratelimit-reset")
  const isJson = headers.get("content-type")?.startsWith("application/json") === true
  const body = isJson
    ? (await response.text()).replaceAll('"status":"canceled"', '"status":"cancelled"')
    : response.body
  headers.delete("content-length")
  return new Response(body, { status: response.status, headers })
}

const report = await runConformance({
  baseUrl: "http://127.0.0.1:8080",
  controlUrl: "http://127.0.0.1:8080",
  key: simulator.info.key,
  nonce: "picture",
  fetch: spoiled,
})
await simulator.close()

const folder = mkdtempSync(join(tmpdir(), "report-"))
const file = join(folder, "report.html")
writeFileSync(file, render(report, "html"))
const browser = await chromium.launch({ executablePath })
for (const theme of ["light", "dark"] as const) {
  const page = await browser.newPage({ viewport: { width: 1180, height: 860 }, colorScheme: theme })
  await page.goto(pathToFileURL(file).href)
  await page.screenshot({ path: join(images, `conformance-report-${theme}.png`) })
  await page.close()
}
await browser.close()
rmSync(folder, { recursive: true })
console.log(`The pictures lie in ${images}.`)
