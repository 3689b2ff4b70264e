import { createServer } from "node:http"
import type { Carillon } from "@carillon/http"
import { closeServer, nodeListener } from "@carillon/http/node"

/** Serves until the process is told to stop. */
export const serve = (carillon: Carillon, port: number) => {
  const server = createServer(nodeListener(carillon.handle)).listen(port)
  process.once("SIGTERM", () => void closeServer(server, carillon.close))
  return server
}
