import { connect, type Socket } from "node:net"

const sockets = new Set<Socket>()

/** Closes every connection that was opened; to be called after each test. */
export const closeConnections = (): void => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}

/** A connection on which a test writes bytes, and reads answers one by one. */
export const openConnection = async (port: number) => {
  const socket = connect(port, "127.0.0.1")
  sockets.add(socket)
  let received = ""
  let closed = false
  let notify = () => {}
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    received += chunk
    notify()
  })
  socket.on("close", () => {
    closed = true
    notify()
  })
  socket.on("error", () => {})
  const more = () => new Promise<void>((resolve) => (notify = resolve))
  return {
    socket,
    write: (text: string | Uint8Array) => socket.write(text),
    closed: async () => {
      while (!closed) await more()
    },
    answer: async (): Promise<{ status: number; head: string; body: string }> => {
      for (;;) {
        const end = received.indexOf("\r\n\r\n")
        const head = received.slice(0, end)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (end >= 0 && received.length >= end + 4 + length) {
          const body = received.slice(end + 4, end + 4 + length)
          received = received.slice(end + 4 + length)
          return { status: Number(head.slice(9, 12)), head, body }
        }
        if (closed) throw new Error(`closed after: ${received}`)
        await more()
      }
    },
  }
}

/** The head of a request as it is sent. */
export const head = (method: string, target: string, headers: ReadonlyArray<string>): string =>
  [`${method} ${target} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n")
