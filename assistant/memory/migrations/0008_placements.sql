-- Edits of notebook cells that a kernel asks editors for; requests of the moment, no history, and no text.

create table placements (
  id text primary key,
  proposal text not null,
  hunk_ids text not null,             -- JSON list of ids
  expected_hash text not null,
  asked_by text not null,
  asked_ms integer not null,
  state text not null
) without rowid;
