import { describe, expect, it } from "vitest"
import { cases } from "../../src/cases/Cases.ts"
import { program } from "../../src/command/Program.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { formats } from "../../src/report/Format.ts"
import { fakeServer, type Routes } from "../run/FakeServer.ts"

const target = ["--base-url", "http://server.test", "--key", "gat_keykeykeykeykey"]
const only = ["--only", "identity/user-me"]

const execute = async (
  argv: ReadonlyArray<string>,
  fetch: Fetch = fakeServer(),
  files: Readonly<Record<string, string>> = {},
) => {
  const written = new Map<string, string>()
  let out = ""
  let err = ""
  const status = await program(
    argv,
    {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readFile: async (path) => {
        const text = files[path]
        if (text === undefined) throw new Error("ENOENT")
        return text
      },
      writeFile: async (path, text) => void written.set(path, text),
      colour: false,
    },
    fetch,
  )
  return { status, out, err, written }
}

const broken: Routes = { "GET /v2/user/me": [200, { organization_id: 7 }] }

describe("exit status", () => {
  it("0 when everything holds", async () => {
    const seen = await execute(["run", ...target, ...only])
    expect(seen.out).toContain("holds, seed 1")
    expect(seen.status).toBe(0)
  })

  it("1 when something fails", async () => {
    const seen = await execute(["run", ...target, ...only], fakeServer(broken))
    expect(seen.status).toBe(1)
    expect(seen.out).toContain("fail ME-1: ")
    expect(seen.out).toContain("Fields: `organization_id` (string)")
  })

  it.each([
    ["no command", []],
    ["an unknown command", ["judge"]],
    ["no key", ["run", "--base-url", "http://server.test"]],
    ["no URL", ["run", "--key", "gat_x"]],
    ["a URL that is none", ["run", "--base-url", "server", "--key", "gat_x"]],
    ["an unknown flag", ["run", ...target, "--fast"]],
    ["a seed that is no number", ["run", ...target, "--seed", "x"]],
    ["an unknown report", ["run", ...target, "--report", "pdf=x"]],
    ["a report without a file", ["run", ...target, "--report", "json"]],
    ["a list that cannot be read", ["run", ...target, "--known-failing", "gone.txt"]],
    ["a stray word", ["run", "calls", ...target]],
    ["a replay of nothing", ["replay", ...target]],
    ["a replay of an unknown case", ["replay", "calls/nothing", ...target]],
    ["an explanation of nothing known", ["explain", "NOTHING-1"]],
  ])("2 for %s", async (_name, argv) => {
    const seen = await execute(argv)
    expect(seen.status).toBe(2)
    expect(seen.err).toContain("exit status: 0 all hold")
  })

  it("3 when nobody answers, or nothing was selected", async () => {
    const dead: Fetch = () => Promise.reject(new TypeError("fetch failed"))
    expect((await execute(["run", ...target], dead)).status).toBe(3)
    expect((await execute(["run", ...target, "--only", "nothing/of-that-name"])).status).toBe(3)
  })

  it("4 for a fault of the harness", async () => {
    const seen = await execute(["run", ...target, ...only, "--report", "json=full.json"], fakeServer(), {})
    expect(seen.status).toBe(0)
    const failing = await program(
      ["run", ...target, ...only, "--report", "json=full.json"],
      {
        out: () => {},
        err: () => {},
        readFile: async () => "",
        writeFile: () => Promise.reject(new Error("disk full")),
        colour: false,
      },
      fakeServer(),
    )
    expect(failing).toBe(4)
  })
})

describe("run", () => {
  it("writes every report that is asked for", async () => {
    const reports = formats.flatMap((format) => ["--report", `${format}=out/${format}.x`])
    const seen = await execute(["run", ...target, ...only, ...reports])
    expect([...seen.written.keys()]).toEqual(formats.map((format) => `out/${format}.x`))
    for (const text of seen.written.values()) expect(text).not.toContain("keykeykey")
  })

  it("reads the known lists", async () => {
    const failing = { "failing.txt": "# all of it\nambient:identity/*\nidentity/user-me\n" }
    const args = ["run", ...target, ...only, "--known-failing", "failing.txt"]
    expect((await execute(args, fakeServer(broken), failing)).status).toBe(0)
    const stale = await execute(args, fakeServer(), failing)
    expect(stale.status).toBe(1)
    expect(stale.out).toContain("xpass")
    expect(
      (await execute(["run", ...target, ...only, "--known-flaky", "failing.txt"], fakeServer(broken), failing)).status,
    ).toBe(0)
  })
})

describe("replay", () => {
  it("runs one case with the seed of the failure", async () => {
    const seen = await execute(["replay", "identity/user-me", ...target, "--seed", "9"])
    expect(seen.status).toBe(0)
    expect(seen.out).toContain("seed 9")
    expect(seen.out.match(/^pass /gm)).toHaveLength(1)
  })
})

describe("list", () => {
  it("names every case, and every clause with how many cases are about it", async () => {
    const listed = (await execute(["list"])).out
    for (const { id } of cases) expect(listed).toContain(` ${id} `)
    expect((await execute(["list", "--clauses"])).out).toMatch(/^ME-1 +required +http +[1-9]\d* cases$/m)
  })
})

describe("explain", () => {
  it("quotes what a case, a clause or an ambient rule is about", async () => {
    expect((await execute(["explain", "identity/user-me"])).out).toContain("`organization_id` (string)")
    expect((await execute(["explain", "ERROR-STATUS-7"])).out).toContain("502 is never returned.")
    expect((await execute(["explain", "ambient:transport/never-502"])).out).toContain("502 is never returned.")
  })
})
