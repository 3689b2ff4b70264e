import type { AuditRecord } from "@carillon/core"
import { AuditChain } from "@carillon/core/domain"
import { assert, describe, it } from "vitest"
import { program } from "../../src/command/Program.ts"

const chain = (length: number): ReadonlyArray<AuditRecord> => {
  const records: Array<AuditRecord> = []
  let head = AuditChain.emptyChain
  for (let nth = 1; nth <= length; nth++) {
    const record = AuditChain.append(head, {
      event_id: `aud_${nth}`,
      organization_id: "org_1",
      actor: { type: "api_key", key_id: "key_1" },
      action: "call.create",
      resource: { type: "call", id: `exec_${nth}` },
      outcome: "allowed",
      error_code: null,
      http_status: null,
      request_id: null,
      details: { nth },
      created_at: 1_700_000_000_000 + nth,
    })
    records.push(record)
    head = AuditChain.headOf(record)
  }
  return records
}

const records = chain(250)
const json = (list: ReadonlyArray<AuditRecord>) => list.map((record) => JSON.stringify(record))

const run = async (args: ReadonlyArray<string>, lines: ReadonlyArray<string> = [], ask?: typeof fetch) => {
  const out: Array<string> = []
  const err: Array<string> = []
  const code = await program(args, {
    env: {},
    lines: async function* () {
      yield* lines
    },
    write: (line) => out.push(line),
    complain: (line) => err.push(line),
    ...(ask === undefined ? {} : { fetch: ask }),
  })
  return { code, out, err }
}

describe("audit verify", () => {
  it("holds a whole chain, and finds an edit, a gap and a cut tail", async () => {
    const head = records.at(-1)?.hash ?? ""
    const verify = (lines: ReadonlyArray<string>) =>
      run(["audit", "verify", "trail.jsonl", "--expected-head", head, "--expected-count", "250"], lines)
    const whole = await verify(json(records))
    assert.deepStrictEqual([whole.code, JSON.parse(whole.out.join("")).checked], [0, 250])
    const reasonOf = async (lines: ReadonlyArray<string>) => {
      const { code, out } = await verify(lines)
      return [code, JSON.parse(out.join("")).reason]
    }
    assert.deepStrictEqual(await reasonOf(json(records).toSpliced(10, 1)), [1, "gap"])
    assert.deepStrictEqual(await reasonOf(json(records.slice(0, -1))), [1, "tail_missing"])
    const edited = json(records).with(3, JSON.stringify({ ...records[3], outcome: "denied" }))
    assert.deepStrictEqual(await reasonOf(edited), [1, "edited"])
  })

  it("refuses a line that another parser would read as something else", async () => {
    const twice = json(records).map((line) => line.replace('"action":', '"action":"call.stop","action":'))
    const { code, err } = await run(["audit", "verify", "trail.jsonl"], twice)
    assert.deepStrictEqual([code, err], [1, ["trail.jsonl: line 1 names a member twice"]])
    const told = { ...records[0], details: { 'a":': ':{"b":1', c: [{ d: ":" }], e: "\\" } }
    const line = JSON.stringify(told)
    assert.strictEqual(JSON.parse((await run(["audit", "verify", "f"], [line])).out.join("")).reason, "edited")
  })

  it("names the line that is no record", async () => {
    const { code, err } = await run(["audit", "verify", "trail.jsonl"], [...json(records.slice(0, 1)), "", "{}"])
    assert.deepStrictEqual([code, err], [1, ["trail.jsonl: line 3 is not an audit record"]])
  })
})

describe("audit export", () => {
  it("writes the trail in chain order, so that it verifies", async () => {
    const asked: Array<string> = []
    const newest = records.toReversed()
    const ask: typeof fetch = (target, init) => {
      const query = new URL(String(target)).searchParams
      asked.push(new Headers(init?.headers).get("authorization") ?? "")
      const page = Number(query.get("page"))
      const data = newest.slice((page - 1) * 100, page * 100)
      return Promise.resolve(Response.json({ data, pagination: { total_pages: 3 } }))
    }
    const { code, out } = await run(
      ["audit", "export", "--base-url", "http://service.test/", "--key", "gat_k"],
      [],
      ask,
    )
    assert.deepStrictEqual([code, out], [0, json(records)])
    assert.deepStrictEqual([...new Set(asked)], ["Bearer gat_k"])
    assert.strictEqual((await run(["audit", "verify", "-"], out)).code, 0)
  })

  it("is not led astray by what is appended meanwhile, and says so where it is", async () => {
    const growing = (appended: (asked: number) => number, created_at: (record: AuditRecord) => string) => {
      let asked = 0
      const ask: typeof fetch = (target) => {
        const query = new URL(String(target)).searchParams
        const seen = records
          .slice(0, 150 + appended(asked++))
          .map((record) => ({ ...record, created_at: created_at(record) }))
        const until = query.get("to_date")
        const found = seen.filter((record) => until === null || record.created_at <= until).toReversed()
        const page = Number(query.get("page"))
        const data = found.slice((page - 1) * 100, page * 100)
        return Promise.resolve(Response.json({ data, pagination: { total_pages: Math.ceil(found.length / 100) } }))
      }
      return run(["audit", "export", "--base-url", "http://service.test", "--key", "gat_k"], [], ask)
    }
    const later = await growing(
      (asked) => asked * 5,
      (record) => record.created_at,
    )
    assert.deepStrictEqual([later.code, later.out.length], [0, 150])
    const atOnce = await growing(
      (asked) => asked * 5,
      () => "2026-01-05T09:00:00.000Z",
    )
    assert.deepStrictEqual([atOnce.code, atOnce.err], [3, ["the trail changed while it was read; export it again"]])
    const empty = await growing(
      () => -150,
      (record) => record.created_at,
    )
    assert.deepStrictEqual([empty.code, empty.out], [0, []])
  })

  it("says when the service refuses", async () => {
    const ask: typeof fetch = () => Promise.resolve(Response.json({ error: 1102, message: "No." }, { status: 403 }))
    const { code, err } = await run(["audit", "export", "--base-url", "http://service.test", "--key", "gat_k"], [], ask)
    assert.strictEqual(code, 3)
    assert.match(err.join(), /403/)
  })
})

it("explains itself where it is not understood", async () => {
  for (const args of [[], ["audit"], ["audit", "verify"], ["audit", "export"], ["audit", "verify", "f", "--nope"]]) {
    assert.strictEqual((await run(args)).code, 2)
  }
  assert.strictEqual((await run(["--help"])).code, 0)
})
