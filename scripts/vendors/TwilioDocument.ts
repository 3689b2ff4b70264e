import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Twilio publishes its API document with its own command line; the copy is taken from there and not kept in this repository. */
const source = {
  package: "@twilio/cli-core",
  version: "9.0.0",
  integrity: "sha512-FPHm5gXAUwM2oATmQi3AGYPFz4Urg5G5/vDkpUu5WqNuwueQaS93HwXjdX1OM+miuq0LMimdfbXDTLEp4Nsjfg==",
  file: "package/src/services/twilio-api/twilio_api_v2010.json",
} as const

const packMs = 60_000

const cache = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url))

interface Packed {
  readonly filename: string
  readonly integrity: string
}

/** Runs a program in a folder; what it prints, or null where it fails or is not there. */
const printed = (program: string, args: ReadonlyArray<string>, cwd: string): string | null => {
  const ran = spawnSync(program, args, { cwd, encoding: "utf8", timeout: packMs })
  return ran.status === 0 ? ran.stdout : null
}

/** Brings the document from the npm registry into a folder; false where the registry cannot be had. What differs from what was published is an error. */
const brought = (folder: string): boolean => {
  const told = printed("npm", ["pack", `${source.package}@${source.version}`, "--json", "--silent"], folder)
  if (told === null) return false
  const packed: ReadonlyArray<Packed> = JSON.parse(told)
  const [only] = packed
  if (only === undefined || only.integrity !== source.integrity)
    throw new Error(`${source.package}@${source.version} is not what was published: ${only?.integrity}`)
  return printed("tar", ["-xzf", join(folder, only.filename), "-C", folder, source.file], folder) !== null
}

/** The copy that was brought once for this checkout, or null. */
const copy = (): string | null => {
  const kept = join(cache, `twilio-document-${source.version}.json`)
  if (existsSync(kept)) return kept
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, "twilio-"))
  try {
    if (!brought(folder)) return null
    renameSync(join(folder, source.file), kept)
    return kept
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Where Twilio's API document lies: at `TWILIO_OPENAPI`, or as Twilio publishes it on npm. Null where it cannot be had. */
export const twilioDocument = (): string | null => process.env["TWILIO_OPENAPI"] ?? copy()
