/** Bytes of the chunks of one row, their names counted with each of them. As every step this one is never edited. */
const bytes = 512 * 1024

/**
 * Where PostgreSQL cannot read into a document: its keys are spelled anew, or one of its texts has a NUL or a lone surrogate. No upload makes one, but a
 * file that is imported may. Its chunks stay together. What only looks like it, behind a backslash that is a letter itself, is none.
 */
const isOpaque = String.raw`replace(d.chunks::text, '\\', '') ~ '^\{"~":|\\u(0000|[dD][89a-fA-F])'`

const columns = "retrieval_id, document_id, piece, characters, chunks"

/** The chunks of documents, which stand in one value, cut into pieces. A chunk that has no name has that of the one before it in its piece. */
const cut = (documents: string): string => `
  insert into carillon.knowledge_pieces (${columns})
  select retrieval_id, document_id, piece, sum(characters), json_build_object('chunks', json_agg(chunk order by n))
  from (select retrieval_id, document_id, n, piece, characters,
      case when file = lag(file) over (partition by retrieval_id, document_id, piece order by n)
        then json_build_object('chunk', nth, 'text', text) else json_build_object('file', file, 'chunk', nth, 'text', text) end as chunk
    from (select d.retrieval_id, d.document_id, e.n, e.chunk->>'file' as file, e.chunk->'chunk' as nth, e.chunk->'text' as text,
        char_length(e.chunk->>'text') as characters,
        (sum(octet_length(e.chunk::text)) over (partition by d.retrieval_id, d.document_id order by e.n) / ${bytes})::integer as piece
      from ${documents}
        cross join lateral json_array_elements(case when ${isOpaque} then '[]' else d.chunks->'chunks' end) with ordinality as e (chunk, n)
    ) as sized) as named
  group by retrieval_id, document_id, piece`

const whole = (documents: string): string => `
  insert into carillon.knowledge_pieces (${columns})
  select d.retrieval_id, d.document_id, 0, char_length(d.chunks::text), d.chunks from ${documents} where ${isOpaque}`

const stored = "carillon.knowledge_documents as d"
const entered = "(select new.retrieval_id, new.document_id, new.chunks) as d"

/** What happens to the pieces of each document that comes or goes. */
const follow = (operation: "insert" | "delete", statements: ReadonlyArray<string>): string =>
  `create function carillon.knowledge_pieces_at_${operation}() returns trigger language plpgsql as $$ begin ${statements.join("; ")}; return null; end $$;
create trigger knowledge_pieces_at_${operation} after ${operation} on carillon.knowledge_documents
  for each row execute function carillon.knowledge_pieces_at_${operation}()`

const leave =
  "delete from carillon.knowledge_pieces where retrieval_id = old.retrieval_id and document_id = old.document_id"

/**
 * The chunks of a document, in rows that have a bound. Documents that are there are cut into pieces, and so is what the release before writes, which has
 * all chunks in one value; what that release reads stays where it is. On large bases this step takes a while, and uploads wait for it.
 */
export const knowledgePieces = [
  `create table carillon.knowledge_pieces (
  retrieval_id text collate "C" not null,
  document_id text collate "C" not null,
  piece integer not null,
  characters integer not null,
  chunks json not null,
  primary key (retrieval_id, document_id, piece)
)`,
  follow("insert", [cut(entered), whole(entered)]),
  follow("delete", [leave]),
  cut(stored),
  whole(stored),
].join(";\n")
