import { assert } from "vitest"

/** A request with a body of JSON. */
export const post = (json: object, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(json),
})

/** What any mount has to do: the API with bodies, the host's own routes with theirs, and nothing else. */
export const judgeMount = async (send: typeof fetch, url: string, key: string) => {
  const authorization = `Bearer ${key}`
  const made = await send(`${url}/v2/agents`, post({ display_name: "Reminder", status: "ACTIVE" }, { authorization }))
  assert.strictEqual(made.status, 201)
  const { agent_id } = (await made.json()) as { agent_id: string }
  const dialled = await send(`${url}/v2/calls`, post({ agent_id, to_number: "+15555550100" }, { authorization }))
  assert.strictEqual(dialled.status, 201)
  const listed = await send(`${url}/v2/calls?page_size=1`, { headers: { authorization } })
  assert.containSubset(await listed.json(), { pagination: { total: 1, page_size: 1 } })
  const refused = await send(`${url}/v2/calls`)
  assert.strictEqual(refused.status, 401)
  assert.containSubset(await refused.json(), { error: 1100 })
  const unknown = await send(`${url}/v2/of-nobody`, { headers: { authorization } })
  assert.containSubset(await unknown.json(), { error: 1200 })
}
