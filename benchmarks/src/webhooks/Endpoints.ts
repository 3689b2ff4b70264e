import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** The secret with which every delivery is signed. */
export const secret = "whsec_benchmark"

/** Endpoints in a process of their own, one of which never answers. */
export const endpointCount = 100

/** What is sent: an event of about 2 KB. */
export const bodyOf = (serial: number): string =>
  JSON.stringify({ event_type: "all_processing_completed", event_id: `evt_${serial}`, filler: "x".repeat(1_950) })

/** Where the deliveries go. */
export class Endpoints {
  readonly #child: ChildProcess
  readonly #port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.#port = port
  }

  static async start(): Promise<Endpoints> {
    const child = fork(fileURLToPath(new URL("../servers/Endpoints.ts", import.meta.url)), ["--secret", secret], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    })
    const [port] = await once(child, "message")
    return new Endpoints(child, Number(port))
  }

  /** The URL of an endpoint; that of the first hangs where it is dead. */
  url(index: number, dead: boolean): string {
    return `http://127.0.0.1:${this.#port}/${dead && index === 0 ? "hanging" : index}`
  }

  /** How many deliveries were not genuine so far. */
  async refused(): Promise<number> {
    const answer = once(this.#child, "message")
    this.#child.send("refused")
    const [count] = await answer
    return Number(count)
  }

  close(): void {
    this.#child.kill()
  }
}
