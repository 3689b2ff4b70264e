import { accessSync, constants } from "node:fs"
import { delimiter } from "node:path"

/** The folders in which the system looks for programs. */
export const pathFolders = (): ReadonlyArray<string> =>
  (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")

export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
