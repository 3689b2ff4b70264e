import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync, type TSInterfaceDeclaration } from "oxc-parser"

const root = dirname(dirname(import.meta.dirname))

/** A field of an interface, as its source says it. */
export interface Option {
  readonly name: string
  readonly isOptional: boolean
  readonly type: string
  readonly meaning: string
}

const worded = (comment: string): string =>
  comment
    .replaceAll(/^\s*\*+/gm, " ")
    .replaceAll(/\{@link (\w+)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .trim()

type Source = ReturnType<typeof read>

const read = (path: string) => {
  const text = readFileSync(join(root, path), "utf8")
  const { comments, program } = parseSync(path, text)
  return { path, text, comments, body: program.body }
}

const declaredIn = ({ body }: Source, name: string): TSInterfaceDeclaration | undefined =>
  body
    .map((statement) => (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement))
    .find(
      (declaration): declaration is TSInterfaceDeclaration =>
        declaration?.type === "TSInterfaceDeclaration" && declaration.id.name === name,
    )

/** The file of the package from which a name comes. */
const importedFrom = ({ body, path }: Source, name: string): string | undefined => {
  const found = body.find(
    (statement) =>
      statement.type === "ImportDeclaration" &&
      statement.source.value.startsWith("./") &&
      statement.specifiers.some(({ local }) => local.name === name),
  )
  return found?.type === "ImportDeclaration" ? join(dirname(path), found.source.value) : undefined
}

/** The fields of an interface and of those that it extends, with the comments before them. */
export const optionsOf = (path: string, name: string): ReadonlyArray<Option> => {
  const source = read(path)
  const declared = declaredIn(source, name)
  if (declared === undefined) {
    const elsewhere = importedFrom(source, name)
    if (elsewhere === undefined) throw new Error(`${path} has no interface ${name}`)
    return optionsOf(elsewhere, name)
  }
  const { comments, text } = source
  const own = declared.body.body.flatMap((member) => {
    if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return []
    const before = comments.findLast(({ end }) => end <= member.start)
    const isIts = before !== undefined && text.slice(before.end, member.start).trim() === ""
    const type = member.typeAnnotation?.typeAnnotation
    return [
      {
        name: member.key.name,
        isOptional: member.optional,
        type: type === undefined ? "" : text.slice(type.start, type.end).replaceAll(/\s+/g, " "),
        meaning: isIts ? worded(before.value) : "",
      },
    ]
  })
  const bases = declared.extends.flatMap(({ expression }) =>
    expression.type === "Identifier" ? optionsOf(path, expression.name) : [],
  )
  return [...own, ...bases]
}
