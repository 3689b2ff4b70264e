import { expect, test } from "vitest"
import { Client } from "./Client.ts"

test("an inbox is the host of its address, in which upper case is lower case", async () => {
  const client = await Client.start()
  await client.put("/_sim/inbox/Foo", { status: 500 })
  const url = "https://Foo.inbox.test/hook"
  const { body } = await client.post("/v2/webhooks/test", { callback_url: url, event_type: "call_completed" })
  await client.idle()
  expect((await client.get("/_sim/inbox/FOO")).body.data).toHaveLength(1)
  expect(JSON.stringify(body)).toContain("500")
})
