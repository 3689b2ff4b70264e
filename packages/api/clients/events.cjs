// Reads an AsyncAPI document with AsyncAPI's own parser and says what it finds: `node events.cjs <modules> <document>`.
const { readFileSync } = require("node:fs")
const [, , modules, file] = process.argv
const { Parser } = require(`${modules}/@asyncapi/parser`)

new Parser().parse(readFileSync(file, "utf8")).then(({ diagnostics, document }) => {
  for (const { code, message, path } of diagnostics) console.error(`${path.join(".")}: ${message} (${code})`)
  if (document === undefined || diagnostics.length > 0) process.exitCode = 1
  else console.log(`AsyncAPI's parser finds nothing in ${document.messages().length} messages.`)
})
