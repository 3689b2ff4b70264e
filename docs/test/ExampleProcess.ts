import { spawn } from "node:child_process"
import { join } from "node:path"

export interface ExampleProcess {
  readonly url: string
  /** What the program has printed on its first line of JSON: where it listens, and a key if it made one. */
  readonly said: { readonly address: { readonly port: number }; readonly key: string }
  /** Tells the process to stop, as whoever runs it would, and waits for its end: the exit code. */
  readonly stop: () => Promise<number | null>
}

/** What a program is started with, and what stands before its name. */
interface Runtime {
  readonly command: string
  readonly args: ReadonlyArray<string>
}

const node: Runtime = { command: process.execPath, args: ["--conditions=@carillon/source"] }

/**
 * Starts a program as a user would, and waits until it says where it is. Programs that handle signals or end their process
 * are run like this: what tests import stays in their own process, and other tests share it.
 */
export const startExample = (file: string, cwd?: string, runtime: Runtime = node): Promise<ExampleProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(runtime.command, [...runtime.args, join(cwd ?? import.meta.dirname, file)], {
      cwd,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let text = ""
    const ended = new Promise<number | null>((done) => child.once("exit", done))
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString()
      const line = text.split("\n").find((candidate) => candidate.startsWith("{") && candidate.endsWith("}"))
      if (line === undefined) return
      const said = JSON.parse(line)
      const stop = () => {
        child.kill("SIGTERM")
        return ended
      }
      resolve({ url: `http://127.0.0.1:${said.address.port}`, said, stop })
    })
    void ended.then((code) => reject(new Error(`${file} ended with ${code}:\n${text}`)))
  })
