// What someone would write with the client that hey-api generates. `npm run check:openapi` compiles it, by TypeScript 5 and by the project's own.
import { createClient } from "./hey/client/index.js"
import * as sdk from "./hey/index.js"

const client = createClient({ baseUrl: "http://127.0.0.1:4010", auth: "gat_…" })

export const place = async (): Promise<string> => {
  const { data, error } = await sdk.callsPlace({
    client,
    body: { agent_id: "agt_1", to_number: "+15555550100", variables: { first_name: "Ada", visits: 3 } },
  })
  if (data === undefined) return error.message
  return "scheduled_at" in data ? data.scheduled_at : data.execution_id
}

export const read = async (execution_id: string): Promise<string | undefined> => {
  const { data } = await sdk.callsGet({ client, path: { execution_id }, query: { include_transcript: true } })
  return data?.status
}

/** A control that was cleared is left out of the answer, and is never null. */
export const promptOf = async (agent_id: string): Promise<string | undefined> => {
  const { data } = await sdk.agentsGet({ client, path: { agent_id } })
  return data?.prompts.conversation?.system
}

export const start = () =>
  sdk.campaignsCreate({ client, body: { name: "Renewals", agent_id: "agt_1", contacts: [{ to_number: "+1555" }] } })

// @ts-expect-error -- to_number is required.
export const incomplete = () => sdk.callsPlace({ client, body: { agent_id: "agt_1" } })

/** A name that may not be there. Under exactOptionalPropertyTypes it is not the same as one that is undefined. */
export const greet = (first_name: string | undefined) => {
  const to = { agent_id: "agt_1", to_number: "+15555550100" }
  const variables = first_name === undefined ? undefined : { first_name }
  // @ts-expect-error -- variables may be left out, and is never undefined.
  return sdk.callsPlace({ client, body: { ...to, variables } })
}
