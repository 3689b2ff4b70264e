import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import { parseArgs } from "node:util"

/**
 * Endpoints of webhooks, each a path of its own. Every signature is verified; `/hanging` never answers. The parent gets the port, and
 * how many deliveries were not genuine whenever it asks.
 */
const { values } = parseArgs({ options: { secret: { type: "string", default: "" } } })
let refused = 0

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    if (request.url === "/hanging") return
    const [, t = "", v1 = ""] = /^t=(\d+),v1=(\w+)$/.exec(String(request.headers["x-service-signature"])) ?? []
    const genuine = createHmac("sha256", values.secret).update(`${t}.`).update(Buffer.concat(chunks)).digest("hex")
    if (v1 !== genuine) refused += 1
    response.writeHead(v1 === genuine ? 204 : 400).end()
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(typeof address === "object" && address !== null ? address.port : 0)
})
process.on("message", () => process.send?.(refused))
process.on("disconnect", () => process.exit(0))
