import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { runConformance } from "../../src/run/Conformance.ts"
import { broken } from "../engine/Judged.ts"
import { type Chameleon, wearing } from "./Chameleon.ts"
import { chameleons, disguised } from "./Chameleons.ts"

const specification = readFileSync(new URL("../../spec/public-api-v2.md", import.meta.url), "utf8")

/** Real time that a run may take on a busy machine. */
const limitMs = 300_000

const judge = async (worn: ReadonlyArray<Chameleon>, only: ReadonlyArray<string>) => {
  const simulator = await Simulator.start({ clock: "manual" })
  try {
    return await runConformance({
      baseUrl: "http://simulator.test",
      controlUrl: "http://simulator.test",
      key: simulator.info.key,
      fetch: wearing(worn, simulator.fetch),
      only,
    })
  } finally {
    await simulator.close()
  }
}

describe("conforming variations", () => {
  it("are many, each with a name of its own and the words that allow it", () => {
    expect(chameleons.length).toBeGreaterThanOrEqual(60)
    expect(new Set(chameleons.map(({ id }) => id)).size).toBe(chameleons.length)
    expect(chameleons.filter(({ allows }) => !specification.includes(allows)).map(({ id }) => id)).toEqual([])
  })

  it(
    "fail nothing where no profile is named, all of them at once",
    async () => {
      const report = await judge(chameleons, disguised)
      expect(broken(report.cases)).toEqual([])
      expect(report.outcome).toBe("holds")
      expect(Object.values(report.clauseStates)).toContain("read-otherwise")
    },
    limitMs,
  )
})

describe("what is worn", () => {
  const breaking: Chameleon = {
    id: "breaks/status",
    allows: "",
    reply: (reply, { path }) => (path === "/v2/user/me" ? { ...reply, status: 502 } : reply),
  }

  it("is seen: a variation that nothing allows fails", async () => {
    const report = await judge([breaking], ["identity/user-me"])
    expect(report.outcome).toBe("fails")
    expect(report.clauseStates["ERROR-STATUS-7"]).toBe("broken")
  })
})
