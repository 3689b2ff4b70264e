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

/** An alert that is pending or firing. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly state: string
}

/** What a Prometheus scrapes. */
export interface PrometheusOptions {
  readonly targets: ReadonlyArray<string>
  /** `/metrics` where it is left out. */
  readonly path?: string
  /** A file of rules, judged every second. */
  readonly rules?: string
}

/** A Prometheus of its starter's own, that scrapes its targets every second. */
export class PrometheusServer {
  readonly #url: string
  readonly #folder: string
  readonly #process: ChildProcess
  readonly #killNow = () => void this.#process.kill("SIGKILL")

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.#url = `http://127.0.0.1:${port}`
    this.#folder = folder
    this.#process = child
    // A run that is cut off leaves no server behind.
    process.once("exit", this.#killNow)
  }

  /** Starts one on a free port; null when none can be had here. */
  static async open({ path = "/metrics", rules, targets }: PrometheusOptions): Promise<PrometheusServer | null> {
    const binaries = prometheusFolder()
    if (binaries === null) return null
    const folder = await mkdtemp(join(tmpdir(), "carillon-prometheus-"))
    const settings = {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: rules === undefined ? [] : [rules],
      scrape_configs: [{ job_name: "carillon", metrics_path: path, static_configs: [{ targets }] }],
    }
    // What is JSON is YAML.
    await writeFile(join(folder, "prometheus.yml"), JSON.stringify(settings))
    const port = await freePort()
    const child = spawn(
      join(binaries, "prometheus"),
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: "ignore" },
    )
    const server = new PrometheusServer(port, folder, child)
    while (!(await server.#isReady())) {
      if (child.exitCode !== null) throw new Error("Prometheus ended.")
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

  async alerts(): Promise<ReadonlyArray<Alert>> {
    return Object(await this.#ask("/api/v1/alerts")).alerts
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
    this.#killNow()
    process.off("exit", this.#killNow)
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, "exit")
    await rm(this.#folder, { recursive: true, force: true })
  }
}
