import { execFile } from "node:child_process"
import { promisify } from "node:util"
import axe from "axe-core"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { findBrowser } from "../../../scripts/browser.ts"
import { serve, type Server } from "../../src/server/Server.ts"
import { Simulator, type SimulatorOptions } from "../../src/Simulator.ts"

const executablePath = findBrowser()

/** What is read of answers. */
interface Body {
  readonly [field: string]: unknown
  readonly waiting: ReadonlyArray<unknown>
  readonly demo: { readonly organization_id: string }
}

interface Opened {
  readonly server: Server
  readonly page: Page
  /** What the console said and what was thrown, debugging apart. */
  readonly complaints: ReadonlyArray<string>
  readonly hosts: ReadonlySet<string>
}

// A run without a browser says so in its last lines (scripts/NotTested.ts).
if (executablePath === null) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run them in
  test.skip("cannot be run: the dashboard in a browser (there is no Chromium here; `npm run browser` installs one)", () => {})
}

describe.skipIf(executablePath === null)("the dashboard in a browser", () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** What a test leaves open, and what several of them share. */
  const open: Array<() => Promise<unknown>> = []
  const kept: Array<() => Promise<unknown>> = []

  const newPage = async (): Promise<Page> => {
    const made = await context.newPage()
    made.setDefaultTimeout(15_000)
    return made
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? "" })
    context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme: "light",
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    })
    page = await newPage()
  })

  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close()
  })

  afterAll(async () => {
    for (const close of kept.reverse()) await close()
    await browser.close()
  })

  /** Opens a world of its own in a page that others may have used: each has another origin, and so nothing of theirs. */
  const openPage = async (options: SimulatorOptions = {}, on: Page = page): Promise<Opened> => {
    const server = await serve(await Simulator.start({ clock: "manual", ...options }), "127.0.0.1", 0)
    const complaints: Array<string> = []
    const hosts = new Set<string>()
    on.removeAllListeners()
    on.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
    })
    on.on("pageerror", (error) => complaints.push(error.message))
    on.on("request", (request) => hosts.add(new URL(request.url()).host))
    open.push(
      () => server.close(),
      () => on.goto("about:blank"),
    )
    // A page that is hidden looks seldom.
    await on.bringToFront()
    await on.goto(`${server.url}/_sim/ui`)
    return { server, page: on, complaints, hosts }
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true })

  const read = async (server: Server, path: string): Promise<Body> =>
    JSON.parse(await (await fetch(server.url + path)).text())

  const eventually = (read: () => Promise<unknown>) => expect.poll(read, { timeout: 120_000, interval: 25 })

  /** Makes the window as wide, and waits until nothing is wider: the chart takes its width when it is told of its new place. */
  const narrow = async (page: Page, width: number): Promise<void> => {
    await page.setViewportSize({ width, height: 900 })
    await eventually(() => page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width)
  }

  test("loads without a complaint, without anybody else, and says what there is to do", async () => {
    const { complaints, hosts, page, server } = await openPage()
    await page.getByText("Nothing is calling.").waitFor()
    for (const text of ["No campaign yet.", "No call yet.", "Nobody listens yet."]) {
      await page.getByText(text).waitFor()
    }
    await page.getByText("live", { exact: true }).first().waitFor()
    expect(await page.title()).toBe("Carillon simulator")
    expect(complaints).toEqual([])
    expect([...hosts]).toEqual([new URL(server.url).host])
  })

  test("a call that is placed appears and completes with its timeline", async () => {
    const { complaints, page } = await openPage()
    await button(page, "Place a call").click()
    const call = page.getByRole("option", { name: "+15555550100" })
    await call.getByText("initiated").or(call.getByText("queued")).waitFor()
    await page.locator(".detail .phase.dialling").waitFor()
    await button(page, "Until idle").click()
    await call.getByText("completed").waitFor()
    await page.locator(".detail").getByText("Ended: completed").waitFor()
    const timeline = await page.locator(".timeline li").allTextContents()
    for (const moment of ["Accepted", "Dial at the carrier", "Ringing", "Answered", "Leg is down", "Line given back"]) {
      expect(timeline.join("\n")).toContain(moment)
    }
    expect(await page.locator(".phase").allTextContents()).toEqual(["dialling", "ringing", "talking", "processing"])
    expect(await page.locator(".transcript li").count()).toBeGreaterThan(1)
    expect(complaints).toEqual([])
  })

  test("steps move the clock, and time runs and stops", async () => {
    const { page, server } = await openPage({ epoch: "2026-01-05T09:00:00Z" })
    const time = page.locator(".reading .time")
    await page.getByText("09:00:00.000").waitFor()
    await button(page, "+1 s").click()
    await page.getByText("09:00:01.000").waitFor()
    await button(page, "+1 min").click()
    await page.getByText("09:01:01.000").waitFor()
    await page.getByLabel("Speed").selectOption("60")
    await button(page, "Run").click()
    await button(page, "Pause").waitFor()
    expect(await read(server, "/_sim/clock")).toMatchObject({ mode: "scaled", speed: 60 })
    expect(await button(page, "+1 s").getAttribute("aria-disabled")).toBe("true")
    await eventually(() => time.textContent()).not.toBe("09:01:01")
    await button(page, "Pause").click()
    await button(page, "Run").waitFor()
    expect(await read(server, "/_sim/clock")).toMatchObject({ mode: "manual" })
  })

  test("dials that wait for a line in standing time leave the page a way to let it pass", async () => {
    const { page, server } = await openPage()
    const { demo } = await read(server, "/_sim")
    await fetch(`${server.url}/_sim/organizations/${demo.organization_id}`, {
      method: "PATCH",
      body: JSON.stringify({ concurrency: { organization: 1 } }),
    })
    for (let dial = 0; dial < 4; dial++) {
      await button(page, "Place a call").click()
      await eventually(async () => (await read(server, "/_sim/clock")).waiting.length).toBe(dial)
    }
    await page.getByText("The organization’s ceiling limits it: 1 of 1 lines in use.").waitFor()
    await page.getByText("3 direct dials waiting for a line").waitFor()
    await button(page, "Place a call").click()
    await page.locator(".toast").getByText("3 requests wait for virtual time already.").waitFor()
    await button(page, "+10 s").click()
    await page.getByText("09:00:10.000").waitFor()
    await eventually(async () => (await read(server, "/_sim/clock")).waiting.length).toBe(0)
  })

  test("a fault is switched on, felt, and mended", async () => {
    const { page } = await openPage()
    const fault = page.getByRole("switch", { name: "Break telephony" })
    await page.getByLabel("How telephony fails").selectOption("error")
    await fault.click()
    await page.getByText("The telephony is failing.").waitFor()
    expect(await fault.getAttribute("aria-checked")).toBe("true")
    await button(page, "Place a call").click()
    await page.locator(".toast[data-tone=bad]").getByText("temporarily unavailable").waitFor()
    await button(page, "Mend all").click()
    await page.getByText("all well").waitFor()
    expect(await fault.getAttribute("aria-checked")).toBe("false")
  })

  test("everything can be done with the keyboard", async () => {
    const { page } = await openPage()
    await page.getByText("Nothing is calling.").waitFor()
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the world")
    await page.keyboard.press("c")
    await page.locator(".call[role=option]").first().waitFor()
    await page.keyboard.press("s")
    await page.getByText("09:00:01.000").waitFor()
    await page.getByLabel("Number", { exact: true }).fill("+99900")
    await page.keyboard.press("s")
    await page.getByLabel("Number", { exact: true }).fill("+999010100000001")
    await page.keyboard.press("Enter")
    await page.getByRole("option", { name: "+999010100000001" }).waitFor()
    await page.getByText("09:00:01.000").waitFor()
    const list = page.getByRole("listbox", { name: "Calls, newest first" })
    await list.focus()
    await page.keyboard.press("Home")
    expect(await list.getByRole("option", { selected: true }).textContent()).toContain("+999010100000001")
    await page.keyboard.press("ArrowDown")
    expect(await list.getByRole("option", { selected: true }).textContent()).toContain("+15555550100")
    await page.keyboard.press("Escape")
    expect(await list.getByRole("option", { selected: true }).count()).toBe(0)
    await page.keyboard.press("?")
    const help = page.getByRole("dialog", { name: "Keyboard" })
    await help.getByLabel("Single keys are shortcuts").uncheck()
    await page.keyboard.press("Escape")
    await help.waitFor({ state: "hidden" })
    await list.focus()
    await page.keyboard.press("d")
    await page.getByText("09:00:01.000").waitFor()
    const unringed = await page.evaluate(
      `[...document.querySelectorAll("*")].filter(
        (element) => element.matches(":focus-visible") && getComputedStyle(element).outlineStyle === "none",
      ).length`,
    )
    expect(unringed).toBe(0)
  })

  test("a command that is copied as curl does what the button does", async () => {
    const { page, server } = await openPage()
    expect(await page.locator(".copy:visible").count()).toBe(0)
    await page.getByRole("button", { name: "Copy as curl", exact: true }).click()
    const copied = async (name: string): Promise<string> => {
      await button(page, `Copy as curl: ${name}`).last().click()
      await page.locator(".toast").getByText("Copied as curl").waitFor()
      return page.evaluate<string>("navigator.clipboard.readText()")
    }
    const run = async (command: string): Promise<Body> => {
      const { stdout } = await promisify(execFile)("bash", ["-c", command])
      return JSON.parse(stdout)
    }
    await page.getByText("Nothing is calling.").waitFor()
    expect(await run(await copied("Advance by one minute"))).toMatchObject({ now: "2026-01-05T09:01:00.000Z" })
    await page.getByText("09:01:00.000").waitFor()
    const { execution_id } = await run(await copied("Place a call"))
    await page.getByRole("option").filter({ hasText: "+15555550100" }).click()
    expect(await run(await copied("read this call"))).toMatchObject({ execution_id })
    expect(await run(await copied("switch the fault of slot store"))).toEqual({ slot_store: { mode: "unreachable" } })
    const campaign = await run(await copied("Start a sample campaign of 200 contacts"))
    expect(campaign).toMatchObject({ total_contacts: 200 })
    expect(await read(server, "/_sim/invariants")).toMatchObject({ violations: [] })
  })

  describe("of a world at work", () => {
    let page: Page
    let complaints: ReadonlyArray<string>

    beforeAll(async () => {
      const opened = await openPage({}, await newPage())
      ;({ complaints, page } = opened)
      kept.push(...open.splice(0))
      await button(page, "Send signed webhooks to “demo”").click()
      await page.getByText("Nothing was received yet.").waitFor()
      await page.locator(".try").getByRole("button", { name: "Start a sample campaign", exact: true }).click()
      await page
        .locator(".campaigns")
        .getByRole("rowheader", { name: /Spring reminders/ })
        .waitFor()
      await button(page, "+1 min").click()
      await page.locator(".webhook[role=option]").nth(0).click()
      await page.locator(".call[role=option]").nth(30).click()
      await page.locator(".timeline").waitFor()
    })

    test("says what limits a campaign, level by level", async () => {
      await page.getByText("The organization’s ceiling limits it: 20 of 20 lines in use.").waitFor()
      const row = page.locator(".campaigns").getByRole("row", { name: /Spring reminders/ })
      await row.getByText("no free line in the organization").waitFor()
      await row.getByText("20 used · 20 guaranteed").waitFor()
      const levels = await page.locator(".bandlabel").allTextContents()
      expect(levels.map((text) => text.includes("full"))).toEqual([false, true, false, false])
      expect(levels[2]).toContain("20 of 20, inherited")
      await page.getByRole("group", { name: /Lines in use over time/ }).focus()
      await page.keyboard.press("Home")
      expect(await page.locator(".bandlabel").nth(1).textContent()).toContain("0 of 20")
      await page.keyboard.press("Escape")
    })

    test("tells a campaign's pace, and why a contact of it is not dialled", async () => {
      const row = page.locator(".campaigns").getByRole("row", { name: /Spring reminders/ })
      await row.getByText(/^\d+ calls a minute$/).waitFor()
      await row.getByText(/^done about \d\d:\d\d:\d\d$/).waitFor()
      await row.getByRole("button", { name: "Why?" }).focus()
      await page.keyboard.press("Enter")
      const dialog = page.getByRole("dialog", { name: "Why does “Spring reminders” not dial more?" })
      await dialog.getByText(/contacts: no free line in the organization/).waitFor()
      // Whose first call was in vain stands first, and how many they are is a matter of chance.
      await dialog
        .locator(".contacts .reason")
        .getByText(/^(All lines of the organization are in use|Its last call ended .*)\./)
        .first()
        .waitFor()
      const waits = await dialog.locator(".contacts .number").first().textContent()
      const search = dialog.getByLabel("Why is this contact not dialled?")
      await search.fill(waits ?? "")
      await dialog.getByRole("status").getByText(`1 contact with ${waits}`).waitFor()
      await page.evaluate(axe.source)
      const found = await page.evaluate(
        `axe.run("dialog[open]").then(({ violations }) => violations.map(({ id }) => id))`,
      )
      expect(found).toEqual([])
      await page.setViewportSize({ width: 390, height: 844 })
      await eventually(() => dialog.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
      await page.setViewportSize({ width: 1280, height: 900 })
      await search.fill("nobody")
      await dialog.getByText("No contact with nobody.").waitFor()
      await search.fill("+999")
      await dialog
        .getByRole("button", { name: /^Show the call of/ })
        .first()
        .click()
      await dialog.waitFor({ state: "hidden" })
      await page.locator(".timeline").waitFor()
    })

    test("has nothing that axe finds, in both themes", async () => {
      await page.evaluate(axe.source)
      const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
      const faults = async (runOnly: ReadonlyArray<string>) => {
        const found: ReadonlyArray<{ id: string; nodes: ReadonlyArray<{ html: string }> }> = await page.evaluate(
          `axe.run(document, ${JSON.stringify({ runOnly })}).then(({ violations }) => violations)`,
        )
        return found.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])
      }
      expect(await faults(rules)).toEqual([])
      await page.emulateMedia({ colorScheme: "dark" })
      expect(await faults(["color-contrast"])).toEqual([])
      await page.emulateMedia({ colorScheme: "light" })
    })

    test("fits 800 pixels, and remembers its theme", async () => {
      await narrow(page, 800)
      await page.setViewportSize({ width: 1280, height: 900 })
      const ground = () => page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
      const light = await ground()
      await page.getByRole("button", { name: /^Theme: system/ }).click()
      await page.getByRole("button", { name: /^Theme: light/ }).click()
      await page.getByRole("button", { name: /^Theme: dark/ }).waitFor()
      expect(await ground()).not.toBe(light)
      await page.reload()
      await page.getByRole("button", { name: /^Theme: dark/ }).waitFor()
      expect(await ground()).not.toBe(light)
    })

    test("fits a phone: no part is wider, and a campaign says first what holds it", async () => {
      const width = 390
      await narrow(page, width)
      const wide: ReadonlyArray<string> = await page.evaluate(
        `[...document.querySelectorAll(".campaigns *, .top *, .clock *, main > *, main > * > *")]
          .filter((one) => one.checkVisibility() && !one.classList.contains("unseen"))
          .filter((one) => { const { left, right } = one.getBoundingClientRect(); return left < -1 || right > ${width} + 1 })
          .map((one) => one.outerHTML.slice(0, 160))`,
      )
      expect(wide).toEqual([])
      const row = page.locator(".campaigns").getByRole("row", { name: /Spring reminders/ })
      const top = async (name: string) => (await row.locator(`[data-name="${name}"]`).boundingBox())?.y ?? 0
      const tops = await Promise.all(["Held by", "Lines", "Wants to dial", "Progress"].map(top))
      expect(tops).toEqual(tops.toSorted((a, b) => a - b))
      expect(new Set(tops).size).toBe(4)
      // The head is a quarter of the screen, so it must not stay over what is read.
      await page.mouse.wheel(0, 2_000)
      await eventually(() =>
        page.evaluate("document.querySelector('#header').getBoundingClientRect().bottom"),
      ).toBeLessThan(0)
      await page.setViewportSize({ width: 1280, height: 900 })
    })

    test("cuts off no text, on a phone or on a desk", async () => {
      for (const width of [390, 1280]) {
        await narrow(page, width)
        const cut: ReadonlyArray<string> = await page.evaluate(
          `[...document.querySelectorAll(".campaigns *, .row *, .events *, .plotting *, .keyfigures *, .verdict *")]
            .filter((one) => one.checkVisibility() && !one.classList.contains("unseen"))
            .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "hidden")
            .map((one) => ${width} + ": " + one.textContent)`,
        )
        expect(cut).toEqual([])
      }
    })

    test("shows webhooks with the state of their signatures", async () => {
      await page.locator(".webhook[role=option]").nth(0).click()
      await page.locator(".webhook[role=option]").getByText("signed", { exact: true }).first().waitFor()
      await page.getByText("The signature is genuine").waitFor()
      const body = await page.getByRole("region", { name: "Body of the webhook" }).textContent()
      expect(JSON.parse(body ?? "")).toMatchObject({ event_type: "all_processing_completed" })
      await button(page, "Answer 500").click()
      await button(page, "+10 s").click()
      await page.locator(".webhook[role=option]").getByText("→ 500").first().waitFor()
      await button(page, "Its call").click()
      await page.locator(".timeline").getByText("Webhook all_processing_completed").first().waitFor()
    })

    test("pauses and resumes a campaign", async () => {
      const row = page.locator(".campaigns").getByRole("row", { name: /Spring reminders/ })
      await row.getByRole("button", { name: "Pause", exact: true }).click()
      await row.getByText("paused").first().waitFor()
      await row.getByRole("button", { name: "Resume", exact: true }).click()
      await row.getByRole("button", { name: "Pause", exact: true }).waitFor()
      expect(complaints).toEqual([])
    })
  })

  test("thirty thousand events leave the page small and at hand", async () => {
    const { complaints, page } = await openPage({}, await newPage())
    await page.getByText("Nothing is calling.").waitFor()
    const frame = (sequence: number) => {
      const event = { sequence, at: "2026-01-05T09:00:00.000Z", type: "call_started", execution_id: `exec_${sequence}` }
      return `id: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`
    }
    const body = Array.from({ length: 30_000 }, (_, index) => frame(index + 1)).join("")
    await page.route("**/_sim/events*", (route) => route.fulfill({ contentType: "text/event-stream", body }), {
      times: 1,
    })
    await page.reload()
    await page.locator(".events").getByText("exec_30000").waitFor()
    expect(await page.locator(".events li").count()).toBeLessThanOrEqual(80)
    await button(page, "Place a call").click()
    await page.getByRole("option", { name: "+15555550100" }).waitFor()
    expect(complaints).toEqual([])
  })

  test("shows another organization, and calls for it with its own key", async () => {
    const { page, server } = await openPage()
    await button(page, "Place a call").click()
    await page.locator(".timeline").waitFor()
    const made = await fetch(`${server.url}/_sim/organizations`, {
      method: "POST",
      body: JSON.stringify({ name: "Acme" }),
    })
    const { keys }: { keys: ReadonlyArray<{ key: string }> } = JSON.parse(await made.text())
    const key = keys[0]?.key ?? ""
    const agent = await fetch(`${server.url}/v2/agents`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ display_name: "Other", status: "ACTIVE" }),
    })
    expect(agent.status).toBe(201)
    await page.getByLabel("Organization", { exact: true }).selectOption({ label: "Acme" })
    await page.getByText("No call yet.").waitFor()
    await page.getByLabel("API key of this organization").fill(key)
    await page.getByLabel("Number", { exact: true }).fill("+999010100000001")
    await page.keyboard.press("Enter")
    await page.getByRole("option", { name: "+999010100000001" }).waitFor()
    await page.locator(".detail").getByText("Other").waitFor()
  })

  test("asks for the control token where there is one", async () => {
    const { page, server } = await openPage({ controlToken: "secret" })
    await page.getByText("This simulator asks for its control token").waitFor()
    await page.getByLabel("Control token").fill("wrong")
    await page.keyboard.press("Enter")
    await page.getByText("That is not the token.").waitFor()
    await page.getByLabel("Control token").fill("secret")
    await page.keyboard.press("Enter")
    await page.getByText("Nothing is calling.").waitFor()
    await page.getByRole("button", { name: "Copy as curl", exact: true }).click()
    await button(page, "Copy as curl: Advance by one second").click()
    await eventually(() => page.evaluate<string>("navigator.clipboard.readText()")).toContain(
      "Authorization: Bearer secret",
    )
    expect((await fetch(`${server.url}/_sim/ui/world`)).status).toBe(401)
  })

  test("comes back by itself when the world is reset", async () => {
    const { page } = await openPage()
    await button(page, "Place a call").click()
    await page.locator(".call[role=option]").first().waitFor()
    await button(page, "Reset").click()
    await page.getByRole("dialog", { name: "Reset the world?" }).getByRole("button", { name: "Reset" }).click()
    await page.getByText("No call yet.").waitFor()
    await page.locator(".events").getByText("the world was reset").waitFor()
  })
})
