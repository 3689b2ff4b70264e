import { Schema, SchemaAST } from "effect"

/** A value whose fields have no null of their own, nor have the fields in them. What a list holds, and names that are free, stay as they are. */
export type WithoutNulls<T> =
  T extends ReadonlyArray<unknown>
    ? T
    : T extends object
      ? { readonly [K in keyof T]: string extends K ? T[K] : WithoutNulls<Exclude<T[K], null>> }
      : T

/** The value that a field has where it is not null. */
const valueOf = (field: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(field) || !field.types.some(SchemaAST.isNull)) return field
  const [value, ...others] = field.types.filter((type) => !SchemaAST.isNull(type))
  return value === undefined || others.length > 0 ? field : value
}

const fieldWithoutNull = ({ name, type }: SchemaAST.PropertySignature): SchemaAST.PropertySignature => {
  const field = Schema.make<Schema.Top>(inside(valueOf(type)))
  const { annotations = {}, isOptional = false } = type.context ?? {}
  const told = (isOptional ? Schema.optionalKey(field) : field).annotateKey(annotations)
  return new SchemaAST.PropertySignature(name, told.ast)
}

const inside = (ast: SchemaAST.AST): SchemaAST.AST =>
  SchemaAST.isObjects(ast)
    ? new SchemaAST.Objects(
        ast.propertySignatures.map(fieldWithoutNull),
        ast.indexSignatures,
        ast.annotations,
        ast.checks,
      )
    : ast

/** The schema of what comes back. It stands in typings by its name: what it holds is both open and named, which no typing can spell out. */
export interface Answered<S extends Schema.Top> extends Schema.Codec<WithoutNulls<S["Type"]>> {
  readonly Rebuild: Answered<S>
}

/**
 * What comes back of an object that is written as a JSON merge patch: a null of a write takes its field away, so no field is answered as
 * null. Lists are replaced whole, with the nulls in them.
 */
export const withoutNulls = <S extends Schema.Top>(written: S): Answered<S> => Schema.make(inside(written.ast))
