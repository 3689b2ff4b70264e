import { posix } from "node:path"

/** A page as it was built, by its path from the root of the site. */
export interface Page {
  readonly path: string
  readonly html: string
}

const linkPattern = /<(?:a|img|link|script)\b[^>]*?\s(?:href|src)="([^"]*)"/g
const anchorPattern = /\sid="([^"]+)"/g

const isElsewhere = (link: string): boolean => /^([a-z]+:|\/\/)/i.test(link)

/** The links of pages that lead to no file of the site, or to no place on its page. Links to other sites are not followed. */
export const deadLinks = (pages: ReadonlyArray<Page>, files: ReadonlySet<string>): ReadonlyArray<string> => {
  const anchors = new Map(
    pages.map(({ html, path }) => [path, new Set([...html.matchAll(anchorPattern)].map(([, id]) => id))]),
  )
  const leadsSomewhere = (from: string, link: string): boolean => {
    const [target = "", anchor] = decodeURI(link).split("#")
    const [path = ""] = target.split("?")
    const whole =
      path === "" ? from : posix.join(path.startsWith("/") ? "" : posix.dirname(from), path).replace(/^\//, "")
    const file = whole === "" || whole.endsWith("/") ? `${whole}index.html` : whole
    if (!files.has(file)) return false
    return anchor === undefined || anchor === "" || (anchors.get(file)?.has(anchor) ?? true)
  }
  return pages.flatMap(({ html, path }) =>
    [...html.matchAll(linkPattern)]
      .map(([, link = ""]) => link)
      .filter((link) => !isElsewhere(link) && !leadsSomewhere(path, link))
      .map((link) => `${path}: ${link}`),
  )
}
