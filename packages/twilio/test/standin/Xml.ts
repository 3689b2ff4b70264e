/** An element of a document; text between its children is put together. */
export interface Element {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: ReadonlyArray<Element>
  readonly text: string
}

/** Levels of elements. */
const deepest = 32

const name = /[A-Za-z_][\w.-]*/y
const attribute = /\s+([A-Za-z_][\w:.-]*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/y
const declaration = /<\?xml\s[^?]*\?>/y
const tagEnd = /\s*(\/?)>/y
const reference = /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w+));/g
const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
])
const greatestCodePoint = 0x10_ff_ff

/** What is not XML, with the place in the text. */
export class NotXml extends Error {}

const decoded = (text: string, place: number): string => {
  const plain = text.replace(reference, (_, decimal?: string, hex?: string, entity?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal)
    const character = entity === undefined ? undefined : entities.get(entity)
    if (character !== undefined) return character
    if (entity !== undefined || code > greatestCodePoint) throw new NotXml(`unknown reference at ${place}`)
    return String.fromCodePoint(code)
  })
  const bare = text.replace(reference, "").includes("&")
  if (bare) throw new NotXml(`a bare & at ${place}`)
  return plain
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): Element {
    this.#match(/\s*/y)
    this.#match(declaration)
    this.#skip()
    const root = this.#element(1)
    this.#skip()
    if (this.#at < this.#text.length) throw this.#error("something after the end")
    return root
  }

  #error(what: string): NotXml {
    return new NotXml(`${what} at ${this.#at}`)
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }

  /** What stands between two marks, if the first is here. */
  #between(open: string, close: string): string | null {
    if (!this.#text.startsWith(open, this.#at)) return null
    const end = this.#text.indexOf(close, this.#at + open.length)
    if (end === -1) throw this.#error(`${open} without an end`)
    const inside = this.#text.slice(this.#at + open.length, end)
    this.#at = end + close.length
    return inside
  }

  /** White space and comments. */
  #skip(): void {
    do this.#match(/\s*/y)
    while (this.#between("<!--", "-->") !== null)
  }

  #element(depth: number): Element {
    if (depth > deepest) throw this.#error("too deep")
    if (this.#text[this.#at] !== "<") throw this.#error("no element")
    this.#at += 1
    const named = this.#match(name)?.[0]
    if (named === undefined) throw this.#error("no name")
    const attributes = this.#attributes()
    const end = this.#match(tagEnd)
    if (end === null) throw this.#error(`<${named}> without an end`)
    if (end[1] === "/") return { name: named, attributes, children: [], text: "" }
    return { name: named, attributes, ...this.#content(named, depth) }
  }

  #attributes(): ReadonlyMap<string, string> {
    const attributes = new Map<string, string>()
    for (let found = this.#match(attribute); found !== null; found = this.#match(attribute)) {
      const key = found[1] ?? ""
      if (attributes.has(key)) throw this.#error(`${key} twice`)
      attributes.set(key, decoded(found[2] ?? found[3] ?? "", this.#at))
    }
    return attributes
  }

  #content(parent: string, depth: number): { readonly children: ReadonlyArray<Element>; readonly text: string } {
    const children: Array<Element> = []
    let text = ""
    for (;;) {
      const until = this.#text.indexOf("<", this.#at)
      if (until === -1) throw this.#error(`<${parent}> is not closed`)
      text += decoded(this.#text.slice(this.#at, until), this.#at)
      this.#at = until
      const cdata = this.#between("<![CDATA[", "]]>")
      if (cdata !== null) text += cdata
      else if (this.#text.startsWith("</", this.#at)) {
        const closed = this.#between("</", ">")?.trimEnd()
        if (closed !== parent) throw this.#error(`</${closed}> for <${parent}>`)
        return { children, text }
      } else if (this.#between("<!--", "-->") === null) children.push(this.#element(depth + 1))
    }
  }
}

/** Reads a document. Namespaces, document types and processing instructions are none of TwiML's and are refused. Throws `NotXml`. */
export const readXml = (text: string): Element => new Reader(text).document()
