// Writes the pages of the documentation that follow from the code: `npm run node -- scripts/pages.ts`. A test holds them to it.
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pages } from "./pages/Pages.ts"

for (const [name, page] of Object.entries(pages)) {
  writeFileSync(join(dirname(import.meta.dirname), "docs", name), page())
}
