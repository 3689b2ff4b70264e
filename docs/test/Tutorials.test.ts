import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Simulator } from "@carillon/simulator"
import { assert, describe, it } from "vitest"
import { readFlags } from "../../simulator/src/cli/Flags.ts"
import { serve } from "../../simulator/src/server/Server.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

/** The shell blocks of a page, in their order. */
const blocksOf = (page: string): ReadonlyArray<string> =>
  [...text(page).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => block)

/** The page starts the simulator with this line; the test has started it already. */
const startLine = /^npx @carillon\/simulator(?: (?<flags>.*))?$/

/** Where the pages say that the simulator is. */
const printedUrl = "http://127.0.0.1:4010"

interface Ran {
  readonly code: number | null
  readonly said: string
}

/** Runs all blocks in one shell, so that one finds the variables of those before. A request that is refused ends it. */
const run = async (blocks: ReadonlyArray<string>, url: string): Promise<Ran> => {
  const folder = mkdtempSync(join(tmpdir(), "carillon-tutorial-"))
  const script = [
    "set -euo pipefail",
    'curl() { command curl --fail-with-body "$@"; }',
    ...blocks.map((block) => block.replaceAll(printedUrl, url)),
  ].join("\n")
  try {
    return await new Promise<Ran>((resolve) => {
      const child = spawn("bash", ["-c", script], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
      let said = ""
      child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()))
      child.on("close", (code) => resolve({ code, said }))
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a page as it is printed, against a simulator that is started as it says. */
const runPage = async (page: string): Promise<Ran> => {
  const blocks = blocksOf(page)
  const starts = blocks.flatMap((block) => {
    const found = startLine.exec(block.trim())
    return found === null ? [] : [(found.groups?.["flags"] ?? "").split(" ").filter((flag) => flag !== "")]
  })
  assert.lengthOf(starts, 1, `${page} starts one simulator`)
  const [flags = []] = starts
  assert.isObject(readFlags(flags, {}, text))
  const clock = flags.includes("manual") ? "manual" : "scaled:100"
  const server = await serve(await Simulator.start({ clock }), "127.0.0.1", 0)
  try {
    return await run(
      blocks.filter((block) => !startLine.test(block.trim())),
      server.url,
    )
  } finally {
    await server.close()
  }
}

describe("the tutorials run as they are printed", () => {
  it("a first call", async () => {
    const { code, said } = await runPage("guides/first-call.md")
    assert.strictEqual(code, 0, said)
    for (const status of ["completed", "busy", "no-answer", "failed"]) assert.include(said, `"status":"${status}"`)
    assert.include(said, '"answered_by_voicemail":true')
  })

  it("calling lawfully", async () => {
    const { code, said } = await runPage("guides/calling-lawfully.md")
    assert.strictEqual(code, 0, said)
    assert.include(said, '"skip_reason":"suppressed"')
    assert.include(said, '"consent":"form-1882"')
  })

  it("campaigns", async () => {
    const { code, said } = await runPage("guides/campaigns.md")
    assert.strictEqual(code, 0, said)
    assert.match(said, /"status":"created"[^]*"blocking":/)
  })

  it("says so where a block fails", async () => {
    const server = await serve(await Simulator.start({ clock: "manual" }), "127.0.0.1", 0)
    const { code } = await run([`curl -s ${printedUrl}/v2/calls`], server.url)
    await server.close()
    assert.notStrictEqual(code, 0)
  })
})
