// What a lockfile of npm must have beyond what npm writes into it.

/** One package of a lockfile, under its place. */
export interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly optional?: boolean
  readonly cpu?: ReadonlyArray<string>
  readonly os?: ReadonlyArray<string>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** The packages of a lockfile by their places, such as `node_modules/effect`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>

/** Packages that are optional for another reason than their platform, or whose name does not tell it. */
const named: Readonly<Record<string, Pick<LockedPackage, "os">>> = { fsevents: { os: ["darwin"] } }

const platformOf = (given: string): Pick<LockedPackage, "cpu" | "os"> => {
  const known = named[given]
  if (known !== undefined) return known
  // Bun's names for what npm calls otherwise.
  const name = given.replace("aarch64", "arm64").replace("windows", "win32")
  const os = /android|darwin|freebsd|linux|openbsd|netbsd|openharmony|sunos|aix|win32/.exec(name)
  const cpu = /arm64|arm|x64|ia32|loong64|mips64el|ppc64|riscv64|s390x/.exec(name)
  // Without these npm would try to fetch the package on every platform.
  if (os === null || cpu === null) throw new Error(`${given} does not tell its platform`)
  return { cpu: [cpu[0]], os: [os[0]] }
}

/** Where the package at a place finds another: in its own folder, and in those around it. */
const placesFrom = (path: string, name: string): ReadonlyArray<string> => {
  const at = path.lastIndexOf("node_modules/")
  const here = `${path === "" ? "" : `${path}/`}node_modules/${name}`
  if (at >= 0) return [here, ...placesFrom(path.slice(0, at).replace(/\/$/, ""), name)]
  return path === "" ? [here] : [here, `node_modules/${name}`]
}

/** The optional packages that some package of a lockfile names, and that have no place in it. */
export const missingFrom = (packages: LockedPackages): ReadonlyArray<readonly [string, LockedPackage]> =>
  Object.entries(packages).flatMap(([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).flatMap(([name, version]): ReadonlyArray<readonly [string, LockedPackage]> => {
      if (placesFrom(path, name).some((place) => place in packages)) return []
      return [[`node_modules/${name}`, { version, ...(dev && { dev }), optional: true, ...platformOf(name) }]]
    }),
  )

/** The name of the package at a place. */
export const nameAt = (place: string): string =>
  place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)

/**
 * The packages whose bytes nothing in the lockfile vouches for. Links, and the folders of the workspace that they lead to, have no bytes of
 * their own.
 */
export const unvouched = (packages: LockedPackages): ReadonlyArray<readonly [string, LockedPackage]> =>
  Object.entries(packages).filter(
    ([place, { integrity, link }]) => place.includes("node_modules/") && link !== true && integrity === undefined,
  )
