import { createClient } from "@carillon/client/promise"

const carillon = createClient({
  baseUrl: process.env["CARILLON_URL"] ?? "http://127.0.0.1:4010",
  key: process.env["CARILLON_KEY"] ?? "",
})

const { data: agents } = await carillon.agents.list({ query: { page_size: 1 } })
const agent_id = agents[0]?.agent_id ?? ""

const { execution_id } = await carillon.calls.place({
  payload: { agent_id, to_number: "+15555550100", variables: { first_name: "Ada" } },
})
export const call = await carillon.callEnd(execution_id, { everyMs: 500 })
console.log(call.status, call.duration_seconds)
