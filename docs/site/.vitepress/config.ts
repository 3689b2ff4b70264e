import { copyFileSync, existsSync, mkdirSync, statSync } from "node:fs"
import { dirname, join, posix, relative } from "node:path"
import { defineConfig, type MarkdownOptions } from "vitepress"

const docs = join(import.meta.dirname, "..", "..")

/** `npm run site` builds a copy of the pages, whose files of the repository lie elsewhere. */
const repository = process.env["CARILLON_REPOSITORY"] ?? dirname(docs)

/** Files beside the documentation that a page refers to; they are on the site as they are. */
const sources = new Set<string>()

/** Where a link to a file of the repository leads on the site; null leaves the link alone. */
const onSite = (from: string, link: string): string | null => {
  const [path = "", anchor] = link.split("#")
  if (path === "" || /^[a-z]+:/.test(path) || path.startsWith("/") || /\.(png|svg)$/.test(path)) return null
  const within = relative(docs, join(dirname(from), path)).replaceAll("\\", "/")
  const file = join(repository, "docs", within)
  if (path.endsWith(".md") && !within.startsWith("..")) return null
  if (within === "internals/decisions") return "/internals/decisions/"
  if (!existsSync(file)) throw new Error(`${relative(repository, from)} refers to ${link}, which there is not`)
  const page = statSync(file).isDirectory() ? join(file, "README.md") : file
  if (!existsSync(page)) throw new Error(`${relative(repository, from)} refers to ${link}, which has no page`)
  const source = relative(repository, page).replaceAll("\\", "/")
  sources.add(source)
  return `/source/${source}.txt${anchor === undefined ? "" : `#${anchor}`}`
}

const linksToFiles: NonNullable<MarkdownOptions["config"]> = (markdown) => {
  markdown.core.ruler.push("files-of-the-repository", (state) => {
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const link = token.type === "link_open" ? token.attrGet("href") : null
        const target = link === null ? null : onSite(String(state.env.realPath ?? state.env.path), link)
        if (target === null) continue
        token.attrSet("href", target)
        if (target.startsWith("/source/")) token.attrSet("target", "_self")
      }
    }
  })
  const fence = markdown.renderer.rules.fence
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (token?.info.trim() !== "mermaid") return fence?.(tokens, index, options, env, self) ?? ""
    return `<Diagram text="${encodeURIComponent(token.content)}" />`
  }
}

const group = (text: string, items: ReadonlyArray<readonly [text: string, link: string]>) => ({
  text,
  items: items.map(([title, link]) => ({ text: title, link })),
})

const sidebar = [
  group("Begin", [
    ["What is where", "/overview"],
    ["A first call", "/guides/first-call"],
    ["From TypeScript", "/guides/client"],
    ["Campaigns", "/guides/campaigns"],
    ["Webhooks", "/guides/webhooks"],
    ["Knowledge bases", "/guides/knowledge"],
    ["Test your integration", "/guides/testing"],
    ["How much can I load it", "/guides/load"],
  ]),
  group("Run it yourself", [
    ["As a program", "/guides/server"],
    ["In your own server", "/guides/embedding"],
    ["Write a carrier", "/guides/carrier"],
    ["More than one carrier", "/guides/carriers"],
    ["Twilio", "/guides/twilio"],
    ["Telnyx", "/guides/telnyx"],
    ["LiveKit", "/guides/livekit"],
    ["Events in your process", "/guides/events"],
    ["In production", "/guides/production"],
    ["Several processes", "/guides/processes"],
    ["Operating", "/guides/operating"],
    ["Secrets", "/guides/secrets"],
    ["Erasing a person", "/guides/erasure"],
    ["Keeping rows for a time", "/guides/retention"],
    ["Moving an organization", "/guides/moving-an-organization"],
    ["Drills", "/guides/drills"],
    ["Limits", "/guides/limits"],
    ["Releases", "/guides/releases"],
    ["Counting on Redis", "/guides/redis"],
    ["Bring your own store", "/guides/store"],
    ["Judge an implementation", "/guides/judging"],
    ["Let yours be judged", "/guides/judgeable"],
  ]),
  group("How it works", [
    ["The engine", "/concepts/engine"],
    ["The simulator", "/concepts/simulator"],
    ["Decisions", "/internals/decisions/"],
  ]),
  group("Look it up", [
    ["The specification", "/reference/specification"],
    ["How it is read", "/reference/decisions"],
    ["Error codes", "/reference/errors"],
    ["Configuration", "/reference/configuration"],
    ["Settings of the server", "/reference/server"],
    ["Commands of the operator", "/reference/admin"],
    ["Limits by name", "/reference/limits"],
    ["Events", "/reference/events"],
    ["Metrics", "/reference/metrics"],
    ["Scopes", "/reference/scopes"],
    ["Statuses", "/reference/statuses"],
    ["Runbook", "/runbook/README"],
    ["Glossary", "/glossary"],
    ["Troubleshooting", "/troubleshooting"],
  ]),
]

export default defineConfig({
  title: "Carillon",
  description: "Decides who is dialled when, under which ceiling, and remembers it.",
  lang: "en",
  srcDir: "..",
  srcExclude: ["examples/**", "test/**", "**/node_modules/**"],
  outDir: "../../public",
  cacheDir: "../../cache",
  rewrites: {
    "site/index.md": "index.md",
    "site/decisions.md": "internals/decisions/index.md",
    "README.md": "overview.md",
  },
  cleanUrls: false,
  lastUpdated: false,
  markdown: { config: linksToFiles },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "First call", link: "/guides/first-call" },
      { text: "Guides", link: "/overview" },
      { text: "Error codes", link: "/reference/errors" },
    ],
    sidebar,
  },
  ignoreDeadLinks: [/^\/source\//],
  buildEnd: ({ outDir }) => {
    for (const source of sources) {
      const target = join(outDir, "source", `${source}.txt`)
      mkdirSync(posix.dirname(target), { recursive: true })
      copyFileSync(join(repository, source), target)
    }
  },
})
