/** The search of the HTML report: the one script of the page, which does without it as well. */

/** Shows the cases whose text has every word; it holds nothing of the report. */
export const searchScript = `
const field = document.getElementById("search")
const found = document.getElementById("found")
const cases = [...document.querySelectorAll("details.case")]
const texts = cases.map((each) => each.textContent.toLowerCase())
const tell = () => {
  const shown = cases.filter((each) => each.getClientRects().length > 0).length
  found.textContent = shown === cases.length ? "" : shown + " of " + cases.length + " cases"
}
const look = () => {
  const words = field.value.toLowerCase().split(" ")
  cases.forEach((each, index) => each.classList.toggle("unfound", !words.every((word) => texts[index].includes(word))))
  tell()
}
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const own = target?.closest("details.case")
  if (!own) return
  if (own.getClientRects().length === 0) {
    field.value = ""
    document.getElementById("show-all").checked = true
    look()
  }
  own.open = true
  target.scrollIntoView()
}
document.getElementById("find").hidden = false
field.addEventListener("input", look)
document.getElementById("filter").addEventListener("change", tell)
addEventListener("hashchange", follow)
follow()
`

/** What the page allows to be run: this script alone, whatever a server wrote into the report. */
export const searchScriptHash = "sha256-yR05hqdAsuo3Ro5nTI+G/w+dwIAtzBsDRGuP/TNt0Hk="
