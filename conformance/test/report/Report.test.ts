import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { badgeText } from "../../src/report/Badge.ts"
import { render } from "../../src/report/Format.ts"
import { searchScript, searchScriptHash } from "../../src/report/Search.ts"
import { summary } from "../../src/report/Terminal.ts"
import { verdicts } from "../../src/run/Verdict.ts"
import { everyVerdict, withExtensions } from "./Sample.ts"
import { type Element, readXml } from "./Xml.ts"

const report = everyVerdict()

const below = (element: Element, name: string): ReadonlyArray<Element> =>
  element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...below(child, name)])

describe("the sample", () => {
  it("has every verdict", () => {
    for (const verdict of verdicts) expect(report.totals.cases[verdict]).toBe(1)
  })
})

describe("JSON", () => {
  it("is the report, with its schema", () => {
    const read: unknown = JSON.parse(render(report, "json"))
    expect(read).toEqual(report)
    expect(read).toMatchObject({ schema: "carillon-conformance-report/1", revision: "v2-2026.1" })
  })
})

describe("JUnit", () => {
  const suites = readXml(render(report, "junit"))

  it("is well-formed and has a suite for each case", () => {
    expect(suites.name).toBe("testsuites")
    expect(suites.children.map(({ attributes }) => attributes["name"])).toEqual(report.cases.map(({ id }) => id))
  })

  it("counts what it contains", () => {
    for (const suite of suites.children) {
      for (const [attribute, element] of [
        ["tests", "testcase"],
        ["failures", "failure"],
        ["errors", "error"],
        ["skipped", "skipped"],
      ] as const) {
        expect(Number(suite.attributes[attribute])).toBe(below(suite, element).length)
      }
    }
  })

  it("fails exactly what fails the run", () => {
    const failed = suites.children.filter((suite) => below(suite, "failure").length + below(suite, "error").length > 0)
    expect(failed.map(({ attributes }) => attributes["name"])).toEqual([
      "group/fail",
      "group/xpass",
      "group/untestable",
      "group/error",
    ])
    expect(below(suites, "skipped").map(({ attributes }) => attributes["message"])).toEqual([
      "n/a: the target does not offer clock",
    ])
  })

  it("quotes the clause, what was expected and what came", () => {
    const [failure] = below(suites, "failure")
    expect(failure?.text).toContain("ME-1: Fields: `organization_id` (string)")
    expect(failure?.text).toContain("expected  <org_1>")
    expect(failure?.text).toContain('got       org_2 & "more"')
    expect(failure?.text).toContain("$ curl -i")
  })
})

describe("TAP", () => {
  const lines = render(report, "tap").split("\n")
  const points = lines.filter((line) => /^(not )?ok /.test(line))

  it("has the plan that it announces, numbered from one", () => {
    expect(lines[0]).toBe("TAP version 14")
    expect(lines[1]).toBe(`1..${points.length}`)
    expect(points.map((line) => Number(/ok (\d+)/.exec(line)?.[1]))).toEqual(points.map((_line, index) => index + 1))
  })

  it("is not ok for what fails the run, and for what is known to", () => {
    const failed = points.filter((line) => line.startsWith("not ok")).map((line) => line.replace(/^not ok \d+ - /, ""))
    expect(failed).toEqual([
      "group/fail: check-fail",
      "group/xfail: check-xfail # TODO known to fail",
      "group/xpass: check-xpass",
      "group/untestable",
      "group/error",
    ])
    expect(points.filter((line) => line.includes("# SKIP"))).toHaveLength(1)
  })

  it("closes every block it opens", () => {
    expect(lines.filter((line) => line === "  ---").length).toBe(lines.filter((line) => line === "  ...").length)
  })
})

describe("HTML", () => {
  const page = render(report, "html")

  it("is one file that needs nothing else", () => {
    expect(page).not.toMatch(/<(link|img|iframe)\b|@import|url\(|\bsrc=/)
    expect(page.startsWith("<!doctype html>")).toBe(true)
  })

  it("allows its own script and no other", () => {
    expect(page.split("<script").length).toBe(2)
    expect(page).toContain(`<script>${searchScript}</script>`)
    expect(page).toContain(`script-src '${searchScriptHash}'`)
    expect(searchScriptHash).toBe(`sha256-${createHash("sha256").update(searchScript).digest("base64")}`)
  })

  it("escapes what came from outside", () => {
    expect(page).not.toContain("<org_1>")
    expect(page).not.toContain("<case>")
    expect(page).toContain("&lt;org_1&gt;")
  })

  it("shows every case, the worst first, and what is wrong before any", () => {
    for (const { id } of report.cases) expect(page).toContain(`<code>${id}</code>`)
    const at = (id: string) => page.indexOf(`id="${id}"`)
    expect(page.indexOf("What is wrong")).toBeLessThan(at("group/error"))
    expect(at("group/error")).toBeLessThan(at("group/fail"))
    expect(at("group/fail")).toBeLessThan(at("group/pass"))
    expect(page).not.toContain("<details open>")
  })

  it("links each cause to its first check", () => {
    expect(page).toContain('<a href="#group/fail:check-fail">')
    expect(page).toContain('id="group/fail:check-fail"')
  })
})

describe("the badge", () => {
  it("is an image that says how far the run came", () => {
    const image = readXml(render(report, "badge"))
    expect(image.name).toBe("svg")
    expect(badgeText(report)).toBe("v2-2026.1 – 20/40")
    expect(badgeText({ ...report, reached: 2 })).toBe("v2-2026.1 L2 20/40")
  })
})

describe("the terminal", () => {
  const text = summary(report, false)

  it("explains what does not hold and how to run it again", () => {
    expect(text).toContain("fail ME-1: 2 checks in 2 cases")
    expect(text).toContain("group/fail:")
    expect(text).toContain(
      'replay: carillon-conformance replay group/fail --seed 5 --nonce sample0 --base-url http://server.test --key "$KEY"',
    )
    expect(text).toMatch(/^ +\$ curl -i .*server\.test\/v2\/user\/me/m)
    expect(text).not.toContain("A <case> that is pass")
  })

  it("prints every verdict in the sums, n/a included", () => {
    for (const verdict of verdicts) expect(text).toMatch(new RegExp(`cases: .*1 ${verdict}`))
  })

  it("has colours only when asked", () => {
    expect(text).not.toContain("\u001b[")
    expect(summary(report, true)).toContain("\u001b[31mfail")
  })
})

describe("a report of extensions", () => {
  const extended = withExtensions()
  const skipped = "extension call-caps: SKIPPED, 0/29 judged: GET /v2/scopes lists no route /v2/call-caps"
  const judged = "extension suppressions: 61/62 held, 1 broken, 0 not judged"

  it.each(["tap", "html", "junit"] as const)(
    "says in %s what was held of each, and what was skipped, and why",
    (format) => {
      const text = render(extended, format)
      for (const line of [skipped, judged]) expect(text).toContain(line)
      for (const line of ["extension call-caps", "extension suppressions"])
        expect(render(report, format)).not.toContain(line)
    },
  )

  it("says it in the terminal, with a line that runs a case again", () => {
    const text = summary(extended, false)
    for (const line of [skipped, judged]) expect(text).toContain(line)
    expect(text).toContain("fail SUPPRESSION-E35: 1 check in 1 case")
    expect(text).toMatch(/replay extensions\/suppressions\/direct .* --extensions/)
    expect(summary(report, false)).not.toContain("extension")
  })

  it("leads from a failure to the heading of its page", () => {
    for (const format of ["tap", "html", "junit"] as const)
      expect(render(extended, format)).toContain(
        "SUPPRESSION-E35 (docs/guides/suppression.md#what-becomes-of-a-call): ",
      )
  })

  it("passes nothing in TAP or JUnit that was skipped", () => {
    const points = render(extended, "tap")
      .split("\n")
      .filter((line) => line.includes("extensions/call-caps/kept"))
    expect(points).toEqual([
      expect.stringMatching(/^ok \d+ - extensions\/call-caps\/kept # SKIP n\/a: the target does not offer/),
    ])
    const suites = readXml(render(extended, "junit"))
    const suite = suites.children.find(({ attributes }) => attributes["name"] === "extensions/call-caps/kept")
    expect(suite?.attributes).toMatchObject({ tests: "1", skipped: "1" })
    expect(suite === undefined ? [] : below(suite, "property").map(({ attributes }) => attributes["value"])).toEqual([
      "call-caps",
    ])
  })

  it("stands in the badge beside the contract, and in the map of what was judged", () => {
    expect(badgeText(extended)).toBe("v2-2026.1 – 20/40 ext 61/91")
    expect(render(extended, "coverage")).toContain("Extensions &gt; docs/guides/suppression.md#what-becomes-of-a-call")
    expect(render(report, "coverage")).not.toContain("Extensions &gt; docs/guides")
  })

  it("is JSON with a field of its own", () => {
    expect(JSON.parse(render(extended, "json"))).toMatchObject({ extensions: [{ extension: "suppressions" }, {}] })
    expect(render(report, "json")).not.toContain("xtension")
  })
})
