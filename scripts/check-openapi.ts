// Holds the OpenAPI document, and the AsyncAPI document of the events, against the tools of others: Redocly lints it (and that of the control surface), and
// Spectral lints it, with their recommended rules, AsyncAPI's own parser reads the events, openapi-typescript and hey-api make clients of it that have to type-check under
// TypeScript 5 and ours (`packages/api/clients`) and then talk to the simulator, and the conformance suite runs against the
// simulator through Prism, which judges every answer by the document.
// The tools are fetched from the registry when they are first needed. A tool that cannot be had is a failure that says so.
//
//   npm run check:openapi                     all but the proxy
//   npm run check:openapi -- client           only that; as well lint, rules, events, hey
//   npm run check:openapi -- proxy            the suite through the proxy, which takes minutes
//   npm run check:openapi -- proxy "agents/*" through the proxy, only these cases
//
// Prism lets a few hundred requests a second pass, so the cases that exhaust ceilings stay out unless they are named.
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import { dirname, join } from "node:path"
import { asyncApiDocument, openApiDocument } from "@carillon/api/documents"
import { controlDocument } from "@carillon/simulator"

const root = dirname(import.meta.dirname)
const folder = join(root, "node_modules", ".cache", "carillon-openapi")
const documentFile = join(folder, "openapi.json")
const controlFile = join(folder, "control.json")
const eventsFile = join(folder, "asyncapi.json")

const tools = {
  lint: { name: "@redocly/cli", version: "2.77.0", entry: "bin/cli.js" },
  proxy: { name: "@stoplight/prism-cli", version: "5.16.0", entry: "dist/index.js" },
} as const

type Tool = keyof typeof tools
const ordinary = ["lint", "rules", "events", "client", "hey"] as const
type Check = (typeof ordinary)[number] | "proxy"

/** Something that the document, a tool or the service should not have done; told without a stack. */
class Finding extends Error {}

/** Installs what `home` asks for, or says loudly that nothing was checked. */
const install = (home: string, args: ReadonlyArray<string>, otherwise: string) => {
  const { output, status } = spawnSync(
    "npm",
    [...args, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"],
    { cwd: home, encoding: "utf8", shell: process.platform === "win32" },
  )
  if (status !== 0) throw new Finding(`NOT CHECKED: ${otherwise}\n${output.join("").trimEnd()}`)
}

/** The file that starts a tool, fetched if need be. */
const obtain = (check: Tool): string => {
  const { entry, name, version } = tools[check]
  const home = join(folder, `${check}-${version}`)
  const file = join(home, "node_modules", name, entry)
  if (existsSync(file)) return file
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, "package.json"), "{}")
  const tool = `${name}@${version}`
  install(home, ["install", tool], `${tool} cannot be had, so "${check}" has shown nothing.`)
  return file
}

const run = (what: string, args: ReadonlyArray<string>): string => {
  const { output, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
  const said = output.join("").trimEnd()
  if (status !== 0) throw new Finding(`${what} fails:\n${said}`)
  return said
}

const lint = () => {
  const said = run("redocly lint", [obtain("lint"), "lint", documentFile, controlFile, "--format=stylish"])
  console.log(said.split("\n").at(-1))
}

/** The folder with the generators that need TypeScript 5: a lockfile of their own, and what someone would write against their types. */
const clients = join(root, "packages", "api", "clients")

/** The generators, as their lockfile names them. */
const obtainClients = (): string => {
  const lockfile = readFileSync(join(clients, "package-lock.json"))
  const home = join(folder, `clients-${createHash("sha256").update(lockfile).digest("hex").slice(0, 12)}`)
  const modules = join(home, "node_modules")
  if (existsSync(join(modules, ".package-lock.json"))) return modules
  mkdirSync(home, { recursive: true })
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(clients, name), join(home, name))
  install(home, ["ci"], `the generators of packages/api/clients cannot be had, so "client" has shown nothing.`)
  return modules
}

/** Spectral's recommended rules: not even a hint is left. */
const rules = () => {
  const modules = obtainClients()
  run("spectral lint", [
    join(modules, "@stoplight", "spectral-cli", "dist", "index.js"),
    "lint",
    documentFile,
    ...["--ruleset", join(clients, "spectral.json"), "--fail-severity", "hint"],
  ])
  console.log("Spectral finds nothing.")
}

const events = () => {
  console.log(run("the AsyncAPI parser", [join(clients, "events.cjs"), obtainClients(), eventsFile]))
}

/** TypeScript 5, and the project's own. */
const compilersBeside = (modules: string) => [join(modules, "typescript"), join(root, "node_modules", "typescript")]

/** Compiles a generated client with what someone would write against it: each project on those before it. */
const compile = (what: string, modules: string, projects: ReadonlyArray<string>) => {
  for (const compiler of compilersBeside(modules)) {
    const { version }: { readonly version: string } = JSON.parse(readFileSync(join(compiler, "package.json"), "utf8"))
    for (const project of projects) {
      run(`${what} under TypeScript ${version}`, [join(compiler, "bin", "tsc"), "-p", project])
    }
    console.log(`${what} type-checks under TypeScript ${version}.`)
  }
}

/** A folder for a client beside the modules of its lockfile, with these files of ours in it. */
const folderFor = (name: string, modules: string, files: ReadonlyArray<string>): string => {
  const home = join(dirname(modules), name)
  mkdirSync(home, { recursive: true })
  for (const file of files) copyFileSync(join(clients, file), join(home, file))
  writeFileSync(join(home, "package.json"), `{"type":"module"}`)
  return home
}

const client = async () => {
  const modules = obtainClients()
  const home = folderFor("fetch", modules, ["sample.ts", "against.ts", "tsconfig.json"])
  const generator = join(modules, "openapi-typescript", "bin", "cli.js")
  run("openapi-typescript", [generator, documentFile, "--output", join(home, "schema.ts")])
  compile("The client of openapi-typescript", modules, [home])
  await use("the client of openapi-typescript", "against", home, modules)
}

/** Runs what someone wrote against a generated client, with the simulator as the service. */
const use = async (what: string, file: string, home: string, modules: string) => {
  // Node strips no types of files that lie in node_modules.
  const emit = ["--noEmit", "false", "--rewriteRelativeImportExtensions", "--outDir", join(home, "out")]
  run(what, [join(modules, "typescript", "bin", "tsc"), "-p", home, ...emit])
  const simulator = await startSimulator()
  try {
    const { key, url } = simulator
    const world = await fetch(`${url}/_sim`)
    const { demo }: { readonly demo: { readonly agent_id: string } } = JSON.parse(await world.text())
    console.log(await runBeside(what, [join(home, "out", `${file}.js`), url, key, demo.agent_id]))
  } finally {
    simulator.stop()
  }
}

/**
 * Where what every hey-api client brings does not keep to exactOptionalPropertyTypes, whatever the document says: the errors that the
 * compilers find in each file (https://github.com/hey-api/openapi-ts/issues/2363).
 */
const inexactOfHey: ReadonlyArray<string> = [
  "hey/client/client.gen.ts: TS2379, TS2379, TS2379",
  "hey/client/utils.gen.ts: TS2379, TS2379, TS2379, TS2379",
  "hey/core/params.gen.ts: TS2379",
  "hey/core/pathSerializer.gen.ts: TS2379, TS2379",
  "hey/core/serverSentEvents.gen.ts: TS2375, TS2379",
]

/** The errors of a compiler, a line for each file. */
const errorsIn = (said: string): ReadonlyArray<string> => {
  const files = new Map<string, ReadonlyArray<string>>()
  for (const [, file = "", code = ""] of said.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)) {
    files.set(file, [...(files.get(file) ?? []), code])
  }
  return [...files].map(([file, codes]) => `${file}: ${codes.join(", ")}`).toSorted()
}

/** Holds what hey-api generates to exactOptionalPropertyTypes: there are the errors that it brings, and no other. */
const exactly = (home: string, modules: string) => {
  for (const compiler of compilersBeside(modules)) {
    const { stdout } = spawnSync(
      process.execPath,
      [
        join(compiler, "bin", "tsc"),
        ...["-p", "hey.json", "--composite", "false", "--noEmit", "true"],
        ...["--exactOptionalPropertyTypes", "true", "--pretty", "false"],
      ],
      { cwd: home, encoding: "utf8" },
    )
    const found = errorsIn(stdout)
    if (found.join("\n") !== inexactOfHey.join("\n")) {
      throw new Finding(
        `With exactOptionalPropertyTypes hey-api's client has other errors than those known:\n${stdout}`,
      )
    }
  }
  console.log("With exactOptionalPropertyTypes, hey-api's client has the errors that it brings itself, and no other.")
}

/** The project that the page for troubleshooting makes of what hey-api generates. */
const printedProject = (): string => {
  const page = readFileSync(join(root, "docs", "troubleshooting.md"), "utf8")
  const [, project] = /```json\n(\{[^`]*"hey\/[^`]*)```/.exec(page) ?? []
  if (project === undefined) throw new Finding("docs/troubleshooting.md has no project for hey-api's client.")
  return project
}

const hey = async () => {
  const modules = obtainClients()
  const home = folderFor("hey-api", modules, ["hey-sample.ts", "hey-against.ts"])
  copyFileSync(join(clients, "tsconfig.json"), join(home, "strict.json"))
  copyFileSync(join(clients, "hey-project.json"), join(home, "tsconfig.json"))
  writeFileSync(join(home, "hey.json"), printedProject())
  const generator = join(modules, "@hey-api", "openapi-ts", "bin", "run.js")
  // How it writes imports follows from the first tsconfig that it finds above its own files.
  copyFileSync(join(clients, "tsconfig.json"), join(dirname(modules), "tsconfig.json"))
  run("hey-api", [generator, "-i", documentFile, "-o", join(home, "hey"), "-c", "@hey-api/client-fetch"])
  exactly(home, modules)
  // What it generates is a project of its own without the option; what uses it has the option.
  compile("The client of hey-api", modules, [join(home, "hey.json"), home])
  await use("the client of hey-api", "hey-against", home, modules)
}

/** A process that says on stdout when it is ready; `stop` ends it. */
const start = (args: ReadonlyArray<string>, ready: RegExp) =>
  new Promise<{ readonly found: RegExpExecArray; readonly stop: () => void }>((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
    let said = ""
    const look = (chunk: Buffer) => {
      said += chunk.toString()
      const found = ready.exec(said)
      if (found !== null) resolve({ found, stop: () => child.kill() })
    }
    child.stdout.on("data", look)
    child.stderr.on("data", look)
    child.on("exit", (code) => reject(new Finding(`${args.join(" ")} ended with ${code}:\n${said.slice(-2_000)}`)))
  })

/** The simulator as a process of its own, whose time does not move by itself. */
const startSimulator = async () => {
  const { found, stop } = await start(
    [
      "--conditions=@carillon/source",
      join(root, "simulator/src/main.ts"),
      ...["--port=0", "--clock=manual", "--print=json", "--quiet"],
    ],
    /\{"url":.*\}/,
  )
  const { key, url }: { readonly key: string; readonly url: string } = JSON.parse(found[0])
  return { key, url, stop }
}

/** Runs a file to its end while others of this process go on, and gives back what it said. */
const runBeside = async (what: string, args: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  const status = await new Promise((resolve) => child.on("exit", resolve))
  if (status !== 0) throw new Finding(`${what} fails:\n${said.trimEnd()}`)
  return said.trimEnd()
}

interface Violation {
  readonly severity: string
  readonly message: string
  readonly location?: ReadonlyArray<string>
}

/**
 * Whether Prism can pass a request on: it never answers one whose JSON it cannot read, mends bytes that are not UTF-8, and follows
 * redirects by itself. What it cannot goes to the service directly.
 */
const canPass = (target: string, body: Uint8Array): boolean => {
  if (target.includes("redirect=true")) return false
  if (body.length === 0) return true
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body))
    return true
  } catch {
    return false
  }
}

/**
 * Stands before Prism and collects what it finds in answers. Deliberately bad requests are the suite's business, so what Prism says
 * of requests is left out; a status that the document does not have is only a warning to Prism, and counts here.
 */
const collector = async (prism: string, service: string) => {
  const violations = new Map<string, number>()
  let answers = 0
  const collect = (route: string, status: number, said: string) => {
    const found: ReadonlyArray<Violation> = JSON.parse(said)
    for (const { location = [], message, severity } of found) {
      if (location[0] === "request") continue
      const told = `${route} → ${status}: ${severity} ${location.join(".")} ${message}`
      violations.set(told, (violations.get(told) ?? 0) + 1)
    }
  }
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Uint8Array> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = Buffer.concat(chunks)
      const judged = canPass(incoming.url ?? "/", body)
      const target = new URL(incoming.url ?? "/", judged ? prism : service)
      const forwarded = httpRequest(
        target,
        { method: incoming.method, headers: { ...incoming.headers, host: target.host } },
        (answer) => {
          const { "sl-violations": said, ...headers } = answer.headers
          if (judged) answers += 1
          const route = `${incoming.method} ${target.pathname.replace(/\/[a-z]+_[^/]+/g, "/…")}`
          if (typeof said === "string") collect(route, answer.statusCode ?? 0, said)
          outgoing.writeHead(answer.statusCode ?? 500, headers)
          answer.pipe(outgoing)
        },
      )
      forwarded.on("error", () => outgoing.destroy())
      forwarded.end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Finding("The collector has no port.")
  return { url: `http://127.0.0.1:${address.port}`, violations, answers: () => answers, stop: () => server.close() }
}

/** Cases that send thousands of requests and look at nothing but their number. */
const exhausting = /^(concurrency|rate|routing)\//

/** The cases that are worth the proxy's time. */
const judged = (): ReadonlyArray<string> =>
  run("the suite", ["--conditions=@carillon/source", join(root, "conformance/src/main.ts"), "list"])
    .split("\n")
    .flatMap((line) => /^L\d (\S+)/.exec(line)?.[1] ?? [])
    .filter((id) => !exhausting.test(id))

const proxy = async (only: ReadonlyArray<string>) => {
  const tool = obtain("proxy")
  const source = "--conditions=@carillon/source"
  const simulator = await startSimulator()
  const { key, url } = simulator
  const prism = await start(
    [tool, "proxy", documentFile, url, "--port", "0", "--validate-request", "false", "--verboseLevel", "info"],
    /listening on (http:\/\/[\d.:]+)/,
  )
  const between = await collector(prism.found[1] ?? "", url)
  const suite = spawn(
    process.execPath,
    [
      source,
      join(root, "conformance/src/main.ts"),
      "run",
      ...["--base-url", between.url, "--key", key, "--control-url", url],
      ...(only.length > 0 ? only : judged()).flatMap((pattern) => ["--only", pattern]),
    ],
    { cwd: root, stdio: ["ignore", "pipe", "inherit"] },
  )
  let said = ""
  suite.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  const status = await new Promise((resolve) => suite.on("exit", resolve))
  between.stop()
  prism.stop()
  simulator.stop()
  if (between.answers() === 0) throw new Finding("NOT CHECKED: no request went through the proxy.")
  if (between.violations.size > 0) {
    const list = [...between.violations].map(([told, count]) => `  ${count} × ${told}`)
    throw new Finding(`Prism finds answers that the document does not describe:\n${list.join("\n")}`)
  }
  if (status !== 0) throw new Finding(`The suite does not hold through the proxy:\n${said.slice(-40_000)}`)
  console.log(`Prism finds nothing in ${between.answers()} answers.`)
}

const [...args] = process.argv.slice(2)
const isCheck = (word: string): word is Check => [...ordinary, "proxy"].includes(word)
const asked = args.filter(isCheck)
const checks: ReadonlyArray<Check> = asked.length === 0 ? ordinary : asked

mkdirSync(folder, { recursive: true })
writeFileSync(documentFile, JSON.stringify(openApiDocument()))
writeFileSync(controlFile, JSON.stringify(controlDocument))
writeFileSync(eventsFile, JSON.stringify(asyncApiDocument()))

for (const check of checks) {
  try {
    if (check === "lint") lint()
    if (check === "rules") rules()
    if (check === "events") events()
    if (check === "client") await client()
    if (check === "hey") await hey()
    if (check === "proxy") await proxy(args.filter((word) => !isCheck(word)))
  } catch (error) {
    if (!(error instanceof Finding)) throw error
    console.error(`${check}: ${error.message}`)
    process.exitCode = 1
  }
}
