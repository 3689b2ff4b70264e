import { readFileSync } from "node:fs"
import { Simulator } from "@carillon/simulator"
import { describe, expect, it } from "vitest"
import { clauses } from "../../src/clauses/Clauses.ts"
import { runConformance } from "../../src/run/Conformance.ts"
import { broken } from "../engine/Judged.ts"
import { mutants } from "../strength/Mutants.ts"
import { type Chameleon, wearing } from "./Chameleon.ts"
import { chameleons, disguised } from "./Chameleons.ts"
import { filled, unworn } from "./Gaps.ts"

const specification = readFileSync(new URL("../../spec/public-api-v2.md", import.meta.url), "utf8")

/** Real time that a run may take on a busy machine. */
const limitMs = 300_000

/** All that is judged in disguise, but for uploads as large as may be: `npm run conformance:strength` judges those too. */
const here = disguised.flatMap((folder) =>
  folder === "knowledge"
    ? ["query", "kept", "delete", "upload/processed", "upload/image", "upload/limits"].map(
        (part) => `${folder}/${part}`,
      )
    : [folder],
)

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

  it("cover every gap that can be seen", () => {
    const isWorded = (why: string | undefined) => why?.startsWith("The wording of a message may change") === true
    const isWorn = (quote: string) => chameleons.some(({ allows }) => allows.includes(quote) || quote.includes(allows))
    const gaps = clauses.filter(({ level, observable }) => level === "gap" && observable !== "no")
    // Every message is worded otherwise (`wording/...`).
    const open = gaps.filter(({ quote, why }) => !isWorded(why) && !isWorn(quote)).map(({ id }) => id)
    expect(open.toSorted()).toEqual([...Object.keys(filled), ...Object.keys(unworn)].toSorted())
    const mutated = new Set(mutants.map(({ clause }) => clause))
    expect(
      Object.values(filled)
        .flat()
        .filter((reading) => !mutated.has(reading)),
    ).toEqual([])
  })

  it(
    "fail nothing where no profile is named, all of them at once",
    async () => {
      const report = await judge(chameleons, here)
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
