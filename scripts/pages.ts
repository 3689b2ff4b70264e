// Writes the pages of the documentation that follow from the code: `npm run node -- scripts/pages.ts`. A test holds them to it.
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { errorsPage } from "./pages/ErrorsPage.ts"
import { metricsPage } from "./pages/MetricsPage.ts"

const folder = join(dirname(import.meta.dirname), "docs/reference")

writeFileSync(join(folder, "errors.md"), errorsPage())
writeFileSync(join(folder, "metrics.md"), metricsPage())
