import { readFileSync } from "node:fs"
import type { DialOutcome, PromiseCarrier } from "@carillon/core"
import { webHandler } from "@carillon/http/web"
import { describe, expect, it } from "vitest"
import { engineWith } from "../examples/carriers.ts"

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8")

const carrier = (said: DialOutcome) => {
  const dialled: Array<string> = []
  const port: PromiseCarrier = {
    dial: async ({ to_number }) => {
      dialled.push(to_number)
      return said
    },
    hangup: async () => "Sent",
    find: async () => ({ _tag: "Unknown" }),
  }
  return { dialled, port }
}

describe("the guide to several carriers", () => {
  it("shows the file that is run here", () => {
    expect(text("guides/carriers.md")).toContain(text("examples/carriers.ts"))
  })

  it("calls with the first choice, and with the other one while that is away", async () => {
    const german = carrier({ _tag: "Refused", kind: "unreachable" })
    const global = carrier({ _tag: "Accepted", call_sid: null })
    const carillon = await engineWith(german.port, global.port)
    const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
    const web = webHandler(carillon.handle)
    const send = async (path: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const request = new Request(`http://host.test/v2${path}`, { method: "POST", headers, body: JSON.stringify(body) })
      const response = await web(request)
      return { status: response.status, body: Object(await response.json()) }
    }
    const agent = await send("/agents", { display_name: "Ada", status: "ACTIVE" })
    const agent_id = agent.body["agent_id"]
    const answers: Array<number> = []
    for (let nth = 0; nth < 7; nth++) {
      answers.push((await send("/calls", { agent_id, to_number: `+49301234567${nth}` })).status)
    }
    answers.push((await send("/calls", { agent_id, to_number: "+14155550100" })).status)
    expect(answers).toEqual(Array.from({ length: 8 }, () => 201))
    expect(german.dialled).toHaveLength(5)
    expect(global.dialled).toHaveLength(8)
    await carillon.close()
  })
})
