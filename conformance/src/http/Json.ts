/** Reading of JSON whose shape is not trusted. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** True for an object that is neither null nor an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value at a dotted path (`pagination.total`, `data.0.status`), or undefined. */
export const valueAt = (value: unknown, path: string): unknown => {
  let current = value
  for (const name of path === "" ? [] : path.split(".")) {
    if (Array.isArray(current)) current = current[Number(name)]
    else if (isObject(current) && Object.hasOwn(current, name)) current = current[name]
    else return undefined
  }
  return current
}

/** The member of an object whose name may contain dots, or undefined. */
export const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The names of an object's members; none for anything else. */
export const namesOf = (value: unknown): ReadonlyArray<string> => (isObject(value) ? Object.keys(value) : [])

/** Deepest nesting that is read: what looks at a value must not run out of stack. */
const maxDepth = 200

const isTooDeep = (text: string): boolean => {
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (quoted) {
      if (sign === "\\") at += 1
      else if (sign === '"') quoted = false
    } else if (sign === '"') quoted = true
    else if (sign === "{" || sign === "[") {
      depth += 1
      if (depth > maxDepth) return true
    } else if (sign === "}" || sign === "]") depth -= 1
  }
  return false
}

/** Members that would make `String` of their object throw. */
const unreadable = /"(toString|valueOf)"/

const withoutPitfalls = (name: string, value: unknown): unknown => (unreadable.test(`"${name}"`) ? undefined : value)

/** The parsed text, or undefined when it is not JSON, or JSON that is nested beyond all reason. */
export const parseJson = (text: string): unknown => {
  try {
    if (isTooDeep(text)) return undefined
    return JSON.parse(text, unreadable.test(text) ? withoutPitfalls : undefined)
  } catch {
    return undefined
  }
}

/** Visits a JSON value and everything in it, parents first, with the path from the root; `enter` may refuse a subtree. */
export const walk = (
  value: unknown,
  visit: (value: unknown, path: string, name: string) => void,
  enter: (name: string) => boolean = () => true,
): void => {
  const step = (current: unknown, path: string, name: string): void => {
    visit(current, path, name)
    if (Array.isArray(current)) current.forEach((item, index) => step(item, join(path, String(index)), name))
    else if (isObject(current)) {
      for (const [key, child] of Object.entries(current)) if (enter(key)) step(child, join(path, key), key)
    }
  }
  step(value, "", "")
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

/** JSON with the keys of every object sorted: equal texts mean equal values. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, child: unknown) =>
    isObject(child) ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1))) : child,
  ) ?? "undefined"
