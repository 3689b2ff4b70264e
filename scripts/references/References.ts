/** A text that refers to others: a source file, a declaration or a page, by its path from the root. */
export interface Text {
  readonly path: string
  readonly content: string
}

/** The pages that citations name by a word of their own. */
const cited = {
  specification: "docs/reference/specification.md",
  "decisions.md": "docs/reference/decisions.md",
} as const

const lineBreak = /\r?\n[ \t]*(?:\*(?!\/)|\/\/)?/g
const citation = /\b(specification|decisions\.md),\s+((?:(?:"[^"]+"|`[^`]+`)(?:\s\d+)?(?:,?\sand\s|,\s)?)+)/gi
const titleInCitation = /(?:"([^"]+)"|`([^`]+)`)(?:\s(\d+))?/g
const pageName = /(?<![\w/.-])(?:\.{1,2}\/)*((?:[\w-]+\/)*[\w-]+\.md)\b/g
const decisionNumber = /\bdecisions?\s(\d{1,4})\b/gi
const fence = /^(?:```|~~~)[^]*?^(?:```|~~~)/gm
const inlineCode = /`[^`\n]*`/g
const link = /\]\(([^)\s]+)\)/g
/** A link from the root leads to a page of the site. */
const siteRoot = "docs/README.md"
const decisionsFolder = "docs/internals/decisions"

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

const lineAt = (content: string, index: number): number => content.slice(0, index).split("\n").length

/** Text without what only a program reads: tags, escapes, and marks of emphasis. */
const plain = (text: string): string => text.replaceAll(/<[^>]*>|\\(?=[<{}])/g, "").trim()

/** What may be cited by its words: a title, and the numbers of the items below it. */
interface Title {
  readonly words: string
  readonly items: ReadonlySet<string>
}

/** The titles of a page: its headings, and the words that begin a passage in bold or before a colon. */
const titlesOf = (content: string): ReadonlyArray<Title> => {
  const titles: Array<{ readonly words: string; readonly items: Set<string> }> = []
  let section = new Set<string>()
  for (const line of content.split("\n").map(plain)) {
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1]
    if (heading !== undefined) section = new Set()
    const lead = /^\*\*(.+?)\*\*/.exec(line)?.[1] ?? /^(?:[-*] )?([A-Z][^:`.]{0,80}):/.exec(line)?.[1]
    const item = /^(\d+)\. /.exec(line)?.[1]
    if (item !== undefined) section.add(item)
    const words = heading ?? lead
    if (words !== undefined) titles.push({ words, items: section })
  }
  return titles
}

/** A citation may leave out what a title says in parentheses, after a comma, or after “of”. */
const isNamed = ({ words }: Title, name: string): boolean =>
  words === name || [" (", ", ", " of "].some((rest) => words.startsWith(`${name}${rest}`))

const combining = /\p{M}/gu
const special = /[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g

/** The anchor of a heading on GitHub, and the one on the site. */
const slugsOf = (heading: string): ReadonlyArray<string> => {
  const text = plain(heading).toLowerCase()
  const onGitHub = text.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-")
  const onSite = text.normalize("NFKD").replaceAll(combining, "").replaceAll(special, "-").replaceAll(/^-|-$/g, "")
  return [onGitHub, onSite]
}

/** The anchors of a page: those that it writes, and those of its headings. `npm run site` follows them on the site alone. */
const anchorsOf = (content: string): ReadonlySet<string> => {
  const headings = [...content.replaceAll(fence, blank).matchAll(/^#{1,6} (.+)$/gm)]
  const slugs = headings.flatMap(([, text = ""]) => slugsOf(text))
  const written = [...content.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id)
  return new Set([...slugs, ...written])
}

/** The path that a link from a file leads to; undefined where it leaves the repository. */
const followed = (from: string, path: string): string | undefined => {
  const parts = from.split("/").slice(0, -1)
  for (const part of path.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined
    } else if (part !== "." && part !== "") parts.push(part)
  }
  return parts.join("/")
}

/** What is there to refer to: all files, and the text of the pages among them. */
export interface Repository {
  readonly paths: ReadonlySet<string>
  readonly pages: ReadonlyMap<string, string>
}

const citationProblems = ({ content, path }: Text, { pages }: Repository): ReadonlyArray<string> => {
  const text = content.replaceAll(lineBreak, (found) => " ".repeat(found.length))
  return [...text.matchAll(citation)].flatMap(({ 1: name = "", 2: list = "", index }) => {
    const page = name.toLowerCase() === "specification" ? cited.specification : cited["decisions.md"]
    const said = pages.get(page) ?? ""
    const titles = titlesOf(said)
    return [...list.matchAll(titleInCitation)].flatMap(({ 1: quoted, 2: code, 3: item }) => {
      const words = (quoted ?? code ?? "").replaceAll(/\s+/g, " ")
      const found = titles.filter((title) => isNamed(title, words))
      const isField = code !== undefined && plain(said).includes(code)
      const isThere = item === undefined ? found.length > 0 || isField : found.some(({ items }) => items.has(item))
      const whole = item === undefined ? `"${words}"` : `"${words}" ${item}`
      return isThere ? [] : [`${path}:${lineAt(content, index)}: ${page} has no ${whole}`]
    })
  })
}

const pageProblems = ({ content, path }: Text, { paths }: Repository): ReadonlyArray<string> =>
  [...content.matchAll(pageName)].flatMap(({ 1: name = "", index }) => {
    const isThere = [...paths].some((one) => one === name || (one.startsWith("docs/") && one.endsWith(`/${name}`)))
    return isThere ? [] : [`${path}:${lineAt(content, index)}: there is no page ${name}`]
  })

const decisionProblems = ({ content, path }: Text, { paths }: Repository): ReadonlyArray<string> =>
  [...content.matchAll(decisionNumber)].flatMap(({ 1: number = "", index }) => {
    const start = `${decisionsFolder}/${number.padStart(4, "0")}-`
    const isThere = [...paths].some((one) => one.startsWith(start))
    return isThere ? [] : [`${path}:${lineAt(content, index)}: there is no decision ${number}`]
  })

const linkProblems = ({ content, path }: Text, { pages, paths }: Repository): ReadonlyArray<string> => {
  const text = content.replaceAll(fence, blank).replaceAll(inlineCode, blank)
  return [...text.matchAll(link)].flatMap(({ 1: target = "", index }) => {
    if (/^[a-z]+:/i.test(target)) return []
    const [to = "", anchor] = target.split("#")
    const file = to === "" ? path : followed(to.startsWith("/") ? siteRoot : path, to)
    const isThere = file !== undefined && (paths.has(file) || [...paths].some((one) => one.startsWith(`${file}/`)))
    const page = file === undefined ? undefined : pages.get(file)
    const hasPlace = anchor === undefined || page === undefined || anchorsOf(page).has(anchor)
    return isThere && hasPlace ? [] : [`${path}:${lineAt(content, index)}: ${target} leads nowhere`]
  })
}

/** The references of a source or a page that lead to nothing, each with its place. */
export const brokenReferences = (text: Text, repository: Repository): ReadonlyArray<string> => [
  ...citationProblems(text, repository),
  ...decisionProblems(text, repository),
  ...(text.path.endsWith(".md") ? linkProblems(text, repository) : pageProblems(text, repository)),
]
