// The example of `docs/guides/processes.md` in a process of its own, with ports in memory.
import { Carillon } from "@carillon/http"
import { serve } from "../../examples/draining.ts"

const carillon = await Carillon.inMemory({
  carrier: {
    dial: async () => ({ _tag: "Accepted", call_sid: null }),
    hangup: async () => "Sent",
    find: async () => ({ _tag: "NoAnswer" }),
  },
})
const server = serve(carillon, 0)
server.once("listening", () => console.log(JSON.stringify({ address: server.address(), key: "" })))
