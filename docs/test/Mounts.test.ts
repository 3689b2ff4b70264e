import { execFile } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Carillon } from "@carillon/http"
import { nodeListener, type NodeListener } from "@carillon/http/node"
import { webHandler } from "@carillon/http/web"
import { assert, describe, it, test } from "vitest"
import { compiled } from "../../scripts/Compiled.ts"
import { startExample } from "./ExampleProcess.ts"
import { judgeMount, post } from "./JudgedMount.ts"
import { installOwn } from "./OwnPackages.ts"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "docs/examples/mounts")

const missing = installOwn(folder)

// A run without them says so in its last lines (scripts/NotTested.ts).
if (missing !== null) {
  // oxlint-disable-next-line vitest/no-disabled-tests -- there is nothing to run
  test.skip(`cannot be run: the mounts of docs/examples/mounts (${missing})`, () => {})
}

/** The project that each example is compiled in: Bun and Deno bring globals of their own. */
const projects: Readonly<Record<string, ReadonlyArray<string>>> = {
  ".": ["express.ts", "fastify.ts", "hono.ts", "next/app/v2/[...path]/route.ts", "next/engine.ts", "web.ts"],
  bun: ["bun/server.ts"],
  deno: ["deno/server.ts"],
}

describe.skipIf(missing !== null)("the examples of mounts", () => {
  it("are these, and the compiler finds nothing in them", () => {
    const files = globSync("**/*.ts", { cwd: folder, exclude: ["**/node_modules/**"] })
    assert.sameMembers(files, Object.values(projects).flat())
    for (const project of Object.keys(projects)) {
      const { said, status: code } = compiled(join(folder, project))
      assert.strictEqual(code, 0, said)
    }
  })

  for (const file of ["express.ts", "fastify.ts", "hono.ts"]) {
    it(`${file} serves the API beside routes of its own, and ends by itself when it is told to`, async () => {
      const { said, stop, url } = await startExample(file, folder)
      await judgeMount(fetch, url, said.key)
      const own = await fetch(`${url}/hello`, post({ name: "Ada" }))
      assert.deepStrictEqual(await own.json(), { hello: "Ada" })
      assert.strictEqual((await fetch(`${url}/of-nobody`)).status, 404)
      assert.strictEqual(await stop(), 0)
    })
  }

  it("need what the guide to embedding installs for them", () => {
    const guide = readFileSync(join(root, "docs/guides/embedding.md"), "utf8")
    const [, printed = ""] = /^npm install (express .*)$/m.exec(guide) ?? []
    for (const [file, own] of [
      ["express.ts", "express"],
      ["fastify.ts", "fastify"],
      ["hono.ts", "hono @hono/node-server"],
    ] as const) {
      const [first = ""] = readFileSync(join(folder, file), "utf8").split("\n")
      assert.include(first, `\`npm install ${printed.replace("express", own)}\``)
      assert.include(guide, `\`${own}\``)
    }
  })

  it("are tried as the guide to embedding prints it", async () => {
    const guide = readFileSync(join(root, "docs/guides/embedding.md"), "utf8")
    const block = /^```sh\n(API=[^]*?)^```$/m.exec(guide)?.[1] ?? ""
    const { said, stop, url } = await startExample("express.ts", folder)
    const script = ["set -euo pipefail", block.replace("http://127.0.0.1:8080", url)].join("\n")
    const { promise: tried, resolve } = Promise.withResolvers<string>()
    const env = { ...process.env, KEY: said.key }
    execFile("bash", ["-c", script], { env }, (_error, stdout, stderr) => resolve(stdout + stderr))
    assert.include(await tried, '"status":"queued"')
    assert.strictEqual(await stop(), 0)
  })

  it("web.ts answers web-standard requests", async () => {
    const path = "../examples/mounts/web.ts"
    const example: {
      readonly fetch: (request: Request) => Promise<Response>
      readonly key: string
      readonly stop: () => Promise<void>
    } = await import(path)
    const send: typeof fetch = (input, init) => example.fetch(new Request(input, init))
    await judgeMount(send, "http://carillon.test", example.key)
    await example.stop()
  })

  it("next has a route for each method, on one engine, and ends by itself when it is told to", async () => {
    const { said, stop, url } = await startExample("programs/next.ts")
    await judgeMount(fetch, url, said.key)
    assert.strictEqual(await stop(), 0)
  })
})

/** A package of the examples, as they load it. */
const load = (name: string) => import(createRequire(join(folder, "package.json")).resolve(name))

type Answering = NodeListener | RequestListener

interface Express {
  use(...path: ReadonlyArray<string | Answering>): void
  (request: IncomingMessage, response: ServerResponse): void
}

interface ExpressModule {
  (): Express
  json(): Answering
  Router(): Express
}

interface Fastify {
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): void },
    ) => void,
  ): void
  inject(request: object): Promise<{ readonly statusCode: number; readonly body: string }>
}

interface Hono {
  use(
    handler: (context: { readonly req: { json(): Promise<unknown> } }, next: () => Promise<void>) => Promise<void>,
  ): void
  all(path: string, handler: (context: { readonly req: { readonly raw: Request } }) => Promise<Response>): void
  mount(path: string, handler: (request: Request) => Promise<Response>): void
  onError(handler: (error: Error) => Response): void
  fetch(request: Request): Promise<Response>
}

describe.skipIf(missing !== null)("mounts that others would get wrong", () => {
  const open = async () => {
    const carillon = await Carillon.inMemory({
      carrier: {
        dial: async (call) => ({ _tag: "Accepted", call_sid: `leg-of-${call.execution_id}` }),
        hangup: async () => "Sent",
        find: async () => ({ _tag: "NoAnswer" }),
      },
    })
    const { key } = await carillon.organizations.open({ name: "Acme", wallet: { balance: 100, currency: "USD" } })
    return { carillon, key, authorization: `Bearer ${key}` }
  }

  const serving = async (listener: RequestListener, use: (url: string) => Promise<void>) => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    } finally {
      await new Promise((resolve) => server.close(resolve).closeAllConnections())
    }
  }

  it("serve where Express cuts the path: under /v2, under a path, under both, with a prefix and in a router", async () => {
    const { default: express }: { readonly default: ExpressModule } = await load("express")
    const mounts: ReadonlyArray<
      readonly [path: string, mount: (app: Express, listener: NodeListener) => void, prefix: string]
    > = [
      ["", (app, listener) => app.use("/v2", listener), ""],
      ["/voice", (app, listener) => app.use("/voice", listener), ""],
      ["/voice", (app, listener) => app.use("/voice/v2", listener), ""],
      ["/voice", (app, listener) => app.use(listener), "/voice"],
      ["/voice", (app, listener) => app.use("/voice", listener), "/voice"],
      [
        "/a/b",
        (app, listener) => {
          const router = express.Router()
          router.use("/b", listener)
          app.use("/a", router)
        },
        "",
      ],
    ]
    for (const [path, mount, prefix] of mounts) {
      const { carillon, key } = await open()
      const app = express()
      mount(app, nodeListener(carillon.handle, { prefix }))
      await serving(app, (url) => judgeMount(fetch, url + path, key))
      await carillon.close()
    }
  })

  it("say so where a parser has read the body: Express, Fastify, Hono", async () => {
    const { authorization, carillon } = await open()
    const told = "Mount Carillon before anything that reads request bodies."
    const body = post({ display_name: "Reminder" }, { authorization })

    const { default: express }: { readonly default: ExpressModule } = await load("express")
    const app = express()
    app.use(express.json())
    app.use(nodeListener(carillon.handle))
    await serving(app, async (url) => {
      const answer = await fetch(`${url}/v2/agents`, body)
      assert.strictEqual(answer.status, 500)
      assert.include(await answer.text(), told)
      // What has no body is served all the same.
      assert.strictEqual((await fetch(`${url}/v2/calls`, { headers: { authorization } })).status, 200)
    })

    const { fastify }: { readonly fastify: () => Fastify } = await load("fastify")
    const listener = nodeListener(carillon.handle)
    const fast = fastify()
    fast.all("/v2/*", (request, reply) => listener(request.raw, reply.raw))
    const { body: text, statusCode } = await fast.inject({
      method: "POST",
      url: "/v2/agents",
      headers: { authorization },
      payload: { display_name: "Reminder" },
    })
    assert.strictEqual(statusCode, 500)
    assert.include(text, told)

    const { Hono }: { readonly Hono: new () => Hono } = await load("hono")
    const hono = new Hono()
    const web = webHandler(carillon.handle)
    hono.use(async (context, next) => {
      await context.req.json()
      await next()
    })
    hono.all("/v2/*", (context) => web(context.req.raw))
    hono.onError((error) => new Response(error.message, { status: 500 }))
    const answer = await hono.fetch(new Request("http://carillon.test/v2/agents", body))
    assert.deepStrictEqual([answer.status, await answer.text()], [500, told])
    await carillon.close()
  })

  it("serve under a path that Hono cuts off, and tell where the API is when it cut off too much", async () => {
    const { carillon, key } = await open()
    const { Hono }: { readonly Hono: new () => Hono } = await load("hono")
    const hono = new Hono()
    hono.mount("/voice", webHandler(carillon.handle))
    hono.mount("/v2", webHandler(carillon.handle))
    const send: typeof fetch = (input, init) => hono.fetch(new Request(input, init))
    await judgeMount(send, "http://carillon.test/voice", key)
    const lost = await send("http://carillon.test/v2/calls")
    assert.deepStrictEqual([lost.status, await lost.text()], [404, "Not found. The API is under /v2.\n"])
    await carillon.close()
  })
})
