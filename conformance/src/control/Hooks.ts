/**
 * Parts of the control surface that a server has by other means: each route under `/_sim` that a file names is a command, or another URL. What
 * the file does not name goes to the control surface, where there is one.
 */
import { execFile } from "node:child_process"
import { isObject, type JsonObject, parseJson } from "../http/Json.ts"
import type { Fetch } from "../http/Wire.ts"

/** A program with its arguments, started without a shell: the body comes on its input, the answer is what it prints. */
interface Command {
  readonly command: ReadonlyArray<string>
}

/** Where the request is sent instead. */
interface Elsewhere {
  readonly url: string
}

/** What serves a route: `{name}` stands for a part of its path, in arguments and in the URL too. */
interface Hook {
  readonly method: string
  /** The path under `/_sim`, cut at its slashes. */
  readonly path: ReadonlyArray<string>
  readonly by: Command | Elsewhere
}

/** What a file says about the control surface of a server. */
export interface Hooks {
  readonly file: string
  /** Laid over what the control surface itself declares. */
  readonly capabilities: JsonObject
  readonly routes: ReadonlyArray<Hook>
}

/** Where requests go that only hooks can answer; nothing is ever sent there. */
export const hooksOnly = "http://hooks.invalid"

/** Longest output of a command that is read. */
const maxOutputBytes = 1_048_576

/** Real time after which a command is ended, in milliseconds. */
const commandLimitMs = 30_000

/** Of what a failed command printed, so much is told. */
const toldChars = 500

const hookOf = (route: string, value: unknown): Hook => {
  const [, method, path] = /^([A-Z]+) \/([\w{}/-]+)$/.exec(route) ?? []
  if (method === undefined || path === undefined)
    throw new Error(`"${route}" is no route such as "POST /organizations"`)
  const { command, url, ...rest } = isObject(value) ? value : {}
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new Error(`"${route}" does not take "${unknown}"`)
  const parts = { method, path: path.split("/") }
  if (command === undefined && typeof url === "string" && URL.canParse(url)) return { ...parts, by: { url } }
  if (url === undefined && Array.isArray(command) && command.length > 0) {
    const words = command.flatMap((word: unknown) => (typeof word === "string" ? [word] : []))
    if (words.length === command.length) return { ...parts, by: { command: words } }
  }
  throw new Error(`"${route}" needs a "command" (a list of words), or a "url"`)
}

/** Reads a file of hooks; throws with the first thing that is wrong in it. */
export const readHooks = (file: string, text: string): Hooks => {
  const json = parseJson(text)
  if (!isObject(json)) throw new Error("it is no JSON object")
  const { capabilities, hooks, ...rest } = json
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new Error(`"${unknown}" is unknown; there are "capabilities" and "hooks"`)
  if (!isObject(capabilities) || !isObject(hooks)) throw new Error('"capabilities" and "hooks" are needed')
  return { file, capabilities, routes: Object.entries(hooks).map(([route, value]) => hookOf(route, value)) }
}

/** The parts of a path by their names; undefined where the path is another. */
const partsOf = (hook: Hook, method: string, path: ReadonlyArray<string>): ReadonlyMap<string, string> | undefined => {
  if (hook.method !== method || hook.path.length !== path.length) return undefined
  const parts = new Map<string, string>()
  for (const [nth, name] of hook.path.entries()) {
    const value = path[nth] ?? ""
    if (/^{\w+}$/.test(name)) parts.set(name, value)
    else if (name !== value) return undefined
  }
  return parts
}

const filled = (text: string, parts: ReadonlyMap<string, string>): string =>
  text.replace(/{\w+}/g, (name) => parts.get(name) ?? name)

const json = (status: number, body: string): Response =>
  new Response(body === "" ? "{}" : body, { status, headers: { "content-type": "application/json" } })

const failed = (message: string): Response => json(500, JSON.stringify({ error: 1500, message }))

/** What a command printed as the answer; what makes something answers 201. */
const commanded = (words: ReadonlyArray<string>, request: Request, made: boolean): Promise<Response> => {
  const [program = "", ...args] = words
  return request.text().then(
    (body) =>
      new Promise((resolve) => {
        const limits = { timeout: commandLimitMs, maxBuffer: maxOutputBytes, signal: request.signal }
        const child = execFile(program, args, limits, (error, stdout, stderr) => {
          const text = stdout.trim()
          if (error !== null) resolve(failed(`${program}: ${(stderr.trim() || error.message).slice(0, toldChars)}`))
          else if (text !== "" && !isObject(parseJson(text))) resolve(failed(`${program} printed no JSON object`))
          else resolve(json(made ? 201 : 200, text))
        })
        // A program may end without having read what it is told.
        child.stdin?.on("error", () => {})
        child.stdin?.end(body)
      }),
  )
}

const creates: ReadonlySet<string> = new Set(["organizations", "inbound"])

/** The network with the hooks in front of the control surface at a URL. */
export const hooked = (fetch: Fetch, { capabilities, routes }: Hooks, controlUrl: string): Fetch => {
  const base = `${controlUrl.replace(/\/+$/, "").replace(/\/_sim$/, "")}/_sim/`
  const isThere = controlUrl !== hooksOnly
  const surface: Fetch = (request) =>
    isThere ? fetch(request) : Promise.resolve(json(404, JSON.stringify({ error: 1200, message: "No such resource." })))
  const declared = async (request: Request): Promise<Response> => {
    const own = isThere ? parseJson(await (await fetch(request)).text()) : { contract: 1 }
    return json(200, JSON.stringify({ ...(isObject(own) ? own : {}), ...capabilities }))
  }
  return async (request) => {
    if (!request.url.startsWith(base)) return fetch(request)
    const path = request.url.slice(base.length).split("?", 1)[0]?.split("/").map(decodeURIComponent) ?? []
    if (request.method === "GET" && path.join("/") === "capabilities") return declared(request)
    for (const hook of routes) {
      const parts = partsOf(hook, request.method, path)
      if (parts === undefined) continue
      const { by } = hook
      if ("url" in by) {
        const encoded = new Map([...parts].map(([name, value]) => [name, encodeURIComponent(value)]))
        return fetch(new Request(filled(by.url, encoded), request))
      }
      const made = hook.method === "POST" && creates.has(path[0] ?? "")
      return commanded(
        by.command.map((word) => filled(word, parts)),
        request,
        made && path.length === 1,
      )
    }
    return surface(request)
  }
}
