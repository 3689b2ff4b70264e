import { parseArgs } from "node:util"
import { makeOrganization } from "./control.ts"
import { Fields } from "./fields.ts"
import { serve } from "./server.ts"
import { World } from "./world.ts"

/** `node main.ts --port 4020`: serves `/v2` and `/_sim` on this machine and prints one line of JSON. */
const { values } = parseArgs({ options: { port: { type: "string", default: "4020" } } })

const world = new World()
const { shown } = makeOrganization(world, new Fields({ keys: [{ keys_write: true }] }))

const server = serve(world, { controlled: true }).listen(Number(values.port), "127.0.0.1", () => {
  const address = server.address()
  const port = typeof address === "object" ? address?.port : values.port
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, key: shown.keys[0]?.key }))
})
