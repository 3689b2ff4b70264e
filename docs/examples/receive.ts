import { createServer } from "node:http"
import { webhookReceiver } from "@carillon/client/webhooks"

const receive = webhookReceiver({
  secrets: ["whsec_current", "whsec_previous"],
  handle: ({ event_type, call_id }) => console.log(event_type, call_id),
  onRefused: (reason) => console.error("refused:", reason),
})

export const receiver = createServer((request, response) => {
  const chunks: Array<Uint8Array> = []
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk))
  request.on("end", () => {
    const signature = String(request.headers["x-service-signature"] ?? "")
    void receive({ body: Buffer.concat(chunks), signature }).then(({ status }) => response.writeHead(status).end())
  })
}).listen(Number(process.env["PORT"] ?? 3000))
