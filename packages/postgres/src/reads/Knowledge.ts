import type { KnowledgeBase, KnowledgeStore, KnowledgeUpload, UploadPlaces } from "@carillon/core/ports"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { reading } from "../Failures.ts"
import { knowledgeBases, knowledgeUploads } from "../rows/Tables.ts"
import { newestFirst, pageOf, rowWhere } from "./Rows.ts"
import { Where } from "./Where.ts"

const own = (organizationId: string): Where => new Where().is("organization_id", organizationId)

const read = <A>(effect: Parameters<typeof reading<A>>[1]) => reading(knowledgeBases.dependency, effect)

export const makeKnowledgeStore = (sql: SqlClient.SqlClient): KnowledgeStore["Service"] => ({
  find: (organizationId, collection) =>
    read(rowWhere<KnowledgeBase>(sql, knowledgeBases.name, own(organizationId).is("collection", collection))),
  page: (organizationId, page) => pageOf<KnowledgeBase>(sql, knowledgeBases, own(organizationId), newestFirst, page),
  upload: (organizationId, retrievalId, documentId) =>
    read(
      rowWhere<KnowledgeUpload>(
        sql,
        knowledgeUploads.name,
        own(organizationId).is("retrieval_id", retrievalId).is("document_id", documentId),
      ),
    ),
  uploads: (organizationId, retrievalId, page) =>
    pageOf<KnowledgeUpload>(
      sql,
      knowledgeUploads,
      own(organizationId).is("retrieval_id", retrievalId),
      newestFirst,
      page,
    ),
})

/** Takes a place that is free, has lapsed or is the holder's already. */
const take = `
  insert into carillon.upload_places as p (organization_id, holder, until) values ($1, $2, $4::bigint)
  on conflict (organization_id) do update set holder = excluded.holder, until = excluded.until
    where p.holder = excluded.holder or p.until <= $3::bigint
  returning 1`

export const makeUploadPlaces = (sql: SqlClient.SqlClient): UploadPlaces["Service"] => ({
  take: (organizationId, holder, { now, until }) =>
    read(Effect.map(sql.unsafe(take, [organizationId, holder, now, until]), (taken) => taken.length > 0)),
  release: (organizationId, holder) =>
    read(
      Effect.asVoid(
        sql.unsafe("delete from carillon.upload_places where organization_id = $1 and holder = $2", [
          organizationId,
          holder,
        ]),
      ),
    ),
})
