import { createServer, type Socket } from "node:net"

/** A server that answers the first requests as it should, so that the run begins, and then sends what it likes. */
export interface Hostile {
  readonly url: string
  readonly close: () => Promise<void>
}

const me = JSON.stringify({ organization_id: "org_1", developer: { key_id: "key_1" } })

const greeting = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${me.length}\r\nConnection: close\r\n\r\n${me}`

/** Opens a server on a free port whose connections are handled like this, all but the first. */
export const openHostile = async (attack: (socket: Socket) => void): Promise<Hostile> => {
  const open = new Set<Socket>()
  let greeted = false
  const server = createServer((socket) => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    // What a client does to a connection that misbehaves is its own affair.
    socket.on("error", () => socket.destroy())
    socket.once("data", () => {
      if (greeted) attack(socket)
      else socket.end(greeting)
      greeted = true
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of open) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
