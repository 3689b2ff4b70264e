import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Given, readSettings, valuesOf } from "@carillon/server"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { published } from "../../scripts/packages/Published.ts"
import { prometheusFolder } from "../../scripts/prometheus.ts"

const operating = join(import.meta.dirname, "../operating")
const text = (path: string) => readFileSync(join(operating, path), "utf8")

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: ReadonlyArray<string>
  readonly ports?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
  readonly depends_on?: Readonly<Record<string, unknown>>
  readonly stop_grace_period?: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
}

const compose: {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: Readonly<Record<string, null>>
} = parse(text("compose.yaml"))
const { services } = compose

/** The published packages that one needs, with itself. */
const neededBy = (name: string): ReadonlySet<string> => {
  const all = new Map(published().map(({ manifest }) => [manifest.name, manifest]))
  const needed = new Set([name])
  for (const each of needed) {
    for (const dependency of Object.keys(all.get(each)?.dependencies ?? {}))
      if (all.has(dependency)) needed.add(dependency)
  }
  return needed
}

/** What `npm run site` makes, from where compose.yaml lies. */
const made = "../../dist/site/public"

describe("the containers", () => {
  it("give the server settings that it takes", () => {
    const substituted = Object.entries(services["carillon"]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+:-(\w+)\}/g, "$1"),
    ])
    const settings = readSettings(new Given(Object.fromEntries(substituted), new Map(), ""))
    if (Result.isFailure(settings)) assert.fail(settings.failure.join("\n"))
    const { insidePort, noticeSeconds, port } = settings.success
    assert.deepStrictEqual(services["carillon"]?.ports, [`${port}:${port}`])
    assert.include(text("prometheus.yml"), `port: ${insidePort}`)
    const file = text("Containerfile")
    assert.include(file, `EXPOSE ${port} ${insidePort}\n`)
    const grace = Number.parseInt(services["carillon"]?.stop_grace_period ?? "", 10)
    assert.isAtLeast(grace, noticeSeconds + 30)
  })

  it("mount files that are there, and wait for services that there are", () => {
    for (const { build, depends_on = {}, volumes = [] } of Object.values(services)) {
      for (const volume of volumes) {
        const [source = ""] = volume.split(":")
        const isMade = source === made
        assert.isTrue(
          isMade || (source.startsWith("./") ? existsSync(join(operating, source)) : source in compose.volumes),
        )
      }
      for (const name of Object.keys(depends_on)) assert.property(services, name)
      if (build !== undefined)
        assert.isTrue(existsSync(join(operating, build.context, "../..", "docs/operating/Containerfile")))
    }
    for (const name of ["datasources", "dashboards"])
      assert.strictEqual(parse(text(`grafana/${name}.yaml`)).apiVersion, 1)
  })

  it("serve the pages that alerts lead to, at the address that they lead to", () => {
    const { runbooks } = parse(text("prometheus.yml")).global.external_labels
    const { port, pathname, origin } = new URL(runbooks)
    assert.deepStrictEqual([origin, pathname], [`http://localhost:${port}`, "/runbook"])
    assert.deepStrictEqual(services["docs"]?.ports, [`127.0.0.1:${port}:${port}`])
    assert.include(services["docs"]?.command ?? [], `:${port}`)
    assert.deepStrictEqual(services["docs"]?.volumes, [`${made}:/site:ro`])
    assert.include(
      readFileSync(join(operating, "../../scripts/site.ts"), "utf8"),
      'const output = join(home, "public")',
    )
    const tests = text("alerts.test.yml")
    const groups = tests.match(/^ {2}- name: .+\n {4}external_labels: { runbooks: "(.+)" }$/gm) ?? []
    assert.lengthOf(groups, tests.match(/^ {2}- name: /gm)?.length ?? 0)
    for (const group of groups) assert.include(group, `"${runbooks}"`)
  })

  it("install the packages that the server needs, and no others", () => {
    const [, list = ""] = /^COPY (.+) tarballs\/$/m.exec(text("Containerfile")) ?? []
    const copied = list.split(" ").map((file) => file.replace(/^carillon-(.+)-\*\.tgz$/, "@carillon/$1"))
    assert.sameMembers(copied, [...neededBy("@carillon/server")])
  })

  it("have a Prometheus that takes its configuration", ({ skip }) => {
    const folder = prometheusFolder()
    if (folder === null) return skip("cannot be run: no Prometheus can be had here")
    const { output, status } = spawnSync(
      join(folder, "promtool"),
      ["check", "config", join(operating, "prometheus.yml")],
      {
        encoding: "utf8",
      },
    )
    assert.strictEqual(status, 0, output.join(""))
  })
})

describe("the guide to the server", () => {
  it("shows settings that are taken", () => {
    const guide = readFileSync(join(import.meta.dirname, "../guides/server.md"), "utf8")
    const [, file = ""] = /```json\n(.+?)```/s.exec(guide) ?? []
    const given = new Given(
      { CARILLON_DATABASE_URL: "postgres://db/db", CARILLON_CARRIER_MAIN_AUTH_TOKEN: "secret" },
      valuesOf(file),
      "carillon.json",
    )
    const settings = readSettings(given)
    if (Result.isFailure(settings)) assert.fail(settings.failure.join("\n"))
    assert.lengthOf(settings.success.carriers, 1)
  })
})
