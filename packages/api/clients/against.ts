// Uses what openapi-typescript generates against a service that runs: `npm run check:openapi` starts the simulator for it. It ends with an
// error where an answer is not what its type says.
import createClient from "openapi-fetch"
import type { paths } from "./schema.ts"

declare const process: { readonly argv: ReadonlyArray<string> }

const expect = (what: string, found: unknown, expected: unknown): void => {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== should) throw new Error(`${what} is ${is} and not ${should}`)
}

const [baseUrl = "", key = "", agent_id = ""] = process.argv.slice(2)
const client = createClient<paths>({
  baseUrl,
  headers: { authorization: `Bearer ${key}` },
  // As the document says; openapi-fetch repeats the parameter unless it is told.
  querySerializer: { array: { style: "form", explode: false } },
})

const placed = await client.POST("/v2/calls", {
  body: { agent_id, to_number: "+15555550100", variables: { first_name: "Ada", visits: 3 } },
})
if (placed.data === undefined) throw new Error(placed.error.message)
expect("the status of a dial", placed.response.status, 201)
const path = { execution_id: placed.data.execution_id }

const read = await client.GET("/v2/calls/{execution_id}", { params: { path, query: { include_transcript: true } } })
expect("variables", read.data?.variables, { first_name: "Ada", visits: 3 })

const listed = await client.GET("/v2/calls", { params: { query: { status: ["queued", "completed"], page_size: 1 } } })
expect("the total", listed.data?.pagination.total, 1)

const campaign = await client.POST("/v2/campaigns", {
  body: { name: "Renewals", agent_id, contacts: [{ to_number: "+15555550101", first_name: "Grace" }] },
})
expect("contacts", campaign.data?.total_contacts, 1)

const refused = await client.GET("/v2/calls/{execution_id}", { params: { path: { execution_id: "exec_of_nobody" } } })
expect("the status", refused.response.status, 404)
expect("the code", refused.error?.error, 1200)

const gone = await client.DELETE("/v2/webhooks/{subscription_id}", { params: { path: { subscription_id: "sub_1" } } })
expect("the code", gone.error?.error, 1200)
console.log("The generated client and the simulator understand one another.")
