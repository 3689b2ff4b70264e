import { createServer, request as ask } from "node:http"
import type { AddressInfo } from "node:net"
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
