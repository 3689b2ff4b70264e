// Serves the routes of the Next example as Next does: each method is the function that is named like it.
import { createServer, type RequestListener } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"

const mounts = join(import.meta.dirname, "../../examples/mounts")
const next = join(mounts, "next")

const route: Readonly<Record<string, (request: Request) => Promise<Response>>> = await import(
  join(next, "app/v2/[...path]/route.ts")
)
const { engine }: { readonly engine: Promise<{ readonly key: string }> } = await import(join(next, "engine.ts"))
const hono: { readonly getRequestListener: (fetch: (request: Request) => Promise<Response>) => RequestListener } =
  await import(createRequire(join(mounts, "package.json")).resolve("@hono/node-server"))

const { key } = await engine
const listener = hono.getRequestListener(async (request) => {
  const handler = route[request.method]
  return handler === undefined ? new Response(null, { status: 405 }) : handler(request)
})
const server = createServer(listener)
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ address: server.address(), key })))
