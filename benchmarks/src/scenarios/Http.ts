import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import autocannon from "autocannon"
import type { Contender, Round, Scenario } from "../Harness.ts"
import type { FromServer } from "../servers/Served.ts"

const connections = 64
const secondsPerRound = 3

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

const start = async (file: string): Promise<Running> => {
  const child = fork(fileURLToPath(new URL(`../servers/${file}`, import.meta.url)), {
    execArgv: ["--conditions=@carillon/source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  })
  return { child, ...(await next(child, "listening")) }
}

const cpuOf = async (child: ChildProcess): Promise<number> => {
  const answer = next(child, "cpu")
  child.send("cpu")
  return (await answer).ms
}

const load = async ({ child, dial, key, port, read }: Running, work: "POST" | "GET"): Promise<Round> => {
  const cpu = await cpuOf(child)
  const result = await autocannon({
    url: `http://127.0.0.1:${port}${work === "POST" ? "/v2/calls" : read}`,
    method: work,
    connections,
    duration: secondsPerRound,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(work === "POST" ? { body: dial } : {}),
  })
  return {
    operations: result["2xx"],
    errors: result.non2xx + result.errors + result.timeouts,
    wallMs: result.duration * 1000,
    cpuMs: (await cpuOf(child)) - cpu,
  }
}

const contender = async (name: string, file: string, work: "POST" | "GET"): Promise<Contender> => {
  const running = await start(file)
  return {
    name,
    round: () => load(running, work),
    close: async () => {
      running.child.kill()
    },
  }
}

export const http: Scenario = {
  name: "http",
  question: "How many requests a second does the whole path serve, against servers that do only the JSON?",
  comparisons: async function* () {
    for (const work of ["POST", "GET"] as const) {
      yield {
        title: work === "POST" ? "POST /v2/calls" : "GET /v2/calls/{execution_id}",
        reference: "raw node:http",
        contenders: [
          await contender("Carillon, whole path", "CarillonServer.ts", work),
          await contender("raw node:http", "Raw.ts", work),
          await contender("Fastify 5 with schemas", "FastifyServer.ts", work),
        ],
      }
    }
  },
}
