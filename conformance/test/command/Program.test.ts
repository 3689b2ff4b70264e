import { describe, expect, it } from "vitest"
import { cases, extensionCases } from "../../src/cases/Cases.ts"
import type { Console } from "../../src/command/Console.ts"
import { program } from "../../src/command/Program.ts"
import { progressOn, progressText } from "../../src/command/Progress.ts"
import type { Fetch } from "../../src/http/Wire.ts"
import { formats } from "../../src/report/Format.ts"
import { reportSchema } from "../../src/run/Report.ts"
import { fakeServer, type Routes } from "../run/FakeServer.ts"

const target = ["--base-url", "http://server.test", "--key", "gat_keykeykeykeykey"]
const only = ["--only", "identity/user-me"]

const execute = async (
  argv: ReadonlyArray<string>,
  fetch: Fetch = fakeServer(),
  files: Readonly<Record<string, string>> = {},
  more: Partial<Console> = {},
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
      memory: {
        read: async () => written.get("memory") ?? files["memory"],
        write: async (text) => void written.set("memory", text),
      },
      ...more,
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
    ["a shard beyond the last", ["run", ...target, "--shard", "4/3"]],
    ["a shard that is none", ["run", ...target, "--shard", "1"]],
    ["requirements that nobody froze", ["run", ...target, "--requirements", "1999-01"]],
    ["a number that cannot be rung", ["run", ...target, "--to", "555-0100"]],
    ["a report of the last time that cannot be read", ["run", ...target, "--since", "gone.json"]],
    ["a comparison of one", ["diff", "one.json"]],
    ["a matrix of one", ["matrix", "one.json"]],
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
    const tried: Array<string> = []
    let told = ""
    const failing = await program(
      ["run", ...target, ...only, "--report", "json=full.json", "--report", "tap=full.tap"],
      {
        out: () => {},
        err: (text) => (told += text),
        readFile: async () => "",
        writeFile: async (path) => {
          tried.push(path)
          throw new Error("disk full")
        },
        memory: { read: async () => undefined, write: async () => {} },
        colour: false,
      },
      fakeServer(),
    )
    expect(failing).toBe(4)
    expect(tried).toEqual(["full.json", "full.tap"])
    expect(told).toContain("full.tap cannot be written: disk full\n")
  })
})

describe("run", () => {
  it("writes every report that is asked for", async () => {
    const reports = formats.flatMap((format) => ["--report", `${format}=out/${format}.x`])
    const seen = await execute(["run", ...target, ...only, ...reports])
    expect([...seen.written.keys()]).toEqual(["memory", ...formats.map((format) => `out/${format}.x`)])
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

describe("--fail-fast", () => {
  const both = ["run", ...target, "--only", "identity/user-me", "--only", "identity/key", "--verbose", "--fail-fast"]
  const lists = { "known.txt": "identity/user-me\nambient\n" }

  it("ends with the first failure, and goes on after one that is listed", async () => {
    const ended = await execute(both, fakeServer(broken))
    expect(ended.out).toMatch(/^fail +identity\/user-me$/m)
    expect(ended.out).not.toMatch(/ identity\/key$/m)
    for (const [list, verdict] of [
      ["--known-failing", "xfail"],
      ["--known-flaky", "flaky"],
    ] as const) {
      const gone = await execute([...both, list, "known.txt"], fakeServer(broken), lists)
      expect(gone.out).toMatch(new RegExp(`^${verdict} +identity/user-me$`, "m"))
      expect(gone.out).toMatch(/ identity\/key$/m)
    }
  })
})

describe("how far a run has come", () => {
  it("is told with the time left, which is never less than the rate of the server allows", () => {
    expect(progressText({ ended: 30, of: 120 }, 10_000, 0)).toBe("30 of 120 cases, about 30 s left")
    expect(progressText({ ended: 30, of: 120 }, 10_000, 600_000)).toBe("30 of 120 cases, about 10 min left")
    expect(progressText({ ended: 0, of: 120 }, 10_000, 0)).toBe("0 of 120 cases")
    expect(progressText({ ended: 30, of: 120 }, 10, 0)).toBe("30 of 120 cases")
    expect(progressText({ ended: 120, of: 120 }, 10_000, 600_000)).toBe("120 of 120 cases")
  })

  it("is at most ten lines where no line can be replaced, and none of a short run", () => {
    const linesOf = (msEach: number) => {
      let now = 0
      const lines: Array<string> = []
      const tell = progressOn({ err: (line) => lines.push(line) }, () => now)
      tell({ ended: 0, of: 0 }, 0)
      for (let ended = 1; ended <= 320; ended++) {
        now += msEach
        tell({ ended, of: 320 }, 0)
      }
      return lines
    }
    expect(linesOf(20)).toEqual([])
    expect(linesOf(1_000).length).toBe(10)
    expect(linesOf(1_000)[4]).toBe("160 of 320 cases, about 3 min left\n")
  })

  it("replaces one line at a terminal", async () => {
    const lines: Array<string> = []
    await execute(["run", ...target, ...only], fakeServer(), {}, { progress: (line) => lines.push(line) })
    expect(lines).toEqual(["1 of 1 cases"])
  })
})

describe("a number that may be rung", () => {
  const ringing = ["run", ...target, "--only", "calls/create/recipient/*", "--to", "+14155550100"]
  const dialled = (asked: Array<string>): Fetch => {
    const server = fakeServer()
    return (request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`)
      return server(request)
    }
  }

  it("is rung only by who says so beforehand", async () => {
    const asked: Array<string> = []
    const unasked = await execute(ringing, dialled(asked))
    expect(unasked.status).toBe(2)
    expect(unasked.err).toContain("1 call to +14155550100.")
    expect(unasked.err).toContain("say --yes where nobody can be asked")
    const declined = await execute(ringing, dialled(asked), {}, { confirm: async () => false })
    expect(declined.status).toBe(2)
    expect(asked.filter((line) => line !== "GET /v2/user/me")).toEqual([])
    await execute(ringing, dialled(asked), {}, { confirm: async () => true })
    await execute([...ringing, "--yes"], dialled(asked))
    expect(asked.filter((line) => line === "POST /v2/agents").length).toBeGreaterThanOrEqual(2)
  })

  it("is not needed for anything else", async () => {
    const seen = await execute(["run", ...target, ...only])
    expect(seen.err).toContain("Nobody is rung.")
    expect(seen.status).toBe(0)
  })
})

describe("runs that follow each other", () => {
  const both = ["--only", "identity/user-me", "--only", "identity/key"]
  const order = (out: string) => [...out.matchAll(/^(?:pass|fail|n\/a) +(identity\/\S+)/gm)].map(([, id]) => id)

  it("begin with what failed the last time", async () => {
    const memory = { memory: JSON.stringify({ "http://server.test": ["identity/key"] }) }
    const plain = await execute(["run", ...target, ...both, "--verbose"], fakeServer(), memory)
    const seen = await execute(["run", ...target, ...both, "--verbose", "--since", "last"], fakeServer(), memory)
    expect(order(plain.out)).toEqual(["identity/user-me", "identity/key"])
    expect(order(seen.out)).toEqual(["identity/key", "identity/user-me"])
  })

  it("remember what failed, server by server", async () => {
    const memory = { memory: JSON.stringify({ "http://other.test": ["x"], "http://server.test": ["y"] }) }
    const seen = await execute(["run", ...target, ...only], fakeServer(broken), memory)
    expect(JSON.parse(seen.written.get("memory") ?? "")).toEqual({
      "http://other.test": ["x"],
      "http://server.test": ["ambient", "identity/user-me"],
    })
    const torn = await execute(["run", ...target, ...only, "--since", "last"], fakeServer(), { memory: "{" })
    expect(torn.status).toBe(0)
  })

  it("are compared check by check, and stand side by side clause by clause", async () => {
    const json = ["--report", "json=run.json"]
    const good = (await execute(["run", ...target, ...only, ...json])).written.get("run.json") ?? ""
    const bad = (await execute(["run", ...target, ...only, ...json], fakeServer(broken))).written.get("run.json") ?? ""
    const files = { "good.json": good, "bad.json": bad, "none.json": "{}" }
    const worse = await execute(["diff", "good.json", "bad.json"], fakeServer(), files)
    expect(worse.status).toBe(1)
    expect(worse.out).toMatch(/held before, fails now: \d+\n(  .*\n)*  identity\/user-me:organization$/m)
    const better = await execute(["diff", "bad.json", "good.json"], fakeServer(), files)
    expect(better.status).toBe(0)
    expect(better.out).toContain("failed before, holds now")
    expect((await execute(["diff", "good.json", "good.json"], fakeServer(), files)).out).toContain("nothing changed")
    expect((await execute(["diff", "good.json", "none.json"], fakeServer(), files)).status).toBe(2)
    const table = await execute(["matrix", "good.json", "bad.json", "--html", "both.html"], fakeServer(), files)
    expect(table.out).toMatch(/^ME-1 +held +BROKEN$/m)
    expect(table.written.get("both.html")).toContain("<code>ME-1</code>")
  })
})

describe("a run that is interrupted", () => {
  it("says so, and is no fault of the harness", async () => {
    const seen = await execute(["run", ...target], fakeServer(), {}, { signal: AbortSignal.abort(new Error("stop")) })
    expect(seen.status).toBe(130)
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

describe("extensions", () => {
  const [extension] = extensionCases
  const id = extension?.id ?? ""

  it("are listed only when asked for", async () => {
    expect((await execute(["list"])).out).not.toContain("extensions/")
    expect((await execute(["list", "--extensions"])).out).toContain(` ${id} `)
    expect((await execute(["list", "--clauses"])).out).not.toContain("SUPPRESSION-E1")
    const clauses = (await execute(["list", "--clauses", "--extensions"])).out
    expect(clauses).toMatch(/^SUPPRESSION-E1 +extension +fixtures +[1-9]\d* cases$/m)
  })

  it("are explained with the address of their page", async () => {
    const { out } = await execute(["explain", "CAPS-E12"])
    expect(out).toContain("CAPS-E12 (extension, docs/guides/call-caps.md#what-counts)")
    expect(out).toContain("judged by extensions/call-caps/counts")
  })

  it("are skipped loudly where a server does not offer them", async () => {
    const server = fakeServer({ "GET /v2/scopes": [200, { scopes: [] }] })
    const seen = await execute(["run", ...target, ...only, "--extensions"], server)
    expect(seen.status).toBe(0)
    expect(seen.out).toMatch(/^extension call-caps: SKIPPED, 0\/\d+ judged: GET \/v2\/scopes lists no route/m)
    expect((await execute(["run", ...target, ...only], server)).out).not.toContain("extension")
  })

  it("are replayed only where the run asks for them", async () => {
    const without = await execute(["replay", id, ...target, "--seed", "1", "--nonce", "abcd"])
    expect([without.status, without.err]).toEqual([2, expect.stringContaining("say --extensions")])
    const seen = await execute(["replay", id, ...target, "--seed", "1", "--nonce", "abcd", "--extensions"])
    expect(seen.out).toContain(`n/a        ${id}  (the target does not offer`)
  })

  it("are compared where all runs asked for them", async () => {
    const run = (states: object, asks: boolean) =>
      JSON.stringify({
        schema: reportSchema,
        outcome: "holds",
        levels: [],
        clauseStates: states,
        cases: [],
        ...(asks ? { extensions: [] } : {}),
      })
    const one = run({ "CAPS-E5": "held" }, true)
    const files = { "one.json": one, "two.json": run({ "CAPS-E5": "broken" }, true), "old.json": run({}, false) }
    expect((await execute(["matrix", "one.json", "two.json"], fakeServer(), files)).out).toContain("CAPS-E5")
    expect((await execute(["matrix", "one.json", "old.json"], fakeServer(), files)).out).not.toContain("CAPS-E5")
  })
})

describe("explain", () => {
  it("quotes what a case, a clause or an ambient rule is about", async () => {
    expect((await execute(["explain", "identity/user-me"])).out).toContain("`organization_id` (string)")
    expect((await execute(["explain", "ERROR-STATUS-7"])).out).toContain("502 is never returned.")
    expect((await execute(["explain", "ambient:transport/never-502"])).out).toContain("502 is never returned.")
  })
})
