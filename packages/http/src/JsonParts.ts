/** Characters of JSON that are written at a time, before escapes. */
const partCharacters = 16 * 1024

/** What stands around a value, its comma and its quotes, and what a number may take. */
const overhead = 4
const numberCharacters = 20

const isWrittenItself = (value: object): boolean => "toJSON" in value

/** How many characters of JSON a value takes, roughly; it is not looked at any more once it is more than a part. */
const weightOf = (value: unknown): number => {
  if (typeof value === "string") return value.length + overhead
  if (typeof value !== "object" || value === null || isWrittenItself(value)) return numberCharacters
  let sum = overhead
  if (Array.isArray(value)) {
    for (const element of value) {
      sum += weightOf(element)
      if (sum > partCharacters) return sum
    }
    return sum
  }
  for (const [name, member] of Object.entries(value)) {
    sum += name.length + weightOf(member) + overhead
    if (sum > partCharacters) return sum
  }
  return sum
}

type Add = (part: string) => void

/** Where a part of a text ends: no character of two units is cut in two, for each half would be written as an escape. */
const endOfPart = (text: string, from: number): number => {
  const end = from + partCharacters
  if (end >= text.length) return text.length
  const isCut = (text.codePointAt(end - 1) ?? 0) > 0xffff
  return isCut ? end - 1 : end
}

const addText = (text: string, add: Add): void => {
  add('"')
  for (let from = 0; from < text.length;) {
    const end = endOfPart(text, from)
    add(JSON.stringify(text.slice(from, end)).slice(1, -1))
    from = end
  }
  add('"')
}

/** Elements that are small are written together. */
const addList = (list: ReadonlyArray<unknown>, add: Add): void => {
  let from = 0
  let weight = 0
  const addUntil = (end: number) => {
    if (end > from) add((from === 0 ? "" : ",") + JSON.stringify(list.slice(from, end)).slice(1, -1))
    from = end
    weight = 0
  }
  add("[")
  list.forEach((element, nth) => {
    const more = weightOf(element)
    if (weight + more > partCharacters) addUntil(nth)
    weight += more
    if (more <= partCharacters) return
    if (nth > 0) add(",")
    addJson(element, add)
    from = nth + 1
    weight = 0
  })
  addUntil(list.length)
  add("]")
}

const addObject = (value: object, add: Add): void => {
  let before = "{"
  for (const [name, member] of Object.entries(value)) {
    if (weightOf(member) > partCharacters) {
      add(`${before}${JSON.stringify(name)}:`)
      addJson(member, add)
    } else {
      const text: string | undefined = JSON.stringify(member)
      if (text === undefined) continue
      add(`${before}${JSON.stringify(name)}:${text}`)
    }
    before = ","
  }
  add(before === "{" ? "{}" : "}")
}

/**
 * Writes a value as `JSON.stringify` does, in parts: the text of a large one would be hundreds of kilobytes in one place, and to give back thousands of such
 * places takes the garbage collector longer than all else that an answer needs.
 */
export const addJson = (value: unknown, add: Add): void => {
  if (weightOf(value) <= partCharacters) add(JSON.stringify(value))
  else if (typeof value === "string") addText(value, add)
  else if (Array.isArray(value)) addList(value, add)
  else if (typeof value === "object" && value !== null) addObject(value, add)
}
