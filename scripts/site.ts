// Builds the documentation as a site, and finds every link on it that leads nowhere:
//
//   npm run site
//
// The site is in dist/site/public. VitePress has a lockfile of its own in docs/site. It is built from a copy of the pages, so that nothing is
// installed among them.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { deadLinks, type Page } from "./site/DeadLinks.ts"

const root = dirname(import.meta.dirname)
const home = join(root, "dist", "site")
const output = join(home, "public")

const fail = (message: string): never => {
  console.error(message)
  process.exit(1)
}

/** Installs what the lockfile names, unless it is there. */
const install = () => {
  const lockfile = readFileSync(join(root, "docs/site/package-lock.json"))
  const hash = createHash("sha256").update(lockfile).digest("hex")
  const mark = join(home, "node_modules", ".carillon")
  if (existsSync(mark) && readFileSync(mark, "utf8") === hash) return
  for (const name of ["package.json", "package-lock.json"]) cpSync(join(root, "docs/site", name), join(home, name))
  const args = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"]
  const { output: said, status } = spawnSync("npm", args, { cwd: home, encoding: "utf8" })
  if (status !== 0) fail(`NOT BUILT: VitePress cannot be had, so nothing was shown of the site.\n${said.join("")}`)
  writeFileSync(mark, hash)
}

/** The pages and what they show, without what is only run. */
const isShown = (path: string): boolean => !/\/docs\/(examples|test)(\/|$)|\/node_modules(\/|$)/.test(path)

const build = () => {
  rmSync(join(home, "docs"), { recursive: true, force: true })
  cpSync(join(root, "docs"), join(home, "docs"), { recursive: true, filter: (path) => isShown(path.replace(root, "")) })
  const vitepress = join(home, "node_modules/vitepress/bin/vitepress.js")
  const { status } = spawnSync(process.execPath, [vitepress, "build", join(home, "docs/site")], {
    cwd: home,
    env: { ...process.env, CARILLON_REPOSITORY: root },
    stdio: "inherit",
  })
  if (status !== 0) fail("The site cannot be built.")
}

/** Holds the links of what was built against what was built. */
const check = () => {
  const files = globSync("**/*", { cwd: output }).map((path) => path.split("\\").join(posix.sep))
  const pages: ReadonlyArray<Page> = files
    .filter((path) => path.endsWith(".html") && path !== "404.html")
    .map((path) => ({ path, html: readFileSync(join(output, path), "utf8") }))
  const dead = deadLinks(pages, new Set(files))
  if (dead.length > 0) fail(`Links that lead nowhere:\n${dead.map((link) => `  ${link}`).join("\n")}`)
  console.log(`${pages.length} pages in dist/site/public, and every link leads somewhere.`)
}

mkdirSync(home, { recursive: true })
install()
build()
check()
