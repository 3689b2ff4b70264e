import { createServer, request as ask } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { type CallbackHandler, mountOnNode, Newest, readBounded } from "@carillon/core/carrier"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"

const served = async (handle: CallbackHandler, test: (base: string) => Promise<void>) => {
  const server = createServer(mountOnNode(handle, "/vendor"))
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  try {
    await test(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

describe("the mount on node:http", () => {
  it("hands on method, path, query, headers and body, and the answer as it comes", async () => {
    const handle = async (request: Request) => {
      const { pathname, search } = new URL(request.url)
      const body = new TextDecoder().decode((await readBounded(request.body, 1_000_000)) ?? new Uint8Array())
      const said = `${request.method} ${pathname}${search} ${request.headers.get("x-one")} ${body.length}`
      return new Response(said, { status: 201, headers: { "x-two": "2" } })
    }
    await served(handle, async (base) => {
      const body = "x".repeat(500_000)
      const answer = await fetch(`${base}/vendor/a?b=c%20d`, { method: "POST", headers: { "x-one": "1" }, body })
      assert.deepStrictEqual([answer.status, answer.headers.get("x-two")], [201, "2"])
      assert.strictEqual(await answer.text(), "POST /vendor/a?b=c%20d 1 500000")
      assert.strictEqual((await fetch(`${base}/vendorish/a`)).status, 404)
    })
  })

  it("answers also what fetch knows no request for, and goes on", async () => {
    const handle = async ({ method }: Request) => new Response(method)
    await served(handle, async (base) => {
      const status = (method: string) =>
        new Promise((resolve, reject) => {
          ask(`${base}/vendor/a`, { method }, (answer) => resolve(answer.resume().statusCode))
            .on("error", reject)
            .end()
        })
      assert.strictEqual(await status("TRACE"), 405)
      assert.strictEqual(await status("PROPFIND"), 200)
    })
  })

  /** What a client is answered that sends these bytes as they are, and whether the connection ends after so many bytes more. */
  const raw = (base: string, head: ReadonlyArray<string>, ...pieces: ReadonlyArray<string>) => {
    const socket = connect(Number(new URL(base).port), "127.0.0.1")
    let received = ""
    socket.setEncoding("latin1").on("data", (text: string) => (received += text))
    socket.on("error", () => undefined)
    const isOver = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.write([...head, "", ""].join("\r\n"))
    for (const piece of pieces) socket.write(piece)
    return {
      socket,
      isOver,
      answer: async () => {
        while (!received.includes("\r\n\r\n")) await new Promise((resolve) => setTimeout(resolve, 1))
        const [answer = ""] = received.split("\r\n\r\n")
        received = ""
        return answer
      },
    }
  }

  it("takes up a few requests in a turn of the event loop, however many come at once", async () => {
    let [taken, before, most] = [0, 0, 0]
    const handle = async () => {
      taken += 1
      return new Response(null, { headers: { "content-length": "0" } })
    }
    await served(handle, async (base) => {
      const client = raw(base, [
        ...Array.from({ length: 199 }, () => "GET /vendor/a HTTP/1.1\r\nHost: x\r\n"),
        "GET /vendor/a HTTP/1.1",
        "Host: x",
      ])
      while (taken < 200) {
        before = taken
        await new Promise((resolve) => setImmediate(resolve))
        most = Math.max(most, taken - before)
      }
      // Those of one turn may begin behind the look and end before the next.
      assert.isAtMost(most, 16)
      client.socket.destroy()
    })
  })

  it("reads no more of a connection on which requests wait for their answer, and goes on as they are answered", async () => {
    const answer = Promise.withResolvers<void>()
    let came = 0
    const handle = async () => {
      came += 1
      await answer.promise
      return new Response(null, { headers: { "content-length": "0" } })
    }
    await served(handle, async (base) => {
      const head = ["GET /vendor/a HTTP/1.1", "Host: x"]
      const one = [...head, "", ""].join("\r\n")
      const client = raw(base, head, one.repeat(7_999))
      for (let before = -1; before < came;) {
        before = came
        await new Promise((resolve) => setTimeout(resolve, 300))
      }
      assert.isAtMost(came, 17 + Math.ceil((64 * 1024) / one.length))
      answer.resolve()
      while (came < 8_000) await new Promise((resolve) => setTimeout(resolve, 1))
      client.socket.destroy()
    })
  })

  it("hands on a body that was sent a byte at a time in few pieces", async () => {
    let pieces = 0
    const handle = async ({ body }: Request) => {
      let bytes = 0
      for await (const piece of body ?? []) {
        pieces += 1
        bytes += piece.length
      }
      return new Response("", { headers: { "content-length": "0", "x-bytes": String(bytes) } })
    }
    await served(handle, async (base) => {
      const bytes = 200_000
      const head = ["POST /vendor/a HTTP/1.1", "Host: x", "Transfer-Encoding: chunked"]
      const client = raw(base, head, "1\r\nx\r\n".repeat(bytes), "0\r\n\r\n")
      assert.match(await client.answer(), new RegExp(`x-bytes: ${bytes}`))
      // Node reads up to 64 KiB at once, in which ten thousand of them came.
      assert.isBelow(pieces, bytes / 100)
      client.socket.destroy()
    })
  })

  it("answers also who has more to send than is read, and throws so much of it away", async () => {
    const handle = async ({ body }: Request) => {
      const read = await readBounded(body, 100_000)
      return new Response(null, { status: read === null ? 413 : 200, headers: { "content-length": "0" } })
    }
    const unread = async () => new Response(null, { status: 403, headers: { "content-length": "0" } })
    const head = ["POST /vendor/a HTTP/1.1", "Host: x"]
    for (const [how, status] of [
      [handle, 413],
      [unread, 403],
    ] as const) {
      await served(how, async (base) => {
        const bytes = 800_000
        const client = raw(base, [...head, `Content-Length: ${bytes}`], "x".repeat(bytes))
        assert.match(await client.answer(), new RegExp(`^HTTP/1.1 ${status}`))
        // The connection carries the next request.
        client.socket.write([...head, "Content-Length: 2", "", "ok"].join("\r\n"))
        assert.match(await client.answer(), new RegExp(`^HTTP/1.1 ${status === 413 ? 200 : 403}`))
        client.socket.destroy()
        const endless = raw(base, [...head, "Transfer-Encoding: chunked"], "80000\r\n", "x".repeat(0x80000), "\r\n")
        assert.match(await endless.answer(), new RegExp(`^HTTP/1.1 ${status}`))
        endless.socket.write(`100000\r\n${"x".repeat(0x100000)}\r\n`)
        await endless.isOver
        const announced = raw(base, [...head, "Content-Length: 2000000"], "x".repeat(200_000))
        assert.match(await announced.answer(), /connection: close/i)
        await announced.isOver
      })
    }
  })

  it("sends no faster than it is read, and whole", async () => {
    const piece = new Uint8Array(64 * 1024)
    let given = 0
    const sound = () =>
      new ReadableStream({
        pull: (controller) => {
          if (given === 100) controller.close()
          else controller.enqueue(piece)
          given += 1
        },
      })
    await served(
      async () => new Response(sound()),
      async (base) => {
        assert.strictEqual((await (await fetch(`${base}/vendor/a`)).arrayBuffer()).byteLength, 100 * piece.length)
      },
    )
  })

  it("lets go of an answer whose listener has gone, also while nothing comes", async () => {
    const gone = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const silent = () =>
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)), cancel: () => gone.resolve() })
    const handle = async (request: Request) => {
      request.signal.addEventListener("abort", () => aborted.resolve())
      return new Response(silent())
    }
    await served(handle, async (base) => {
      const listener = ask(`${base}/vendor/a`, (answer) => answer.once("data", () => listener.destroy()))
      listener.on("error", () => undefined).end()
      await Promise.all([gone.promise, aborted.promise])
    })
  })

  it("breaks off where the handler or the answer fails, and serves whoever comes next", async () => {
    const failing = () => new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) })
    const handle = async ({ url }: Request) => {
      if (url.endsWith("throws")) throw new Error("mistake")
      return new Response(url.endsWith("fails") ? failing() : "well")
    }
    await served(handle, async (base) => {
      for (const path of ["throws", "fails"]) {
        const isBroken = await fetch(`${base}/vendor/${path}`)
          .then((answer) => answer.text())
          .then(
            () => false,
            () => true,
          )
        assert.isTrue(isBroken, path)
      }
      assert.strictEqual(await (await fetch(`${base}/vendor/a`)).text(), "well")
    })
  })
})

describe("what is remembered", () => {
  it("is the newest, and no more of it than that", () => {
    const word = fc.constantFrom("a", "b", "c", "d", "e")
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.boolean())), fc.integer({ min: 1, max: 4 }), (words, max) => {
        const newest = new Newest<number>(max)
        let model: ReadonlyArray<readonly [string, number]> = []
        words.forEach(([id, isKept], nth) => {
          model = model.filter(([known]) => known !== id)
          if (!isKept) return newest.forget(id)
          model = [...model, [id, nth] as const]
          const dropped = newest.keep(id, nth)
          assert.strictEqual(dropped, model.length > max ? (model[0]?.[0] ?? null) : null)
          model = model.slice(-max)
        })
        for (const id of ["a", "b", "c", "d", "e"]) {
          assert.strictEqual(newest.find(id), model.find(([known]) => known === id)?.[1] ?? null)
        }
      }),
    )
  })
})
