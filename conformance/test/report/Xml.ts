/** A small reader of XML that refuses what is not well-formed; it knows elements, attributes, text and the declaration. */

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: ReadonlyArray<Element>
  readonly text: string
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }

const decoded = (text: string): string => {
  // eslint-disable-next-line no-control-regex -- XML 1.0 forbids these
  if (/[<\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text)) throw new Error(`not allowed in text: ${text}`)
  return text.replace(/&([^;]*);?/g, (all, name: string) => {
    const character = entities[name]
    if (character === undefined || !all.endsWith(";")) throw new Error(`unknown entity ${all}`)
    return character
  })
}

const tag = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>/y

export const readXml = (source: string): Element => {
  let at = source.startsWith("<?xml") ? source.indexOf("?>") + 2 : 0
  const open: Array<{ name: string; attributes: Record<string, string>; children: Array<Element>; text: string }> = []
  const root = { name: "", attributes: {}, children: [] as Array<Element>, text: "" }
  open.push(root)
  while (at < source.length) {
    const current = open.at(-1) ?? root
    const next = source.indexOf("<", at)
    const end = next < 0 ? source.length : next
    current.text += decoded(source.slice(at, end))
    if (next < 0) break
    tag.lastIndex = next
    const match = tag.exec(source)
    if (match === null) throw new Error(`no tag at ${source.slice(next, next + 60)}`)
    at = tag.lastIndex
    const [, closing, name = "", attributeText = "", selfClosing] = match
    if (closing === "/") {
      if (current.name !== name) throw new Error(`</${name}> closes <${current.name}>`)
      open.pop()
      continue
    }
    const attributes: Record<string, string> = {}
    for (const [, key = "", value = ""] of attributeText.matchAll(/([\w-]+)="([^"]*)"/g))
      attributes[key] = decoded(value)
    const element = { name, attributes, children: [], text: "" }
    current.children.push(element)
    if (selfClosing !== "/") open.push(element)
  }
  if (open.length !== 1 || root.text.trim() !== "" || root.children.length !== 1)
    throw new Error("not one closed element")
  const [only] = root.children
  if (only === undefined) throw new Error("no element")
  return only
}
