import type { Server } from "node:http"

/** Makes a server listen on a free port, which is returned. Without a parent the process ends. */
export const listen = async (server: Server): Promise<number> => {
  process.once("disconnect", () => process.exit(0))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}
