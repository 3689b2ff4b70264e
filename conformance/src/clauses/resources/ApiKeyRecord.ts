import { gap, informative, required, specified } from "../Clause.ts"

export const apiKeyRecord = specified("Resources and their fields > API key record (as listed)", [
  informative("(as listed)"),
  required("KEY-RECORD-1", "http", '| key_id | string | `"key_"` + first 16 hex characters of the SHA-256 of the key.'),
  required("KEY-RECORD-2", "http", "Stable, non-reversible identifier"),
  required("KEY-RECORD-3", "http", "| key_preview | string | First 12 characters, `...`, last 4 characters."),
  informative("Display only."),
  required(
    "KEY-RECORD-4",
    "no",
    "A key of 16 characters or fewer is returned unmasked",
    "A minted key is always longer than 16 characters.",
  ),
  required("KEY-RECORD-5", "http", "| developer_id | string | Owner identity id |"),
  required("KEY-RECORD-6", "http", "| developer_name | string | |"),
  required("KEY-RECORD-7", "http", "| developer_email | string | Email of the owner |"),
  required("KEY-RECORD-8", "http", "| plan | string | Plan name |"),
  required("KEY-RECORD-9", "http", "| rate_limit_tier | string | Tier name |"),
  required("KEY-RECORD-10", "http", "| token_type | string | Kind of token (partner API keys) |"),
  required("KEY-RECORD-11", "fixtures", "| status | string | `active` or `inactive` |"),
  required("KEY-RECORD-12", "http", "| description | string | Free text |"),
  required("KEY-RECORD-13", "http", "| created_at | timestamp | |"),
  required("KEY-RECORD-14", "http", "| is_current | boolean | True for the key making the request |"),
  required(
    "KEY-FORMAT-1",
    "fixtures",
    "Key format: literal prefix `gat_` followed by a URL-safe random string minted from 32 bytes of entropy.",
  ),
  required("KEY-FORMAT-2", "fixtures", "The full key is returned only once, in the response that mints it."),
  gap(
    "KEY-MINT-G1",
    "fixtures",
    "Fields of the response that mints a key, other than that one-time secret: not shown.",
  ),
])
