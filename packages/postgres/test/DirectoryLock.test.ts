import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, expect, it } from "vitest"
import { holdDirectory } from "../src/DirectoryLock.ts"

const directory = mkdtempSync(join(tmpdir(), "carillon-lock-"))
const source = new URL("../src/DirectoryLock.ts", import.meta.url).href

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const holding = Effect.scoped(holdDirectory(directory))

const isRefused = async (): Promise<boolean> => (await Effect.runPromiseExit(holding))._tag === "Failure"

const isLinux = process.platform === "linux"
if (!isLinux) it("cannot be run: the lock of a directory (it is tested on Linux alone)", ({ skip }) => skip())
it.runIf(isLinux)("a directory has one holder, and is free once that one is gone however it went", async () => {
  expect(await isRefused()).toBe(false)
  expect(await isRefused()).toBe(false)
  const program = `
    import { Effect } from "effect"
    import { holdDirectory } from ${JSON.stringify(source)}
    setInterval(() => {}, 1000)
    await Effect.runPromise(Effect.scoped(Effect.andThen(holdDirectory(${JSON.stringify(directory)}), Effect.sync(() => console.log("held")).pipe(Effect.andThen(Effect.never)))))
  `
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  })
  await once(child.stdout, "data")
  expect(await isRefused()).toBe(true)
  const gone = once(child, "exit")
  child.kill("SIGKILL")
  await gone
  expect(await isRefused()).toBe(false)
})
