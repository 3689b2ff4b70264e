import { readFileSync } from "node:fs"
import { type CarrierReport, InvalidField } from "@carillon/core"
import { assert, describe, it } from "vitest"
import { callbacks } from "../examples/carrier.ts"
// Its suite runs as part of this file.
import "../examples/carrier.test.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const call = { id: "CA1", key: "exec_1", state: "ringing", at: 5, seconds: 0 }
const post = (body: object, secret = "whisper") =>
  new Request("http://host.test/", {
    method: "POST",
    headers: { "x-callback-secret": secret },
    body: JSON.stringify(body),
  })

describe("the guide to carriers", () => {
  it("shows the files that are run here", () => {
    for (const file of ["examples/carrier.ts", "examples/carrier.test.ts"])
      assert.include(text("guides/carrier.md"), text(file))
  })

  it("takes a callback once it is kept, and no forged or malformed one", async () => {
    const reports: Array<CarrierReport> = []
    const take = callbacks(async (report) => reports.push(report), "whisper")
    const away = callbacks(() => Promise.reject(new Error("away")), "whisper")
    const never = callbacks(() => Promise.reject(new InvalidField({ field: "at", reason: "is odd" })), "whisper")
    const answers = [
      take(post(call)),
      take(post(call, "shout")),
      take(post({ ...call, state: "lost" })),
      away(post(call)),
      never(post(call)),
    ]
    assert.deepStrictEqual(
      (await Promise.all(answers)).map(({ status }) => status),
      [204, 401, 400, 503, 400],
    )
    assert.deepStrictEqual(reports, [{ execution_id: "exec_1", at: 5, call_sid: "CA1", type: "ringing" }])
  })
})
