import { type ChildProcess, fork } from "node:child_process"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import autocannon from "autocannon"
import { type Contender, type Round, type Scale, type Scenario, sized } from "../Harness.ts"
import type { FromServer, Samples, ToServer } from "../servers/Served.ts"

const connections = 64
/** `POST` is warm after some 40,000 requests: 499 µs, 275, 254, 190. */
const coldRequests = 40_000

/** Requests whose connection was closed at the end of a round are answered by then. */
const lastAnswersMs = 100

interface Running {
  readonly child: ChildProcess
  readonly port: number
  readonly key: string
  readonly dial: string
  readonly read: string
}

const next = <Type extends FromServer["type"]>(child: ChildProcess, type: Type) =>
  new Promise<Extract<FromServer, { readonly type: Type }>>((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`The server ended with code ${code}.`))
    const isAwaited = (message: FromServer): message is Extract<FromServer, { readonly type: Type }> =>
      message.type === type
    const listen = (message: FromServer) => {
      if (!isAwaited(message)) return
      child.off("message", listen).off("exit", failed)
      resolve(message)
    }
    child.on("message", listen).once("exit", failed)
  })

const start = async (file: string, samples?: Samples): Promise<Running> => {
  const child = fork(
    fileURLToPath(new URL(`../servers/${file}`, import.meta.url)),
    samples === undefined ? [] : [JSON.stringify(samples)],
    { execArgv: ["--conditions=@carillon/source", "--expose-gc"], stdio: ["ignore", "ignore", "inherit", "ipc"] },
  )
  return { child, ...(await next(child, "listening")) }
}

const asked = <Type extends FromServer["type"]>(child: ChildProcess, what: ToServer, type: Type) => {
  const answer = next(child, type)
  child.send(what)
  return answer
}

const cpuOf = async (child: ChildProcess): Promise<number> => (await asked(child, "cpu", "cpu")).ms

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" })

/** What a server answers, for the others to answer it, too. */
const samplesOf = async ({ child, dial, key, port, read }: Running): Promise<Samples> => {
  const ask = async (path: string, request: RequestInit): Promise<object> =>
    Object(await (await fetch(`http://127.0.0.1:${port}${path}`, { ...request, headers: headersOf(key) })).json())
  const samples = { placed: await ask("/v2/calls", { method: "POST", body: dial }), read: await ask(read, {}) }
  await asked(child, "settle", "settled")
  return samples
}

const load = async (
  { child, dial, key, port, read }: Running,
  work: "POST" | "GET",
  duration: number,
): Promise<Round> => {
  const cpu = await cpuOf(child)
  const result = await autocannon({
    url: `http://127.0.0.1:${port}${work === "POST" ? "/v2/calls" : read}`,
    method: work,
    connections,
    duration,
    headers: headersOf(key),
    ...(work === "POST" ? { body: dial } : {}),
  })
  const cpuMs = (await cpuOf(child)) - cpu
  await sleep(lastAnswersMs)
  await asked(child, "settle", "settled")
  return {
    operations: result["2xx"],
    errors: result.non2xx + result.errors + result.timeouts,
    wallMs: result.duration * 1000,
    cpuMs,
  }
}

const contender = (name: string, running: Running, work: "POST" | "GET", scale: Scale): Contender => ({
  name,
  round: () => load(running, work, sized(scale, 1, 4)),
  coldOperations: sized(scale, 0, coldRequests),
  close: async () => {
    running.child.kill()
  },
})

export const http: Scenario = {
  name: "http",
  question: "How many requests a second does the whole path serve, against servers that do only the JSON?",
  comparisons: async function* (scale) {
    for (const work of ["POST", "GET"] as const) {
      const carillon = await start("CarillonServer.ts")
      const samples = await samplesOf(carillon)
      const bytes = JSON.stringify(work === "POST" ? samples.placed : samples.read).length
      yield {
        title: work === "POST" ? "POST /v2/calls" : "GET /v2/calls/{execution_id}",
        reference: "raw node:http",
        contenders: [
          contender("Carillon, whole path", carillon, work, scale),
          contender("raw node:http", await start("Raw.ts", samples), work, scale),
          contender("Fastify 5 with schemas", await start("FastifyServer.ts", samples), work, scale),
        ],
        notes: async () => [`each answers the same ${bytes} bytes; CPU is the server's`],
      }
    }
  },
}
