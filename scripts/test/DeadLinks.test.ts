import { assert, it } from "vitest"
import { deadLinks } from "../site/DeadLinks.ts"

it("finds links to files and places that there are not, and no others", () => {
  const links = [
    "b.html",
    "b.html#there",
    "/b.html?x=1#there",
    "#here",
    "/",
    "https://elsewhere.test/none",
    "c.html",
    "b.html#gone",
    "#gone",
    "folder/",
  ]
  const pages = [
    { path: "index.html", html: "" },
    { path: "a.html", html: `<p id="here">${links.map((link) => `<a class="x" href="${link}">x</a>`).join("")}</p>` },
    { path: "b.html", html: '<h2 id="there">There</h2><img src="/picture.png">' },
  ]
  assert.deepStrictEqual(deadLinks(pages, new Set(["index.html", "a.html", "b.html"])), [
    "a.html: c.html",
    "a.html: b.html#gone",
    "a.html: #gone",
    "a.html: folder/",
    "b.html: /picture.png",
  ])
})
