import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { chromium } from "playwright-core"
import { expect, test } from "vitest"
import { findBrowser } from "../../../scripts/browser.ts"
import { serve } from "../../src/server/Server.ts"
import { Simulator } from "../../src/Simulator.ts"

const executablePath = findBrowser()

/** What stands for a key in the samples. */
const placeholder = "YOUR_SECRET_TOKEN"

/** Sections whose samples are read. */
const sections = ["calls", "campaigns"]

const samplesMs = 60_000

if (executablePath === null)
  test("cannot be run: the samples of the API reference (there is no Chromium here; `npm run browser` installs one)", ({
    skip,
  }) => skip())
test.skipIf(executablePath === null)(
  "the sample requests of the API reference are accepted as they are printed, but for the key and the ids",
  async () => {
    await using simulator = await Simulator.start({ clock: "manual" })
    const { agent_id, key } = simulator.info
    const server = await serve(simulator, "127.0.0.1", 0)
    const browser = await chromium.launch({ executablePath: executablePath ?? "" })
    const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } })
    await page.goto(`${server.url}/docs`)
    const samples = new Set<string>()
    const printed = page.locator("pre").filter({ hasText: /^curl/ })
    for (const section of sections) {
      await page.evaluate(`location.hash = "#tag/${section}"`)
      await printed
        .filter({ hasText: `/v2/${section}` })
        .filter({ hasText: "--data" })
        .first()
        .waitFor({ timeout: samplesMs })
      for (const text of await printed.allInnerTexts()) samples.add(text)
    }
    await browser.close()
    expect([...samples].filter((sample) => /[?&]\w+=(?:&|')|: '/.test(sample))).toEqual([])
    // Those of one thing need the id of one; keys are managed with a key that may.
    const whole = [...samples].filter((sample) => !/^curl '?[^' ]*\{/.test(sample))
    const refused: Array<string> = []
    for (const sample of whole.filter((one) => !one.includes("/v2/api-keys"))) {
      const command = sample.replaceAll(placeholder, key).replaceAll(/agt_\w+/g, agent_id)
      const { stdout } = await promisify(execFile)("bash", [
        "-c",
        `${command.trim()} -sS -o /dev/null -w '%{http_code}'`,
      ])
      if (!/^20[012]$/.test(stdout)) refused.push(`${stdout}: ${sample}`)
    }
    expect(refused).toEqual([])
    for (const section of sections) {
      expect(whole.some((one) => one.includes(`/v2/${section}`) && one.includes("--data"))).toBe(true)
    }
    await server.close()
  },
  4 * samplesMs,
)
