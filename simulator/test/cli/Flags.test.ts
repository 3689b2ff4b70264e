import { callLimits } from "@carillon/core"
import { describe, expect, test } from "vitest"
import { FlagError, readFlags, usage } from "../../src/cli/Flags.ts"

const files: Record<string, string> = {
  "mix.json": `{"busy": 1, "completed": 3}`,
  "bad.json": `{"bussy": 1}`,
  "broken.json": "{\n",
}

const readFile = (file: string) => {
  const text = files[file]
  if (text === undefined) throw new Error("ENOENT: no such file")
  return text
}

const read = (line: string, env: Record<string, string> = {}) =>
  readFlags(line === "" ? [] : line.split(" "), env, readFile)

test("the defaults are those of the contract", () => {
  expect(read("")).toEqual({
    host: "127.0.0.1",
    port: 4010,
    names: [],
    printJson: false,
    quiet: false,
    simulator: {
      seed: "1",
      clock: "realtime",
      limits: "spec",
      storage: "memory:",
      counters: "memory:",
      retention: 100_000,
      logLevel: "Warn",
    },
  })
})

test("every flag reaches its setting", () => {
  const line =
    "--port 0 --host 0.0.0.0 --seed s --clock scaled:60 --epoch 2026-01-01T00:00:00Z --storage pglite:./rows --release-dialling --counters redis://127.0.0.1:6379/1 " +
    "--limits x10 --mix mix.json --retention 5 --print json --control-token t --quiet --log-level debug " +
    "--allow-host Sim.test --allow-host tunnel.test --call-limit ringGraceMs=5000 --call-limit drainFinishMs=0"
  expect(read(line)).toEqual({
    host: "0.0.0.0",
    port: 0,
    names: ["sim.test", "tunnel.test"],
    printJson: true,
    quiet: true,
    simulator: {
      seed: "s",
      clock: "scaled:60",
      epoch: "2026-01-01T00:00:00Z",
      limits: "x10",
      storage: "pglite:./rows",
      releaseDialling: true,
      counters: "redis://127.0.0.1:6379/1",
      callLimits: callLimits({ ringGraceMs: 5_000, drainFinishMs: 0 }),
      mix: { busy: 1, completed: 3 },
      retention: 5,
      controlToken: "t",
      logLevel: "Debug",
    },
  })
  expect(read("--port=8080 --port=8081")).toMatchObject({ port: 8081 })
  expect(read("--host ::1")).toMatchObject({ host: "::1" })
  expect(read("--host 0.0.0.0", { CARILLON_CONTROL_TOKEN: "env" })).toMatchObject({
    simulator: { controlToken: "env" },
  })
  expect(read("--storage pglite:./rows --counters pglite:./rows")).toMatchObject({
    simulator: { counters: "pglite:./rows" },
  })
  expect(read("--help")).toBe("help")
})

test("a database on a server is emptied by nobody who was not told that it may be", () => {
  expect(read("--storage postgres://x/y")).toMatchObject({ simulator: { refuseReset: true } })
  for (const line of ["--storage postgres://x/y --allow-reset", "--storage pglite:./rows", ""]) {
    expect(read(line)).not.toMatchObject({ simulator: { refuseReset: true } })
  }
})

describe("what cannot be used is told in one line that names its flag", () => {
  test.each([
    ["--port x", "--port"],
    ["--port 65536", "--port"],
    ["--port -1", "--port"],
    ["--port", "--port"],
    ["--port --quiet", "--port"],
    ["--host 0.0.0.0", "--control-token"],
    ["--host 10.0.0.1", "--control-token"],
    ["--allow-host sim.test:80", "--allow-host"],
    ["--allow-host *", "--allow-host"],
    ["--clock fast", "--clock"],
    ["--epoch yesterday", "--epoch"],
    ["--epoch 2026-01-01T00:00:00", "--epoch"],
    ["--storage file:./x", "--storage"],
    ["--storage pglite:", "--storage"],
    ["--counters redis:", "--counters"],
    ["--counters redis://x:port", "--counters"],
    ["--counters redis://x/rates", "--counters"],
    ["--counters http://x", "--counters"],
    ["--counters pglite:./rows", "--counters"],
    ["--storage pglite:./rows --counters pglite:./others", "--counters"],
    ["--limits x0", "--limits"],
    ["--limits 10", "--limits"],
    ["--mix nowhere.json", "--mix"],
    ["--call-limit ringGraceMs", "--call-limit"],
    ["--call-limit ringGraceMs=1", "--call-limit"],
    ["--call-limit dialAcknowledgementMs=9000", "--call-limit"],
    ["--mix bad.json", "--mix"],
    ["--mix broken.json", "--mix"],
    ["--retention 0", "--retention"],
    ["--print xml", "--print"],
    ["--log-level loud", "--log-level"],
    ["--quiet=yes", "--quiet"],
    ["--colour red", "--colour"],
    ["-p 1", "-p"],
    ["serve", "serve"],
  ])("%s", (line, name) => {
    const complaint = (): string => {
      try {
        read(line)
      } catch (error) {
        if (error instanceof FlagError) return error.message
      }
      return ""
    }
    expect(complaint()).toContain(name)
    expect(complaint().split("\n")).toHaveLength(1)
  })
})

test("the usage names every flag that is read", () => {
  for (const flag of ["port", "host", "seed", "clock", "epoch", "storage", "counters", "limits", "mix", "retention"]) {
    expect(usage).toContain(`--${flag} `)
  }
})
