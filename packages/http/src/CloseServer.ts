import type { Server } from "node:http"
import { limits } from "@carillon/core"

/** How often a server that is closing looks for connections that have become idle. */
const lookMs = 20

/**
 * Closes a server: it takes no more connections, answers what is open while the engine drains, and lets go of every connection at the end,
 * whoever still hangs on to one. Where the engine fails to drain, so does this, once the server is closed.
 */
export const closeServer = async (server: Server, drain: () => Promise<void>): Promise<void> => {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  const look = setInterval(() => server.closeIdleConnections(), lookMs)
  try {
    await drain()
  } finally {
    const patience = setTimeout(() => server.closeAllConnections(), limits.drainConnectionsMs)
    await closed
    clearInterval(look)
    clearTimeout(patience)
  }
}
