import { execFile } from "node:child_process"
import { createServer, type IncomingMessage } from "node:http"
import { promisify } from "node:util"

type Answer = (body: string) => Promise<readonly [status: number, json: unknown]>

const make = process.env["MAKE_ORGANIZATION"] ?? "./make-organization.sh"

const answers: Readonly<Record<string, Answer>> = {
  "GET /_sim/capabilities": async () => [200, { contract: 1, organizations: true }],
  // The command gets the fixture, and prints {"organization_id": …, "phone_numbers": […], "keys": […]}.
  "POST /_sim/organizations": async (body) => {
    const { stdout } = await promisify(execFile)(make, [body])
    return [201, JSON.parse(stdout)]
  },
}

const respond = async (request: IncomingMessage): ReturnType<Answer> => {
  const body = Buffer.concat(await request.toArray()).toString()
  const answer = answers[`${request.method} ${request.url}`]
  return (await answer?.(body)) ?? [404, { error: 1200, message: "No such resource." }]
}

export const adapter = createServer((request, response) => {
  void respond(request)
    .catch((error: unknown) => [500, { error: 1500, message: `${error}` }] as const)
    .then(([status, json]) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(json)),
    )
}).listen(Number(process.env["PORT"] ?? 4011), "127.0.0.1")
