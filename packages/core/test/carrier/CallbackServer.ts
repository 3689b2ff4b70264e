import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { type CallbackHandler, mountOnNode } from "@carillon/core/carrier"

/** A server of callbacks under a path, whose handler is another one when the host's process is. */
export const callbackServer = async (path: string) => {
  let current: CallbackHandler = async () => new Response(null, { status: 503 })
  const server = createServer(mountOnNode((request) => current(request), path))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mount: (handle: CallbackHandler) => {
      current = handle
    },
    close: () => {
      server.close().closeAllConnections()
    },
  }
}

/** Lets what is on its way on this machine come in. */
export const pause = (ms: number) => () => new Promise<void>((resolve) => void setTimeout(resolve, ms))
