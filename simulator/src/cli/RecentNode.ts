// Imported before everything else by the program: an older Node would fail in the middle of the start, in words that do not say why.
const minimum = { major: 22, minor: 19 }

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < minimum.major || (major === minimum.major && minor < minimum.minor)) {
  const wanted = `Node ${minimum.major}.${minimum.minor} or newer`
  process.stderr.write(`carillon-simulator: this needs ${wanted}, and this is Node ${process.versions.node}.\n`)
  process.exit(1)
}
