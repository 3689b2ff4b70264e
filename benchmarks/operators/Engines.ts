import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, open, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../scripts/servers/FreePort.ts"

const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const jumpMs = 600_000
const adminMaxMs = 30_000

/** What the operator's program says, and how it ends; null where it was given up. */
export interface Answered {
  readonly code: number | null
  readonly said: string
}

/** Where a process of the server is reached, by customers and from inside. */
interface Ports {
  readonly api: number
  readonly inside: number
}

/** Processes of the server, as an operator runs them, with one log each. */
export class Engines {
  readonly ports: ReadonlyArray<Ports>
  readonly #folder: string
  readonly #keepsLogs: boolean
  readonly #environment: NodeJS.ProcessEnv
  readonly #processes = new Map<number, ChildProcess>()
  readonly #killNow = () => {
    for (const child of this.#processes.values()) child.kill("SIGKILL")
  }

  private constructor(ports: ReadonlyArray<Ports>, folder: string, keepsLogs: boolean, environment: NodeJS.ProcessEnv) {
    this.ports = ports
    this.#folder = folder
    this.#keepsLogs = keepsLogs
    this.#environment = environment
    process.once("exit", this.#killNow)
  }

  /** Starts as many as there are ports. Their logs are kept where a folder is named. */
  static async open(
    ports: ReadonlyArray<Ports>,
    settings: Readonly<Record<string, string>>,
    logs: string | null,
  ): Promise<Engines> {
    const folder = logs ?? (await mkdtemp(join(tmpdir(), "carillon-operators-")))
    await mkdir(folder, { recursive: true })
    const engines = new Engines(ports, folder, logs !== null, {
      ...process.env,
      ...settings,
      OPERATORS_JUMP_MS: String(jumpMs),
    })
    for (const nth of ports.keys()) await engines.start(nth)
    return engines
  }

  static async freePorts(): Promise<Ports> {
    return { api: await freePort(), inside: await freePort() }
  }

  #logOf(nth: number): string {
    return join(this.#folder, `${nth}.log`)
  }

  async start(nth: number): Promise<void> {
    const ports = this.ports[nth]
    if (ports === undefined) throw new Error(`There is no process ${nth}.`)
    const log = await open(this.#logOf(nth), "a")
    const child = this.#program(["--import", fileOf("benchmarks/operators/Clock.ts")], "main.ts", ["serve"], {
      env: { CARILLON_PORT: String(ports.api), CARILLON_INSIDE_PORT: String(ports.inside) },
      stdio: ["ignore", log.fd, log.fd],
    })
    await log.close()
    this.#processes.set(nth, child)
  }

  #program(
    flags: ReadonlyArray<string>,
    file: string,
    words: ReadonlyArray<string>,
    { env = {}, stdio }: { readonly env?: NodeJS.ProcessEnv; readonly stdio: Array<"ignore" | "pipe" | number> },
  ): ChildProcess {
    const source = ["--conditions=@carillon/source", ...flags, fileOf(`packages/server/src/${file}`)]
    return spawn(process.execPath, [...source, ...words], { env: { ...this.#environment, ...env }, stdio })
  }

  signal(nth: number, signal: NodeJS.Signals): void {
    this.#processes.get(nth)?.kill(signal)
  }

  logs(): Promise<ReadonlyArray<string>> {
    return Promise.all([...this.ports.keys()].map((nth) => readFile(this.#logOf(nth), "utf8")))
  }

  /** Asks `carillon-admin`. */
  async admin(...words: ReadonlyArray<string>): Promise<Answered> {
    const child = this.#program([], "admin/main.ts", words, { stdio: ["ignore", "pipe", "pipe"] })
    const late = setTimeout(() => child.kill("SIGKILL"), adminMaxMs)
    let [said, complaint] = ["", ""]
    child.stdout?.on("data", (piece: Buffer) => (said += piece.toString()))
    child.stderr?.on("data", (piece: Buffer) => (complaint += piece.toString()))
    await once(child, "close")
    clearTimeout(late)
    return { code: child.exitCode, said: said === "" ? complaint : said }
  }

  async close(): Promise<void> {
    this.#killNow()
    process.off("exit", this.#killNow)
    if (!this.#keepsLogs) await rm(this.#folder, { recursive: true, force: true })
  }
}
