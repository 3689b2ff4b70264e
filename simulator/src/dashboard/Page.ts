import { readFileSync } from "node:fs"
import type { EdgeResponse } from "@carillon/http"

/** The files of the page, served as they lie in the package: sources and build alike find them beside `src/dashboard`. */
const folder = new URL("../../src/dashboard/page/", import.meta.url)

const types = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const

/** What the page may do: load its own files, and talk to its own server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

const fileName = /^[a-z][a-z-]*\.(html|css|js|svg)$/

const isType = (extension: string): extension is keyof typeof types => Object.hasOwn(types, extension)

/** A file of the page by its name; null where there is none. */
export const pageFile = (name: string): EdgeResponse | null => {
  const extension = fileName.exec(name)?.[1]
  if (extension === undefined || !isType(extension)) return null
  let body: string
  try {
    body = readFileSync(new URL(name, folder), "utf8")
  } catch {
    return null
  }
  return {
    status: 200,
    headers: {
      "Content-Type": types[extension],
      "Cache-Control": "no-cache",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    },
    body,
  }
}
