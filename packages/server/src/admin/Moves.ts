import { createReadStream, existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { Portable } from "@carillon/core"
import type { Carillon } from "@carillon/http"
import { Effect, Stream } from "effect"
import { reasonOf } from "../Reason.ts"
import { Wrong } from "../settings/SettingsFile.ts"
import type { AdminCommand, Answer } from "./AdminCommand.ts"

/** Nobody but who exports reads the file: customers' numbers are in it. */
const onlyOwn = 0o600

/** What the file system has refused. */
const failed = (error: unknown): Error => new Error(reasonOf(error))

const there = (path: string): string => `--to: there is a file ${path} already`

const writeTo = async (carillon: Carillon, organizationId: string, file: FileHandle) => {
  try {
    const write = (text: string) => Effect.tryPromise({ try: () => file.appendFile(text), catch: failed })
    const report = await carillon.run(Effect.flatMap(Portable, (portable) => portable.export(organizationId, write)))
    await file.sync()
    return report
  } finally {
    await file.close()
  }
}

/** Exports to a file that is there under its name only once it is whole. */
const exportTo = async (carillon: Carillon, organizationId: string, path: string): Promise<Answer> => {
  if (existsSync(path)) throw new Wrong([there(path)])
  // Another run that writes to the same path has a part of its own.
  const part = `${path}.${process.pid}.part`
  const file = await open(part, "wx", onlyOwn)
  try {
    const { counts, ...report } = await writeTo(carillon, organizationId, file)
    if (existsSync(path)) throw new Wrong([there(path)])
    await rename(part, path)
    return { said: { ...report, lines: { ...counts } }, isWell: report.documents_left_out === 0 }
  } finally {
    await rm(part, { force: true })
  }
}

const importFrom = async (carillon: Carillon, path: string): Promise<Answer> => {
  const file = Stream.suspend(() => Stream.fromAsyncIterable<Uint8Array, Error>(createReadStream(path), failed))
  const { counts, ...report } = await carillon.run(Effect.flatMap(Portable, (portable) => portable.import(file)))
  return { said: { ...report, lines: { ...counts } }, isWell: true }
}

/** Organizations that move to another installation (docs/guides/moving-an-organization.md). */
export const moveCommands: ReadonlyArray<AdminCommand> = [
  {
    name: "organizations export",
    arguments: ["ORGANIZATION"],
    options: { to: { value: "FILE", meaning: "the file that is written; it must not be there" } },
    meaning: "writes everything of an organization that is at rest to a file; says what is under way where it is not",
    run: async (words, carillon) => {
      const path = words.text("to")
      if (path === undefined) throw new Wrong(["organizations export needs --to FILE; see --help."])
      return exportTo(carillon, words.argument(), path)
    },
  },
  {
    name: "organizations import",
    arguments: ["FILE"],
    options: {},
    meaning:
      "brings in what `organizations export` has written elsewhere; one that broke off is finished by the same file",
    run: (words, carillon) => importFrom(carillon, words.argument()),
  },
]
