import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { redisServer } from "../redis-server.ts"
import { freePort } from "./FreePort.ts"

const pollMs = 10

/** Whether a server answers, which it does not before it has read its file. */
const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"))
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.on("data", (answer) => end(answer.toString().startsWith("+PONG")))
    socket.on("error", () => end(false)).on("close", () => end(false))
  })

/** A Redis server of its starter's own, with the append-only file that production has, that can be killed and brought back. */
export class RedisServer {
  readonly port: number
  readonly #binary: string
  readonly #folder: string
  #process: ChildProcess | undefined
  readonly #killNow = () => void this.#process?.kill("SIGKILL")

  private constructor(binary: string, port: number, folder: string) {
    this.#binary = binary
    this.port = port
    this.#folder = folder
    // A run that is cut off leaves no server behind.
    process.once("exit", this.#killNow)
  }

  /** Starts one on a free port; null when no Redis can be had here. */
  static async open(): Promise<RedisServer | null> {
    const binary = redisServer()
    if (binary === null) return null
    const server = new RedisServer(binary, await freePort(), await mkdtemp(join(tmpdir(), "carillon-redis-")))
    await server.start()
    return server
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  async start(): Promise<void> {
    const settings = ["--port", `${this.port}`, "--bind", "127.0.0.1", "--dir", this.#folder, "--appendonly", "yes"]
    const debug = ["--save", "", "--enable-debug-command", "yes"]
    this.#process = spawn(this.#binary, [...settings, ...debug], { stdio: "ignore" })
    while (!(await answers(this.port))) {
      if (this.#process.exitCode !== null) throw new Error(`${this.#binary}: the server ended`)
      await sleep(pollMs)
    }
  }

  /** As the kernel or the power would end it. */
  async kill(): Promise<void> {
    const server = this.#process
    if (server === undefined) return
    this.#process = undefined
    server.kill("SIGKILL")
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit")
  }

  async close(): Promise<void> {
    await this.kill()
    process.off("exit", this.#killNow)
    await rm(this.#folder, { recursive: true, force: true })
  }
}
