import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Schema } from "effect"

const usage = "npm run soak:calls -- [--calls N] [--connections N] [--retention N] [--clock MODE]\n"

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000000" },
    connections: { type: "string", default: "64" },
    retention: { type: "string", default: "2000" },
    clock: { type: "string", default: "scaled:60" },
  },
})

const wholeOf = (value: string): number => {
  const number = Number(value)
  if (Number.isInteger(number) && number > 0) return number
  process.stderr.write(usage)
  process.exit(2)
}

const calls = wholeOf(values.calls)
const connections = wholeOf(values.connections)

/** Memory is told so many times. */
const looks = 20

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const readStart = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ url: Schema.String, key: Schema.String })),
)
const readDemo = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ demo: Schema.Struct({ agent_id: Schema.String }) })),
)
const readMemory = Schema.decodeUnknownSync(Schema.Struct({ rss: Schema.Number, heapUsed: Schema.Number }))
const readVerdict = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ violations: Schema.Array(Schema.Unknown) })),
)

const started = async () => {
  const simulator = fork(
    fileOf("../src/main.ts"),
    ["--port", "0", "--print", "json", "--limits", "off", "--retention", values.retention, "--clock", values.clock],
    {
      execArgv: ["--conditions=@carillon/source", "--expose-gc", "--import", fileOf("memory.ts")],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    },
  )
  const [line] = await once(simulator.stdout ?? simulator, "data")
  return { simulator, ...readStart(String(line)) }
}

const memoryOf = async (simulator: ChildProcess) => {
  simulator.send("memory")
  const [memory] = await once(simulator, "message")
  return readMemory(memory)
}

const { simulator, url, key } = await started()

interface Answer {
  readonly status: number
  readonly text: string
}

const endOfHead = "\r\n\r\n"

/** One connection that is kept; the generator has to cost less than what it loads. */
class Connection {
  readonly #socket: Socket = connect(Number(new URL(url).port), "127.0.0.1")
    .setEncoding("latin1")
    .setNoDelay()
  #received = ""
  #answered: (answer: Answer) => void = () => {}

  constructor() {
    this.#socket.on("data", (text) => {
      this.#received += String(text)
      this.#read()
    })
    this.#socket.on("error", (error) => {
      throw error
    })
  }

  ask(method: string, path: string, body = ""): Promise<Answer> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#answered = resolve
    const lines = [`${method} ${path} HTTP/1.1`, "host: localhost", `authorization: Bearer ${key}`]
    if (body !== "") lines.push("content-type: application/json", `content-length: ${body.length}`)
    this.#socket.write(`${lines.join("\r\n")}${endOfHead}${body}`)
    return promise
  }

  close(): void {
    this.#socket.destroy()
  }

  #read(): void {
    const head = this.#received.indexOf(endOfHead)
    if (head < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, head))?.[1] ?? 0)
    const from = head + endOfHead.length
    if (this.#received.length < from + length) return
    const text = this.#received.slice(from, from + length)
    const status = Number(this.#received.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length))
    this.#received = this.#received.slice(from + length)
    this.#answered({ status, text })
  }
}

const control = new Connection()
const { agent_id } = readDemo((await control.ask("GET", "/_sim")).text).demo
control.close()

const began = performance.now()
const statuses = new Map<number, number>()
let placed = 0

const tell = async () => {
  const { heapUsed, rss } = await memoryOf(simulator)
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`
  const perSecond = Math.round((placed / (performance.now() - began)) * 1000)
  process.stdout.write(`${placed} calls, ${mebibytes(rss)} resident, ${mebibytes(heapUsed)} of heap, ${perSecond}/s\n`)
}

/** One after the other on one connection; every eighth call is read again. */
const client = async (): Promise<void> => {
  const connection = new Connection()
  while (placed < calls) {
    const nth = placed++
    if (nth % Math.ceil(calls / looks) === 0) await tell()
    const to_number = `+1${String(2_000_000_000 + nth)}`
    const { status, text } = await connection.ask("POST", "/v2/calls", JSON.stringify({ agent_id, to_number }))
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const id = /"execution_id":"([^"]+)"/.exec(text)?.[1]
    if (nth % 8 === 0 && id !== undefined) await connection.ask("GET", `/v2/calls/${id}`)
  }
  connection.close()
}

await Promise.all(Array.from({ length: connections }, client))
await tell()
// A connection that nobody has used for a while is closed by the server.
const last = new Connection()
const { violations } = readVerdict((await last.ask("GET", "/_sim/invariants")).text)
const chain = await last.ask("GET", "/v2/audit-logs/verify")
process.stdout.write(
  `${JSON.stringify(Object.fromEntries(statuses))}\n${violations.length} violations\n${chain.text}\n`,
)
last.close()
simulator.kill("SIGTERM")
await once(simulator, "exit")
process.exit(violations.length === 0 ? 0 : 1)
