import { createServer, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { pieceBytes, upload } from "../../src/http/Upload.ts"
import { NoAnswer, Wire } from "../../src/http/Wire.ts"

const mib = 1024 * 1024

/** More than the buffers of both ends hold. */
const large = new Uint8Array(24 * mib)

const answered = (status: string) =>
  `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: 14\r\nConnection: close\r\n\r\n{"error":1000}`

interface Came {
  connections: number
  bytes: number
}

/** Has a server deal with one upload, told so many bytes as have come to it on this connection. */
const uploaded = async (
  deal: (socket: Socket, bytes: number) => void,
  body: Uint8Array<ArrayBuffer> | string = large,
) => {
  const came: Came = { connections: 0, bytes: 0 }
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    came.connections += 1
    let bytes = 0
    open.add(socket)
    // What a client does to a connection that misbehaves is its own affair.
    socket.on("error", () => socket.destroy())
    socket.on("data", (data) => {
      bytes += data.byteLength
      came.bytes += data.byteLength
      deal(socket, bytes)
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const wire = new Wire({
    fetch: (request) => globalThis.fetch(request),
    upload,
    secrets: new Set(),
    timeoutMs: 20_000,
    sleep: async () => {},
  })
  try {
    const url = `http://127.0.0.1:${port}/v2/knowledge-bases`
    const answer = await wire
      .send({ method: "POST", url, headers: { "content-type": "application/octet-stream" }, body })
      .catch((error: unknown) => (error instanceof NoAnswer ? error : Promise.reject(error)))
    return { answer, came }
  } finally {
    for (const socket of open) socket.destroy()
    await new Promise((closed) => server.close(closed))
  }
}

/** Does something once for each connection. */
const onceEach = (act: (socket: Socket) => void, from = 1) => {
  const met = new Set<Socket>()
  return (socket: Socket, bytes: number) => {
    if (bytes < from || met.has(socket)) return
    met.add(socket)
    act(socket)
  }
}

const refusals: Readonly<
  Record<string, { readonly from: number; readonly act: (socket: Socket, words: string) => void }>
> = {
  "by its head, and closes": { from: 1, act: (socket, words) => socket.end(words, () => socket.destroy()) },
  "by its head, and reads no more": {
    from: 1,
    act: (socket, words) => {
      socket.pause()
      socket.end(words)
    },
  },
  "by its head, and resets": { from: 1, act: (socket, words) => socket.write(words, () => socket.resetAndDestroy()) },
  "after a part, and closes": { from: 6 * mib, act: (socket, words) => socket.end(words, () => socket.destroy()) },
  "after a part, and resets": {
    from: 6 * mib,
    act: (socket, words) => socket.write(words, () => socket.resetAndDestroy()),
  },
}

describe("a large upload", () => {
  it.each(
    Object.entries(refusals).flatMap(([how, refusal]) =>
      ["401 Unauthorized", "413 Content Too Large"].map((status) => ({ how, status, ...refusal })),
    ),
  )("that is answered $status $how, has got this answer", async ({ act, from, status }) => {
    const { answer, came } = await uploaded(onceEach((socket) => act(socket, answered(status)), from))
    expect(answer).toMatchObject({ status: Number(status.slice(0, 3)), text: '{"error":1000}' })
    expect(came.bytes).toBeLessThan(large.byteLength)
  })

  it("comes whole to a server that wants all of it", async () => {
    const { answer, came } = await uploaded(onceEach((socket) => socket.end(answered("201 Created")), large.byteLength))
    expect(answer).toMatchObject({ status: 201 })
    expect(came.connections).toBe(1)
    expect(came.bytes).toBeGreaterThan(large.byteLength)
  })

  it("that breaks without an answer is sent three times, and what is told says how far it came", async () => {
    const { answer, came } = await uploaded(onceEach((socket) => socket.resetAndDestroy()))
    expect(came.connections).toBe(3)
    expect(answer).toMatchObject({ name: "NoAnswer", dropped: true })
    expect(String(answer)).toMatch(new RegExp(`when \\d+ of ${large.byteLength} bytes were sent, and no answer came`))
  })

  it("that came whole and got no answer is never sent again", async () => {
    const { answer, came } = await uploaded(onceEach((socket) => socket.resetAndDestroy(), large.byteLength))
    expect(came.connections).toBe(1)
    expect(answer).toMatchObject({ name: "NoAnswer", dropped: true })
  })

  it("is one whose bytes are many, not its letters", async () => {
    const { answer, came } = await uploaded(
      onceEach((socket) => socket.resetAndDestroy()),
      "é".repeat(pieceBytes / 2 + 1),
    )
    expect(came.connections).toBe(3)
    expect(answer).toMatchObject({ name: "NoAnswer" })
  })
})
