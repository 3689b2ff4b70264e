/** Characters of JSON that are written at a time, before escapes. */
const partCharacters = 16 * 1024

/** What stands around a value, its comma and its quotes, and what a number may take. */
const overhead = 4
const numberCharacters = 20

const isWrittenItself = (value: object): boolean => "toJSON" in value

type Add = (part: string) => void

/** Where a part of a text ends: no character of two units is cut in two, for each half would be written as an escape. */
const endOfPart = (text: string, from: number): number => {
  const end = from + partCharacters
  if (end >= text.length) return text.length
  const isCut = (text.codePointAt(end - 1) ?? 0) > 0xffff
  return isCut ? end - 1 : end
}

/** Writes one value. */
class JsonParts {
  readonly #add: Add
  /** What is known to be more than a part: it is not looked at again, however deep it lies. */
  readonly #large = new Set<object>()

  constructor(add: Add) {
    this.#add = add
  }

  write(value: unknown): void {
    if (this.#weightOf(value) <= partCharacters) this.#add(JSON.stringify(value))
    else if (typeof value === "string") this.#writeText(value)
    else if (Array.isArray(value)) this.#writeList(value)
    else if (typeof value === "object" && value !== null) this.#writeObject(value)
  }

  /** How many characters of JSON a value takes, roughly; it is not looked at any more once it is more than a part. */
  #weightOf(value: unknown): number {
    if (typeof value === "string") return value.length + overhead
    if (typeof value !== "object" || value === null) return numberCharacters
    if (this.#large.size > 0 && this.#large.has(value)) return Infinity
    if (isWrittenItself(value)) return numberCharacters
    const sum = Array.isArray(value) ? this.#weightOfList(value) : this.#weightOfObject(value)
    if (sum > partCharacters) this.#large.add(value)
    return sum
  }

  #weightOfList(list: ReadonlyArray<unknown>): number {
    let sum = overhead
    for (const element of list) {
      sum += this.#weightOf(element)
      if (sum > partCharacters) return sum
    }
    return sum
  }

  #weightOfObject(value: object): number {
    let sum = overhead
    // Every answer is weighed, most of them for nothing: no list of its members is made for that.
    for (const name in value) {
      sum += name.length + overhead + this.#weightOf(Reflect.get(value, name))
      if (sum > partCharacters) return sum
    }
    return sum
  }

  #writeText(text: string): void {
    this.#add('"')
    for (let from = 0; from < text.length;) {
      const end = endOfPart(text, from)
      this.#add(JSON.stringify(text.slice(from, end)).slice(1, -1))
      from = end
    }
    this.#add('"')
  }

  /** Elements that are small are written together. */
  #writeList(list: ReadonlyArray<unknown>): void {
    let from = 0
    let weight = 0
    const writeUntil = (end: number) => {
      if (end > from) this.#add((from === 0 ? "" : ",") + JSON.stringify(list.slice(from, end)).slice(1, -1))
      from = end
      weight = 0
    }
    this.#add("[")
    list.forEach((element, nth) => {
      const more = this.#weightOf(element)
      if (weight + more > partCharacters) writeUntil(nth)
      weight += more
      if (more <= partCharacters) return
      if (nth > 0) this.#add(",")
      this.write(element)
      from = nth + 1
      weight = 0
    })
    writeUntil(list.length)
    this.#add("]")
  }

  #writeObject(value: object): void {
    let before = "{"
    for (const [name, member] of Object.entries(value)) {
      if (this.#weightOf(member) > partCharacters) {
        this.#add(`${before}${JSON.stringify(name)}:`)
        this.write(member)
      } else {
        const text: string | undefined = JSON.stringify(member)
        if (text === undefined) continue
        this.#add(`${before}${JSON.stringify(name)}:${text}`)
      }
      before = ","
    }
    this.#add(before === "{" ? "{}" : "}")
  }
}

/**
 * Writes a value as `JSON.stringify` does, in parts: the text of a large one would be hundreds of kilobytes in one place, and to give back thousands of such
 * places takes the garbage collector longer than all else that an answer needs.
 */
export const addJson = (value: unknown, add: Add): void => new JsonParts(add).write(value)
