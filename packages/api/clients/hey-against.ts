// Uses what hey-api generates against a service that runs: `npm run check:openapi` starts the simulator for it. It ends with an error where an
// answer is not what its type says.
import { createClient } from "./hey/client/index.js"
import * as sdk from "./hey/index.js"

declare const process: { readonly argv: ReadonlyArray<string> }

const expect = (what: string, found: unknown, expected: unknown): void => {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== should) throw new Error(`${what} is ${is} and not ${should}`)
}

const [baseUrl = "", key = "", agent_id = ""] = process.argv.slice(2)
const client = createClient({ baseUrl, auth: key })

const placed = await sdk.callsPlace({
  client,
  body: { agent_id, to_number: "+15555550100", variables: { first_name: "Ada", visits: 3 } },
})
if (placed.data === undefined || !("execution_id" in placed.data)) throw new Error("The dial was refused.")
const path = { execution_id: placed.data.execution_id }

const read = await sdk.callsGet({ client, path, query: { include_transcript: true } })
expect("variables", read.data?.variables, { first_name: "Ada", visits: 3 })

const listed = await sdk.callsList({ client, query: { status: ["queued", "completed"], page_size: 1 } })
expect("the total", listed.data?.pagination.total, 1)

const campaign = await sdk.campaignsCreate({
  client,
  body: { name: "Renewals", agent_id, contacts: [{ to_number: "+15555550101", first_name: "Grace" }] },
})
expect("contacts", campaign.data?.total_contacts, 1)

const refused = await sdk.callsGet({ client, path: { execution_id: "exec_of_nobody" } })
expect("the code", refused.error?.error, 1200)
console.log("The client of hey-api and the simulator understand one another.")
