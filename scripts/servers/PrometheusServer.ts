import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { prometheusFolder } from "../prometheus.ts"
import { freePort } from "./FreePort.ts"

const pollMs = 50

/** A series of an instant query. */
export interface Found {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [at: number, value: string]
}

/** A target as Prometheus sees it. */
export interface Target {
  readonly health: string
  readonly lastError: string
  readonly lastScrape: string
}

/** A Prometheus of its starter's own, that scrapes one target every second. */
export class PrometheusServer {
  readonly #url: string
  readonly #folder: string
  readonly #process: ChildProcess

  private constructor(port: number, folder: string, process: ChildProcess) {
    this.#url = `http://127.0.0.1:${port}`
    this.#folder = folder
    this.#process = process
  }

  /** Starts one on a free port; null when none can be had here. */
  static async open(target: string, path: string): Promise<PrometheusServer | null> {
    const binaries = prometheusFolder()
    if (binaries === null) return null
    const folder = await mkdtemp(join(tmpdir(), "carillon-prometheus-"))
    const scrape = { job_name: "carillon", metrics_path: path, static_configs: [{ targets: [target] }] }
    const settings = { global: { scrape_interval: "1s" }, scrape_configs: [scrape] }
    // What is JSON is YAML.
    await writeFile(join(folder, "prometheus.yml"), JSON.stringify(settings))
    const port = await freePort()
    const process = spawn(
      join(binaries, "prometheus"),
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: "ignore" },
    )
    const server = new PrometheusServer(port, folder, process)
    while (!(await server.#isReady())) {
      if (process.exitCode !== null) throw new Error("Prometheus ended.")
      await sleep(pollMs)
    }
    return server
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.#url}/-/ready`)).ok
    } catch {
      return false
    }
  }

  async #ask(path: string): Promise<unknown> {
    const { data } = Object(await (await fetch(this.#url + path)).json())
    return data
  }

  /** An instant query. */
  async query(expression: string): Promise<ReadonlyArray<Found>> {
    return Object(await this.#ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)).result
  }

  async target(): Promise<Target> {
    return Object(await this.#ask("/api/v1/targets")).activeTargets[0]
  }

  /** Resolves once a scrape that began later than now has been taken in, or refused. */
  async scraped(): Promise<Target> {
    const asked = Date.now()
    for (;;) {
      const target = await this.target()
      if (target !== undefined && Date.parse(target.lastScrape) > asked) return target
      await sleep(pollMs)
    }
  }

  async close(): Promise<void> {
    this.#process.kill("SIGKILL")
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit")
    await rm(this.#folder, { recursive: true, force: true })
  }
}
