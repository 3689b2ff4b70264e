import type { Server } from "node:http"
import type { FromProcess } from "./Protocol.ts"

export const tell = (message: FromProcess): void => void process.send?.(message)

/** Makes a server listen on a free port and tells the parent which. Without a parent the process ends. */
export const announce = (server: Server): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    tell({ type: "listening", port: typeof address === "object" && address !== null ? address.port : 0 })
  })
  process.on("disconnect", () => process.exit(0))
}
