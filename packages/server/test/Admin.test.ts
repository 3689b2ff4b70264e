import { assert, describe, it } from "vitest"
import { adminProgram, adminUsage } from "../src/admin/AdminProgram.ts"
import { adminCommands } from "../src/admin/Commands.ts"
import { linesOf } from "../src/admin/Text.ts"

/** Runs the program where nothing can be reached. */
const run = async (...args: ReadonlyArray<string>) => {
  const [written, complaints]: [Array<string>, Array<string>] = [[], []]
  const code = await adminProgram(args, {
    environment: { CARILLON_DATABASE_URL: "postgres://carillon@127.0.0.1:1/none" },
    readFile: () => assert.fail("no file is read"),
    write: (line) => written.push(line),
    complain: (line) => complaints.push(line),
  })
  return { code, written: written.join("\n"), complaints: complaints.join("\n") }
}

describe("the operator's program", () => {
  it("says what it can do", async () => {
    const { code, written } = await run("--help")
    assert.strictEqual(code, 0)
    assert.strictEqual(written, adminUsage())
    for (const { name, options } of adminCommands) {
      assert.include(written, `carillon-admin ${name}`)
      for (const option of Object.keys(options)) assert.include(written, `--${option} `)
    }
    assert.strictEqual((await run()).code, 2)
  })

  it("ends with 2 where a command is wrong, and names what is", async () => {
    for (const [args, named] of [
      [["organizations", "close"], "organizations close"],
      [["organizations", "open"], "organizations open takes NAME"],
      [["organizations", "show", "one", "two"], "organizations show takes ORGANIZATION"],
      [["organizations", "list", "--number", "+1"], "--number"],
      [["organizations", "list", "--limit", "1", "--limit", "2"], "--limit: is said twice"],
      [["organizations", "list", "--everything"], "--everything"],
      [["migrate", "now"], "migrate now"],
    ] as const) {
      const { code, complaints } = await run(...args)
      assert.strictEqual(code, 2, complaints)
      assert.include(complaints, named)
    }
  })

  it("ends with 1 where PostgreSQL cannot be reached", async () => {
    const { code, complaints, written } = await run("migrate")
    assert.strictEqual(code, 1)
    assert.include(complaints, "ECONNREFUSED")
    assert.strictEqual(written, "")
  })
})

describe("what it says as lines", () => {
  it("is a table of several things, and the fields of one", () => {
    const one = { id: "a", wallet: { balance: 1, currency: "USD" }, tags: ["x", "y"], end: null }
    assert.deepStrictEqual(linesOf(one), [
      "id               a",
      "wallet.balance   1",
      "wallet.currency  USD",
      "tags             x, y",
      "end              -",
    ])
    assert.deepStrictEqual(linesOf([{ id: "a", n: 10 }, { id: "bc" }]), ["id  n", "a   10", "bc"])
    assert.deepStrictEqual(linesOf([]), ["none"])
  })
})
