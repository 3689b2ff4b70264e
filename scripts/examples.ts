// Runs the simulator and keeps what it was sent and what it answered as the examples of the API documents.
//
//   npm run examples
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { runExamples } from "./examples/ExampleRun.ts"

const root = dirname(import.meta.dirname)
const file = join(root, "packages/api/src/ExampleData.ts")

const text = `// Made by \`npm run examples\` from a run of the simulator; not to be edited.
import type { Examples } from "./Examples.ts"

/** What the documents show. */
export const examples: Examples = ${JSON.stringify(await runExamples(), null, 2)}
`
writeFileSync(file, text)
const formatted = spawnSync(join(root, "node_modules/.bin/oxfmt"), [file], { stdio: "inherit" })
process.exitCode = formatted.status ?? 1
