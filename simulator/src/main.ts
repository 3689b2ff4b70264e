#!/usr/bin/env node
import "effect/schema/SchemaJITCompiler/enable"
import { readFileSync } from "node:fs"
import { banner } from "./cli/Banner.ts"
import { FlagError, readFlags, type Settings, usage } from "./cli/Flags.ts"
import { Simulator } from "./Simulator.ts"
import { type Server, serve } from "./server/Server.ts"

/** A drain that takes longer is cut off. */
const drainMaxMs = 3_000

const complain = (message: string, exitCode: number): never => {
  process.stderr.write(`carillon-simulator: ${message}\n`)
  process.exit(exitCode)
}

const readSettings = (): Settings => {
  try {
    const settings = readFlags(process.argv.slice(2), process.env, (file) => readFileSync(file, "utf8"))
    if (settings !== "help") return settings
  } catch (error) {
    if (error instanceof FlagError) complain(error.message, 2)
    throw error
  }
  process.stdout.write(`${usage}\n`)
  process.exit(0)
}

const bind = async (simulator: Simulator, { host, port }: Settings): Promise<Server> => {
  try {
    return await serve(simulator, host, port)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "EADDRINUSE"
      ? complain(`--port: ${port} is already in use on ${host}`, 1)
      : complain(`--host: cannot bind to ${host}:${port} (${String(code ?? error)})`, 1)
  }
}

const settings = readSettings()
const simulator = await Simulator.start(settings.simulator)
const server = await bind(simulator, settings)
const { info } = simulator

if (settings.printJson) {
  const { organization_id, key } = info
  process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port, organization_id, key })}\n`)
} else if (!settings.quiet) {
  const { clock, limits, seed } = settings.simulator
  process.stdout.write(banner(server.url, info, `clock ${clock}, seed ${seed}, limits ${limits}`))
}

const stop = () => {
  setTimeout(() => process.exit(0), drainMaxMs).unref()
  void server.close().then(() => process.exit(0))
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
