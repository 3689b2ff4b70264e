/** A kind of rows that name caller IDs, and where such a row may still dial by itself. As every step this one is never edited. */
interface Naming {
  readonly kind: "campaign" | "batch"
  readonly table: string
  readonly isOpen: (row: string) => string
}

const kinds: ReadonlyArray<Naming> = [
  { kind: "campaign", table: "campaigns", isOpen: (row) => `${row}.status in ('created', 'active', 'paused')` },
  {
    kind: "batch",
    table: "batches",
    isOpen: (row) => `${row}.status not in ('completed', 'cancelled', 'expired', 'failed')`,
  },
]

/**
 * The numbers that a document names. Its keys may be spelled anew, which is a member more around it, and one of its texts may have a NUL or half a
 * letter, at which the operators of `json` fail: another letter stands for it here, which is in no number.
 */
const numbersOf = String.raw`
  select coalesce(array_agg(distinct number), '{}')
  from (select coalesce(read -> '~', read) -> 'phone_numbers' as list
    from (select case when strpos(document::text, '\u') = 0 then document
        else regexp_replace(document::text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\u0001', 'g')::json end as read) as readable) as named
  cross join lateral json_array_elements_text(case when json_typeof(list) = 'array' then list else '[]' end) as numbers(number)`

const columns = "organization_id, phone_number, kind, named_by"

/** Keeps the numbers of a row that was written or is gone. One that names what it named, and still may, changes nothing. */
const kept = ({ isOpen, kind }: Naming): string =>
  [
    `if tg_op <> 'INSERT' then if ${isOpen("old")} then was := carillon.numbers_of(old.row); end if; end if`,
    `if tg_op <> 'DELETE' then if ${isOpen("new")} then named := carillon.numbers_of(new.row); end if; end if`,
    "if was = named then return null; end if",
    `if cardinality(was) > 0 then delete from carillon.caller_ids where organization_id = old.organization_id and phone_number = any(was)
    and kind = '${kind}' and named_by = old.${kind}_id; end if`,
    `if cardinality(named) > 0 then insert into carillon.caller_ids (${columns})
    select new.organization_id, number, '${kind}', new.${kind}_id from unnest(named) as number
    on conflict do nothing; end if`,
    "return null",
  ].join("; ")

const followed = (naming: Naming): ReadonlyArray<string> => [
  `create function carillon.name_numbers_of_${naming.kind}() returns trigger language plpgsql as $$
  declare was text[] := '{}'; named text[] := '{}'; begin ${kept(naming)}; end $$`,
  `create trigger name_numbers after insert or delete or update of organization_id, status, row on carillon.${naming.table}
  for each row execute function carillon.name_numbers_of_${naming.kind}()`,
  `insert into carillon.caller_ids (${columns})
  select r.organization_id, number, '${naming.kind}', r.${naming.kind}_id
  from carillon.${naming.table} as r cross join lateral unnest(carillon.numbers_of(r.row)) as number where ${naming.isOpen("r")}`,
]

/**
 * Which numbers are named by campaigns and batches that may still dial, so that it is known without reading one of them. The database keeps it itself,
 * whichever release writes. On many open batches this step takes a while, and who writes one waits for it.
 */
export const callerIds = [
  `create table carillon.caller_ids (
  organization_id text collate "C" not null,
  phone_number text collate "C" not null,
  kind text collate "C" not null,
  named_by text collate "C" not null,
  primary key (organization_id, phone_number, kind, named_by)
)`,
  `create function carillon.numbers_of(document json) returns text[] language sql immutable parallel safe as $$ ${numbersOf} $$`,
  ...kinds.flatMap(followed),
].join(";\n")
