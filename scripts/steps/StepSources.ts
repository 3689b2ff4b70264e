// What steps read and write, as their sources say it: for the page of steps, and for the test that each of it is held.
import { globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { parseSync, visitorKeys } from "oxc-parser"

/** A place in a source of `packages`. */
export interface Place {
  /** From `packages` on. */
  readonly path: string
  readonly start: number
  readonly end: number
}

/** Why something that is read may be old. */
export interface Glance {
  readonly reason: string
  readonly because: string
}

/** One thing that a step reads. */
export interface StepRead {
  readonly how: "row" | "byKey" | "set" | "sets" | "list" | "sum" | "unraised" | "raisedTo" | "seen" | "ask"
  /** A kind of row, or what belongs to a set, or what holds of it, or what is asked. */
  readonly of: string
  readonly glance: Glance | null
  /** Where it is asked for: in the step, then in what the step calls for it. */
  readonly chain: ReadonlyArray<Place>
}

/** A step. */
export interface StepSource {
  readonly name: string
  readonly path: string
  readonly reads: ReadonlyArray<StepRead>
  /** The kinds of rows that it writes, removes, or discards. */
  readonly writes: ReadonlySet<string>
  /** The kinds of the rows that it replaces or removes at the revision that it has read, one for each place where it does. */
  readonly replaces: ReadonlyArray<string>
}

/** A guard that a row raises as it joins a set. */
export interface Join extends Place {
  readonly guard: string
}

/** What is written where a row of any kind may be. */
export const everyKind = "rows of every kind"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value

const field = (node: Node, name: string): unknown => Reflect.get(node, name)

const nodesIn = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value : [value]).filter(isNode)

const childrenOf = (node: Node): ReadonlyArray<Node> =>
  (visitorKeys[node.type] ?? []).flatMap((key) => nodesIn(field(node, key)))

const nameIn = (node: unknown): string | null => {
  if (!isNode(node)) return null
  if (node.type === "Identifier") return String(field(node, "name"))
  return node.type === "Literal" ? String(field(node, "value")) : null
}

/** The text of a literal; what is written of several parts has none. */
const textOf = (node: Node | undefined, where: string): string => {
  const value = node === undefined ? undefined : field(node, "value")
  if (typeof value === "string") return value
  throw new Error(`${where}: what a step reads is named by a literal`)
}

interface Declared {
  readonly module: Module
  readonly node: Node
}

/** A module of core: what it imports, and what stands at its top. */
class Module {
  readonly path: string
  readonly imports = new Map<string, { readonly path: string; readonly name: string }>()
  readonly declared = new Map<string, Node>()

  constructor(path: string, text: string) {
    this.path = path
    const { module, program } = parseSync(path, text)
    for (const { entries, moduleRequest } of module.staticImports) {
      const target = posix.join(posix.dirname(path), moduleRequest.value)
      for (const { importName, localName } of entries) {
        this.imports.set(localName.value, { path: target, name: importName.name ?? "" })
      }
    }
    for (const statement of program.body) this.#declare(statement)
  }

  #declare(statement: Node): void {
    const [inner] = nodesIn(field(statement, "declaration"))
    if (inner !== undefined) return this.#declare(inner)
    const name = nameIn(field(statement, "id"))
    if (statement.type === "FunctionDeclaration" && name !== null) this.declared.set(name, statement)
    for (const declarator of nodesIn(field(statement, "declarations"))) {
      const of = nameIn(field(declarator, "id"))
      const [init] = nodesIn(field(declarator, "init"))
      if (of !== null && init !== undefined) this.declared.set(of, init)
    }
  }
}

const sources = join(dirname(import.meta.dirname), "../packages")
const reading = /\/engine\/steps\/Reading\.ts$/
const outcome = /\/engine\/rules\/Outcome\.ts$/
const guards = /\/engine\/rules\/Guards\.ts$/
const primitives = new Set<string>([
  "row",
  "byKey",
  "set",
  "sets",
  "list",
  "sum",
  "unraised",
  "raisedTo",
  "seen",
  "ask",
] satisfies ReadonlyArray<StepRead["how"]>)
const isPrimitive = (name: string): name is StepRead["how"] => primitives.has(name)

const modules = (): ReadonlyMap<string, Module> => {
  const files = globSync("core/src/**/*.ts", { cwd: sources }).map((file) => file.replaceAll("\\", "/"))
  const read = files
    .filter((file) => !/^core\/src\/(?:memory|testing)\//.test(file))
    .map((file) => new Module(file, readFileSync(join(sources, file), "utf8")))
  return new Map(read.map((module) => [module.path, module]))
}

/** Follows what a step calls, as far as it reads or writes rows. */
class Walk {
  readonly reads: Array<StepRead> = []
  readonly writes = new Set<string>()
  readonly #replaced = new Map<Node, string>()
  readonly #all: ReadonlyMap<string, Module>
  readonly #within = new Set<Node>()

  constructor(all: ReadonlyMap<string, Module>) {
    this.#all = all
  }

  get replaces(): ReadonlyArray<string> {
    return [...this.#replaced.values()]
  }

  visit(module: Module, node: Node, chain: ReadonlyArray<Place>, glance: Glance | null): void {
    if (node.type === "CallExpression" && this.#called(module, node, chain, glance)) return
    for (const child of childrenOf(node)) this.visit(module, child, chain, glance)
  }

  /** Whether everything that is to be seen of a call has been seen. */
  #called(module: Module, node: Node, chain: ReadonlyArray<Place>, glance: Glance | null): boolean {
    const name = nameIn(field(node, "callee"))
    const from = name === null ? undefined : module.imports.get(name)
    const args = nodesIn(field(node, "arguments"))
    const where = `${module.path}:${node.start}`
    const places = [...chain, { path: module.path, start: node.start, end: node.end }]
    if (from !== undefined && reading.test(from.path)) {
      if (from.name === "seen") {
        this.#seen(module, args, { glance, chain: places }, where)
        return true
      }
      if (isPrimitive(from.name)) {
        this.reads.push({ how: from.name, of: this.#asked(module, from.name, args, where), glance, chain: places })
        return true
      }
      if (from.name !== "glance") return false
      const [reason, because, inner] = args
      if (inner === undefined) throw new Error(`${where}: nothing is glanced at`)
      this.visit(module, inner, chain, { reason: textOf(reason, where), because: textOf(because, where) })
      return true
    }
    if (from !== undefined && outcome.test(from.path)) {
      if (from.name === "erase") {
        this.writes.add("call")
        this.#replaced.set(node, "call")
      }
      if (/^(?:put|remove|discard)$/.test(from.name)) {
        const kind = textOf(args[0], where)
        this.writes.add(kind)
        const isNew = nameIn(args[1]) === "null" && args[1]?.type === "Literal"
        if (from.name !== "discard" && !isNew) this.#replaced.set(node, kind)
      }
      if (from.name === "carry") this.writes.add(everyKind)
      return false
    }
    const callee = name === null ? null : this.resolve(module, name)
    if (callee !== null && !this.#within.has(callee.node)) {
      this.#within.add(callee.node)
      this.visit(callee.module, callee.node, places, glance)
      this.#within.delete(callee.node)
    }
    return false
  }

  /** What was read before, a part for each part of the sentence that says so. */
  #seen(module: Module, args: ReadonlyArray<Node>, read: Pick<StepRead, "glance" | "chain">, where: string): void {
    const [expected, says] = args
    if (expected === undefined) throw new Error(`${where}: nothing is seen`)
    const parts = expected.type === "ArrayExpression" ? nodesIn(field(expected, "elements")) : [expected]
    const names = textOf(says, where).split("; ")
    if (parts.length > 0 && parts.length !== names.length) {
      throw new Error(`${where}: ${parts.length} parts are seen, and ${names.length} are named`)
    }
    for (const [nth, part] of parts.entries()) this.#part(module, part, { how: "seen", of: names[nth] ?? "", ...read })
  }

  /** One part: what a function of the sources lists is seen one by one. */
  #part(module: Module, part: Node, read: StepRead): void {
    const chain = [...read.chain, { path: module.path, start: part.start, end: part.end }]
    const [spread = part] = part.type === "SpreadElement" ? nodesIn(field(part, "argument")) : []
    const name = spread.type === "CallExpression" ? nameIn(field(spread, "callee")) : null
    const called = name === null ? null : this.resolve(module, name)
    const [list] = called === null ? [] : nodesIn(field(called.node, "body"))
    if (called === null || list?.type !== "ArrayExpression") this.reads.push({ ...read, chain })
    else for (const one of nodesIn(field(list, "elements"))) this.#part(called.module, one, { ...read, chain })
  }

  resolve(module: Module, name: string): Declared | null {
    const from = module.imports.get(name)
    const target = from === undefined ? module : this.#all.get(from.path)
    const node = target?.declared.get(from?.name ?? name)
    return target === undefined || node === undefined ? null : { module: target, node }
  }

  #asked(module: Module, how: StepRead["how"], args: ReadonlyArray<Node>, where: string): string {
    const [first, second, third] = args
    if (how === "row" || how === "byKey") return textOf(first, where)
    if (how === "unraised") return textOf(second, where)
    if (how === "raisedTo") return textOf(third, where)
    if (how === "sum") return "what is counted of a campaign or a batch"
    const name = nameIn(first)
    const description = name === null ? null : this.resolve(module, name)
    const property =
      description === null ? undefined : propertyOf(description.node, how === "ask" ? "about" : "members")
    return textOf(property, where)
  }
}

const propertyOf = (object: Node, name: string): Node | undefined =>
  nodesIn(field(object, "properties"))
    .filter((property) => nameIn(field(property, "key")) === name)
    .flatMap((property) => nodesIn(field(property, "value")))[0]

/** Every step of core, in the order of their names. */
export const stepSources = (): ReadonlyArray<StepSource> => {
  const all = modules()
  const found: Array<StepSource> = []
  for (const module of all.values()) {
    for (const node of module.declared.values()) {
      const maker = nameIn(field(node, "callee"))
      if (node.type !== "CallExpression" || maker === null) continue
      if (module.imports.get(maker)?.path.endsWith("/engine/steps/Step.ts") !== true) continue
      const [value] = nodesIn(field(node, "arguments"))
      if (value === undefined) continue
      const walk = new Walk(all)
      for (const property of nodesIn(field(value, "properties"))) {
        for (const value of nodesIn(field(property, "value"))) {
          const named = value.type === "Identifier" ? walk.resolve(module, nameIn(value) ?? "") : null
          walk.visit(named?.module ?? module, named?.node ?? value, [], null)
        }
      }
      const { reads, replaces, writes } = walk
      const name = textOf(propertyOf(value, "name"), module.path)
      found.push({ name, path: module.path, reads, writes, replaces })
    }
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What rows raise as they join sets, by their descriptions. */
export const joins = (): ReadonlyArray<Join> => {
  const found: Array<Join> = []
  const visit = (module: Module, node: Node): void => {
    const name = node.type === "CallExpression" ? nameIn(field(node, "callee")) : null
    const from = name === null ? undefined : module.imports.get(name)
    if (from !== undefined && guards.test(from.path)) {
      found.push({ path: module.path, start: node.start, end: node.end, guard: from.name })
    }
    const own = name === null ? undefined : module.declared.get(name)
    if (own !== undefined) visit(module, own)
    for (const child of childrenOf(node)) visit(module, child)
  }
  for (const module of modules().values()) {
    for (const node of module.declared.values()) {
      const property = propertyOf(node, "joins")
      if (property !== undefined) visit(module, property)
    }
  }
  return found
}
