import { nodeServer } from "@carillon/http/node"
import { openInMemory } from "../engine/InMemory.ts"
import { announce } from "./Served.ts"

/** The whole path with limits out of the way. The dials of a round end after it, so that none is asked about in another one. */
const { ask, carillon, dial, endCalls, forgetCalls, key } = await openInMemory()
const { text } = await ask("POST", "/v2/calls", dial)
await endCalls()
const read = `/v2/calls/${String(JSON.parse(text).execution_id)}`

announce(nodeServer(carillon.handle), { key, dial, read }, async () => {
  if ((await endCalls()) > 0) throw new Error("A call did not end as it was told to.")
  forgetCalls()
})
