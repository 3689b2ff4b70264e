// Takes the screenshots of the dashboard that the documentation shows: one world with the same seed each time, in both themes.
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { Simulator } from "../simulator/src/Simulator.ts"
import { serve } from "../simulator/src/server/Server.ts"
import { chromium, type Page } from "playwright-core"
import { findBrowser } from "./browser.ts"

const folder = join(dirname(import.meta.dirname), "docs", "images")

const executablePath = findBrowser()
if (executablePath === null) {
  console.error("There is no Chromium here: `npm run browser` installs one.")
  process.exit(1)
}

const simulator = await Simulator.start({ clock: "manual", seed: "carillon" })
const { agent_id, key, organization_id } = simulator.info
const server = await serve(simulator, "127.0.0.1", 0)

const send = async (method: string, path: string, body: object): Promise<void> => {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
}

const advance = (by_ms: number) => send("POST", "/_sim/clock/advance", { by_ms })

/** Outcomes of a usual day, by magic digits and parameter. */
const magic = ["0003", "0002", "0004", "0000", "0100", "0005", "0200", "0003", "1001", "0300", "0006", "4100"]

const campaign = (name: string, serial: number, contacts: number, settings: object = {}) =>
  send("POST", "/v2/campaigns", {
    name,
    agent_id,
    retry_policy: { max_retries: 2, strategy: "fixed_delay", base_delay_minutes: 3, respect_working_hours: false },
    ...settings,
    contacts: Array.from({ length: contacts }, (_, index) => ({
      to_number: `+999${magic[index % magic.length]}${String(serial * 10_000 + index).padStart(8, "0")}`,
    })),
  })

await send("PATCH", `/_sim/organizations/${organization_id}`, {
  webhook_secret: "whsec_demo",
  webhook_default: { callback_url: "http://demo.inbox.test/events" },
})
await advance(40_000)
await campaign("Appointment reminders", 1, 60)
await advance(200_000)
await campaign("Renewals", 2, 160, { max_concurrent_calls: 4 })
await advance(130_000)
await send("PUT", "/_sim/inbox/demo", { statuses: [500, 200] })
await campaign("Spring survey", 3, 260)
await advance(310_000)
await send("PUT", "/_sim/faults", { usage: { mode: "timeout" } })

const browser = await chromium.launch({ executablePath })

const open = async (colorScheme: "light" | "dark", width: number, height: number): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" })
  await page.goto(`${server.url}/_sim/ui`)
  const answered = page.waitForResponse((response) => response.url().includes("window_ms=900000"))
  await page.getByRole("radio", { name: "15 min" }).check()
  await answered
  await page.locator(".call[role=option]", { hasText: "completed" }).nth(2).click()
  await page.locator(".timeline").waitFor()
  await page.locator(".webhook[role=option]").nth(1).click()
  await page.locator("pre").waitFor()
  await page.mouse.move(0, 0)
  await page.evaluate("scrollTo(0, 0)")
  await page.waitForTimeout(250)
  return page
}

mkdirSync(folder, { recursive: true })
for (const theme of ["light", "dark"] as const) {
  const page = await open(theme, 1280, 980)
  await page.screenshot({ path: join(folder, `dashboard-${theme}.png`) })
  await page.locator(".calls").scrollIntoViewIfNeeded()
  await page.locator(".calls").screenshot({ path: join(folder, `dashboard-call-${theme}.png`) })
  await page.close()
}
await browser.close()
await server.close()
console.log(`The screenshots lie in ${folder}.`)
