import type { Published } from "./Published.ts"

/** What keeps packages from being released under a tag of git. */
export const releaseFaults = (tag: string, packages: ReadonlyArray<Published>): ReadonlyArray<string> => {
  const versions = new Set(packages.map(({ manifest }) => manifest.version))
  if (versions.size > 1) return [`The packages have several versions: ${[...versions].join(", ")}.`]
  return packages.flatMap(({ manifest: { dependencies = {}, name, version } }) => [
    ...(tag === `v${version}` ? [] : [`${name} has the version ${version}, and the tag is ${tag}.`]),
    ...Object.entries(dependencies)
      .filter(([dependency, range]) => dependency.startsWith("@carillon/") && range !== version)
      .map(([dependency, range]) => `${name} needs ${dependency} ${range}, and the release is ${version}.`),
  ])
}
